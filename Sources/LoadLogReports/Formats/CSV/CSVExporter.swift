public import LoadLogCore

/// Writes CSV (RFC 4180): a line of names, then a line for each load.
///
/// The columns are named as in `history --json`; those of an owner are `pid`, `host`, `app` and `inferred`. Times are UTC
/// with microseconds, durations seconds; what is unknown is empty. Control and bidirectional characters are made
/// visible. A text that a spreadsheet would take for a formula gets an apostrophe in front.
public struct CSVExporter: LoadExporter {
  private static let columns = [
    "id", "feed", "message", "tag", "anonymous", "state", "late", "started", "finished", "duration",
    "open_at_least", "duration_source", "clock_jump", "pid", "host", "app", "inferred", "call_site", "reason",
  ]

  /// Makes an exporter.
  public init() {}

  /// Appends the names of the columns.
  public mutating func begin(into bytes: inout [UInt8]) {
    append(Self.columns, to: &bytes)
  }

  /// Appends a line.
  public mutating func add(_ load: LoadingSession, into bytes: inout [UInt8]) {
    let owner = load.owner.owner
    let isOpen = load.duration == nil && !load.state.isFinished
    append(
      [
        load.id.description, Self.text(load.feed.name), Self.text(load.message), Self.text(load.tag),
        String(load.isAnonymous), load.shownState.rawValue, String(load.isLate), Self.time(load.started.wall),
        Self.time(load.finished), Self.seconds(load.duration), Self.seconds(isOpen ? load.openAtLeast : nil),
        load.duration == nil ? "" : load.isWallDuration ? "wall" : "boot",
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

  /// A text that can be opened in a spreadsheet without being obeyed.
  private static func text(_ text: String?) -> String {
    guard let text, let first = text.utf8.first else { return "" }
    let starts = "=+-@\t\r".utf8
    return (starts.contains(first) ? "'" : "") + VisibleText.line(text)
  }

  private static func time(_ wall: Int64?) -> String {
    guard let wall else { return "" }
    var bytes: [UInt8] = []
    UTCTime.append(wall, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Exact decimal seconds.
  private static func seconds(_ nanoseconds: Int64?) -> String {
    guard let nanoseconds else { return "" }
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    var digits = String(rest)
    digits = String(repeating: "0", count: 9 - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return (nanoseconds < 0 ? "-" : "") + String(whole) + (digits.isEmpty ? "" : "." + digits)
  }
}
