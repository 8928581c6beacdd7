import LoadLogCore

/// Writer of CSV (RFC 4180): a header, then one line per load.
///
/// The columns have the names of the members in `history --json`, except `open_at_least`, which is that of `show --json`;
/// the owner's are `pid`, `host`, `app` and `inferred`, and `run` is left out. Times are in UTC with milliseconds, as in JSON and in the views, durations in seconds; unknown values are empty. Control
/// and bidirectional characters are made visible. A text that a spreadsheet would evaluate as a formula gets
/// a leading apostrophe.
struct CSVExporter: LoadExporter {
  private static let columns = [
    "id", "feed", "message", "tag", "anonymous", "state", "finished_after_verdict", "started", "finished",
    "duration",
    "open_at_least", "duration_source", "clock_jump", "pid", "host", "app", "inferred", "call_site", "reason",
  ]

  mutating func begin(into bytes: inout [UInt8]) {
    CSVLine.append(Self.columns, to: &bytes)
  }

  mutating func add(_ load: LoadingSession, into bytes: inout [UInt8]) {
    let owner = load.owner.owner
    let isOpen = load.duration == nil && !load.state.isFinished
    CSVLine.append(
      [
        load.id.description, CSVLine.text(load.feed.name), CSVLine.text(load.message), CSVLine.text(load.tag),
        String(load.isAnonymous), load.shownState.rawValue, String(load.isFinishedAfterVerdict),
        UTCTime.text(load.started.wall),
        load.finished.map(UTCTime.text) ?? "", CSVLine.seconds(load.duration),
        CSVLine.seconds(isOpen ? load.openAtLeast : nil),
        load.durationSource?.rawValue ?? "",
        CSVLine.seconds(load.clockJump.map { $0.multipliedClamping(by: 1000) }),
        owner.process.pid == 0 ? "" : String(owner.process.pid), CSVLine.text(owner.host),
        CSVLine.text(owner.app),
        String(owner.kind == .inferred), CSVLine.text(load.callSite), CSVLine.text(load.reason),
      ], to: &bytes)
  }
}
