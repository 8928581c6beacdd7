import LoadLogCore

/// Result of reading a moment from a file.
enum ImportedTime {
  /// Wall time in microseconds.
  case value(Int64)
  /// Not a moment, or outside the years 1970 to 2199; a predicate such as "is before 1970".
  case wrong(String)

  private static let end = RecordLine.times.upperBound

  /// Checks that a moment is between 1970 and 2199.
  init(_ wall: Int64) {
    if wall < 0 {
      self = .wrong("is before 1970")
    } else {
      self = wall < Self.end ? .value(wall) : .wrong("is in 2200 or later")
    }
  }

  /// Reads RFC 3339: a date and a time of day with a zone. Fractions of a second are truncated to
  /// microseconds.
  init(_ text: UnsafeBufferPointer<UInt8>) {
    var scanner = TimeScanner(text[...])
    guard var civil = scanner.date(), scanner.separator(), let time = scanner.time() else {
      self = .wrong(scanner.complaint ?? "is not a time")
      return
    }
    if scanner.isAtEnd {
      self = .wrong("has no time zone")
      return
    }
    guard let offset = scanner.zone(), scanner.isAtEnd else {
      self = .wrong(scanner.complaint ?? "is not a time")
      return
    }
    (civil.hour, civil.minute, civil.second) = (time.hour, time.minute, time.second)
    self.init((civil.seconds - offset) * 1_000_000 + time.microseconds)
  }

  /// Whether a duration in nanoseconds is not negative and, counted from a moment, ends before the year 2200.
  static func isPossible(_ duration: Int64, after wall: Int64) -> Bool {
    duration >= 0 && duration / 1000 < end - wall
  }
}
