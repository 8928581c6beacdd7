package import LoadLogCore
import LoadLogText

extension KeptOutput {
  /// The kept lines, safe to print on a terminal.
  var shownLines: [String] { lines.map(VisibleText.line) }

  /// "all of it", "the last 100.0 kB".
  var extent: String { missing > 0 ? "the last \(ByteText.text(Int64(bytes.count)))" : "all of it" }

  var json: JSONValue {
    [
      "total": .integer(total), "kept": .count(bytes.count),
      "last_lines": .array(tail(lines: 5).lines.map { .string($0) }),
    ]
  }

  private var lines: [String] {
    var lines = Self.lines(of: bytes[...])
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// The lines of what a command wrote. Programs that write for terminals and those of Windows end them with a carriage
  /// return, too.
  package static func lines(of bytes: ArraySlice<UInt8>) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
  }
}

extension RunFacts {
  /// "1.20 s user and 0.30 s system time, 45.1 MB of memory"; nil if the times are unknown.
  var used: String? {
    guard let userTime, let systemTime else { return nil }
    let time =
      "\(DurationText.measured(userTime)) user and \(DurationText.measured(systemTime)) system time"
    return [time, maxMemory.map { "\(ByteText.text($0)) of memory" }].compactMap(\.self).joined(
      separator: ", ")
  }
}
