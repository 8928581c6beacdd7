import LoadLogCore

/// Writer of CSV (RFC 4180): a header, then one line per load.
///
/// The columns have the names of the members in `history --json`; the owner's are `pid`, `host`, `app` and
/// `inferred`. Times are in UTC with milliseconds, as in JSON and in the views, durations in seconds; unknown values are empty. Control
/// and bidirectional characters are made visible. A text that a spreadsheet would evaluate as a formula gets
/// a leading apostrophe.
struct CSVExporter: LoadExporter {
  private static let columns = [
    "id", "feed", "message", "tag", "anonymous", "state", "finished_after_verdict", "started", "finished",
    "duration",
    "open_at_least", "duration_source", "clock_jump", "pid", "host", "app", "inferred", "call_site", "reason",
  ]

  mutating func begin(into bytes: inout [UInt8]) {
    append(Self.columns, to: &bytes)
  }

  mutating func add(_ load: LoadingSession, into bytes: inout [UInt8]) {
    let owner = load.owner.owner
    let isOpen = load.duration == nil && !load.state.isFinished
    append(
      [
        load.id.description, Self.text(load.feed.name), Self.text(load.message), Self.text(load.tag),
        String(load.isAnonymous), load.shownState.rawValue, String(load.isFinishedAfterVerdict),
        UTCTime.text(load.started.wall),
        load.finished.map(UTCTime.text) ?? "", Self.seconds(load.duration),
        Self.seconds(isOpen ? load.openAtLeast : nil),
        load.durationSource?.rawValue ?? "",
        Self.seconds(load.clockJump.map { $0.multipliedClamping(by: 1000) }),
        owner.process.pid == 0 ? "" : String(owner.process.pid), Self.text(owner.host), Self.text(owner.app),
        String(owner.kind == .inferred), Self.text(load.callSite), Self.text(load.reason),
      ], to: &bytes)
  }

  private func append(_ values: [String], to bytes: inout [UInt8]) {
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      let mustQuote = value.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
      if mustQuote {
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
          if byte == UInt8(ascii: "\"") { bytes.append(byte) }
          bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
      } else {
        bytes.append(contentsOf: value.utf8)
      }
    }
    bytes.append(text: "\r\n")
  }

  /// Escapes a text so that a spreadsheet does not evaluate it as a formula.
  private static func text(_ text: String?) -> String {
    guard let text, let first = text.utf8.first else { return "" }
    let starts = "=+-@\t\r".utf8
    return (starts.contains(first) ? "'" : "") + VisibleText.line(text)
  }

  /// Converts nanoseconds to decimal seconds without rounding.
  private static func seconds(_ nanoseconds: Int64?) -> String {
    guard let nanoseconds else { return "" }
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    var digits = String(rest)
    digits = String(repeating: "0", count: 9 - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return (nanoseconds < 0 ? "-" : "") + String(whole) + (digits.isEmpty ? "" : "." + digits)
  }
}
