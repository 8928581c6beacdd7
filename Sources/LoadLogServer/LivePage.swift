import LoadLog
import LoadLogCore
import LoadLogReports
import Synchronization

/// The report as a page that a script keeps up to date.
final class LivePage: Sendable {
  private struct State {
    var reader: SQLiteLoadReader?
    var file: FileID?
    var version: Int64 = -1
    var bytes: [UInt8] = []
    /// When the page was made, on the boot clock in nanoseconds.
    var made: Int64 = 0
  }

  private let path: String
  private let state = Mutex(State())

  /// How long a page is given out if nothing happens, in nanoseconds: then its ages are old.
  private static let patience: Int64 = 10_000_000_000
  /// How long the store may take for one question.
  private static let deadline = Duration.seconds(2)

  init(_ path: String) { self.path = path }

  /// The page as the record is now.
  ///
  /// - Throws: what reading the store throws.
  func answer() throws(LoadLogError) -> ServerResponse {
    let bytes = try state.withLock { state throws(LoadLogError) in
      _ = try refresh(&state, after: Self.patience)
      return state.bytes
    }
    return ServerResponse(200, "text/html; charset=utf-8", bytes)
  }

  /// Renders the page again if the record has changed.
  ///
  /// - Returns: whether it has.
  func refresh() throws(LoadLogError) -> Bool {
    try state.withLock { state throws(LoadLogError) in try refresh(&state, after: .max) }
  }

  private func refresh(_ state: inout State, after patience: Int64) throws(LoadLogError) -> Bool {
    let now = BootClock().now().boot
    // The file may have been replaced.
    let file = FileID(path: path)
    if state.reader == nil || file != state.file {
      state = State(reader: try SQLiteLoadReader(at: path, deadline: Self.deadline), file: file)
    }
    guard let reader = state.reader else { return false }
    let version = try reader.dataVersion()
    guard version != state.version || now - state.made >= patience else { return false }
    let contents = try ReportContents(reading: reader, LoadFilter(), store: path)
    state.bytes = Array(HTMLReport(contents).liveHTML().utf8)
    (state.version, state.made) = (version, now)
    return true
  }

  /// The files that the page needs.
  static func file(_ name: String) -> ServerResponse? {
    HTMLReport.liveFiles[name].map { text in
      ServerResponse(
        200, "text/\(name.hasSuffix(".css") ? "css" : "javascript"); charset=utf-8", Array(text.utf8))
    }
  }
}
