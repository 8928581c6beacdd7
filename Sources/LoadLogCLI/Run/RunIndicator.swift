import Foundation
import LoadLog
import LoadLogReports

/// What `run` draws on a terminal while its command runs.
struct RunIndicator {
  let feed: Feed
  let message: String?
  /// Half of the feed's loads take no longer, in nanoseconds.
  var usual: Double?
  let glyphs: Glyphs

  /// One line: a spinner, the feed, its message, the time gone by and, if the feed has a habit, how far along
  /// it should be.
  func frame(_ number: Int, elapsed: Int64, width: Int) -> String {
    let spinner = glyphs == .unicode ? Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") : Array("|/-\\")
    let head = [feed.name, message ?? ""].filter { !$0.isEmpty }.map(VisibleText.line).joined(separator: "  ")
    let tail = [DurationText.elapsed(elapsed), estimate(elapsed)].compactMap(\.self).joined(separator: "  ")
    let room = max(8, width - DisplayWidth.of(tail) - 5)
    let shown = glyphs.fitted(head, to: room)
    return "\(spinner[number % spinner.count]) \(shown)  \(tail)"
  }

  /// The line that stays: "backup/db succeeded in 4 m 08 s, usual 4 m 10 s".
  func lastLine(_ verdict: Verdict, took: Int64) -> String {
    let reason = verdict.reason.map { " (\(VisibleText.line($0)))" } ?? ""
    let usual = usual.map { ", usual \(DurationText.measured($0))" } ?? ""
    let took = DurationText.measured(took)
    return "\(VisibleText.line(feed.name)) \(verdict.state.rawValue) in \(took)\(usual)\(reason)"
  }

  private func estimate(_ elapsed: Int64) -> String? {
    guard let usual, usual > 0 else { return nil }
    let cells = 16
    let filled = min(cells, Int(Double(max(elapsed, 0)) / usual * Double(cells)))
    let (full, empty) = glyphs == .unicode ? ("█", "░") : ("#", "-")
    let bar = String(repeating: full, count: filled) + String(repeating: empty, count: cells - filled)
    return "\(bar)  usually \(DurationText.measured(usual))"
  }
}
