/// A moment as it was found.
enum ImportedTime {
  /// Wall time in microseconds.
  case value(Int64)
  /// It is no moment, or none that can be meant; why, in words.
  case wrong(String)

  /// 1 January 2200.
  private static let end: Int64 = 7_258_118_400_000_000

  /// A moment, if it can be meant.
  init(_ wall: Int64) {
    if wall < 0 {
      self = .wrong("it is before 1970")
    } else {
      self = wall < Self.end ? .value(wall) : .wrong("it is after 2200")
    }
  }

  /// Reads RFC 3339: a day and a time of day to any fraction of a second, cut to microseconds, with a zone.
  init(_ text: UnsafeBufferPointer<UInt8>) {
    var scanner = TimeScanner(text[...])
    guard var civil = scanner.date(), scanner.separator(), let time = scanner.time() else {
      self = .wrong(scanner.complaint ?? "it is not a time")
      return
    }
    if scanner.isAtEnd {
      self = .wrong("it has no zone")
      return
    }
    guard let offset = scanner.zone(), scanner.isAtEnd else {
      self = .wrong(scanner.complaint ?? "it is not a time")
      return
    }
    (civil.hour, civil.minute, civil.second) = (time.hour, time.minute, time.second)
    self.init((civil.seconds - offset) * 1_000_000 + time.microseconds)
  }

  /// Whether something that starts at a moment and takes so many nanoseconds ends at one that can be meant.
  static func isPossible(_ duration: Int64, after wall: Int64) -> Bool {
    duration >= 0 && duration / 1000 <= end - wall
  }
}
