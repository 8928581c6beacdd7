import LoadLog
import LoadLogPresentation
import LoadLogText

/// The line that `run` draws on a terminal while its command is running.
struct RunIndicator {
  let feed: Feed
  let message: String?
  /// The median duration of the feed's loads, in nanoseconds.
  var usual: Double?
  let glyphs: Glyphs

  /// The line while the load is running.
  func frame(_ number: Int, elapsed: Int64, width: Int) -> String {
    TerminalFrames(width: width, glyphs: glyphs).line(
      feed, message: message, elapsed: elapsed, median: usual, tick: number)
  }

  /// The line that stays: "backup/db succeeded in 4 m 08 s, usual 4 m 10 s".
  func lastLine(_ verdict: Verdict, took: Int64) -> String {
    let reason = verdict.reason.map { " (\(VisibleText.line($0)))" } ?? ""
    let usual = usual.map { ", usual \(DurationText.measured($0))" } ?? ""
    let took = DurationText.measured(took)
    return "\(VisibleText.line(feed.name)) \(verdict.state.rawValue) in \(took)\(usual)\(reason)"
  }
}
