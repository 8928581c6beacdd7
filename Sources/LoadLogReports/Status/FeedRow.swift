import LoadLogCore

/// A row of `status`: a feed's condition, and how long its oldest load has been running.
///
/// A class, because rows are large, and thousands of them are sorted and chosen from.
final class FeedRow: Sendable {
  /// The condition of a feed, worst first.
  enum Condition: Comparable {
    case problem(FeedProblem)
    case slower, paused, running, unknown, fine, noResult

    /// Whether the condition needs attention.
    var isTrouble: Bool { self < .slower }
  }

  let status: FeedStatus
  let condition: Condition
  private let now: Int64

  init(_ status: FeedStatus, summary: StatusSummary) {
    self.status = status
    now = summary.generated
    condition = Self.condition(of: status)
  }

  static func condition(of status: FeedStatus) -> Condition {
    let (numbers, dates) = (status.numbers, status.dates)
    if status.isPaused { return .paused }
    if let worst = status.problems.first { return .problem(worst) }
    if status.trend?.isSlower == true { return .slower }
    if numbers.running > 0 { return .running }
    if numbers.unknown > 0 { return .unknown }
    // A failure that the expectation allows is a result, too.
    return dates.lastUpdated != nil || dates.lastVerdict != nil || status.hasEnded ? .fine : .noResult
  }

  /// Whether no load of the feed ever had a verdict, because the feed is only pushed and popped.
  var hasNoToldVerdict: Bool {
    let dates = status.dates
    guard dates.lastUpdated == nil, dates.lastFailed == nil, !status.hasCancelled else { return false }
    return status.hasEnded || dates.lastAttempted == nil && status.expectation == nil
  }

  /// "running 3 h 12 m", "2 running", "unknown", "paused", "last crashed", "last failed", "late" or "idle".
  var activity: String {
    let numbers = status.numbers
    if numbers.running > 1 { return "\(Words.count(numbers.running)) running" }
    if numbers.running == 1 { return ["running", elapsed].compactMap(\.self).joined(separator: " ") }
    if numbers.unknown > 0 { return "unknown" }
    if status.isPaused { return "paused" }
    // Loads that were cancelled, or only pushed and popped, may have come after it: they do not end the failure.
    if let lost = status.lostLoad { return "last \(lost.state.rawValue)" }
    if status.dates.lastVerdict == .failed { return "last failed" }
    return status.problems.contains(.late) ? "late" : "idle"
  }

  /// The meaning of the row's mark, in one word.
  var word: String {
    switch condition {
    case .problem(let problem): problem.rawValue
    case .slower: "slower"
    case .paused: "paused"
    case .running: "running"
    case .unknown: "unknown"
    case .fine: "fine"
    case .noResult: "no result"
    }
  }

  private var elapsed: String? {
    if let load = status.oldestRunning { return DurationText.elapsed(load.openAtLeast) }
    return status.numbers.runningSince.map { since in
      DurationText.elapsed((now - since).multipliedClamping(by: 1000))
    }
  }

  func mark(_ glyphs: Glyphs) -> Table.Cell {
    switch condition {
    case .problem(.failing): Table.Cell(glyphs.bad, .bad)
    case .problem: Table.Cell(glyphs.alarm, .alarm)
    case .slower:
      status.numbers.running > 0 ? Table.Cell(glyphs.running, .active) : Table.Cell(glyphs.good, .good)
    case .paused: Table.Cell(glyphs.same, .quiet)
    case .running: Table.Cell(glyphs.running, .active)
    case .unknown: Table.Cell(ShownState.unknown.glyph(glyphs))
    case .fine: Table.Cell(glyphs.good, .good)
    case .noResult: Table.Cell(glyphs.none, .quiet)
    }
  }
}
