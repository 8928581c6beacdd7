import LoadLogCore

/// A row of `status`: a feed's condition, and how long its oldest load has been running.
struct FeedRow {
  /// The condition of a feed, worst first.
  enum Condition: Int, Comparable {
    case overrunning, failing, unbalanced, running, unknown, fine, noResult

    static func < (lhs: Condition, rhs: Condition) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  let status: FeedStatus
  let condition: Condition
  /// Whether the condition needs attention.
  var isInTrouble: Bool { condition < .running }
  private let now: Int64

  init(_ status: FeedStatus, summary: StatusSummary) {
    self.status = status
    now = summary.generated
    condition = Self.condition(of: status)
  }

  private static func condition(of status: FeedStatus) -> Condition {
    let (numbers, dates) = (status.numbers, status.dates)
    if numbers.overrunning ?? 0 > 0 { return .overrunning }
    // The newest load never finished: the verdict of an earlier one no longer says how the feed is.
    if dates.lastVerdict == .failed, status.lostLoad == nil { return .failing }
    if numbers.unbalanced.unacknowledged > 0 || status.lostLoad != nil { return .unbalanced }
    if numbers.running > 0 { return .running }
    if numbers.unknown > 0 { return .unknown }
    return dates.lastUpdated != nil || numbers.ended > 0 ? .fine : .noResult
  }

  /// Whether no load of the feed ever had a verdict, because the feed is only pushed and popped.
  var hasNoToldVerdict: Bool {
    let (dates, numbers) = (status.dates, status.numbers)
    guard dates.lastUpdated == nil, dates.lastFailed == nil, numbers.cancelled == 0 else { return false }
    return numbers.ended > 0 || dates.lastAttempted == nil
  }

  /// "running 3 h 12 m", "2 running", "unknown", "last crashed", "last failed" or "idle".
  var activity: String {
    let numbers = status.numbers
    if numbers.running > 1 { return "\(Words.count(numbers.running)) running" }
    if numbers.running == 1 { return ["running", elapsed].compactMap(\.self).joined(separator: " ") }
    if numbers.unknown > 0 { return "unknown" }
    if let lost = status.lostLoad { return "last \(lost.state.rawValue)" }
    return status.dates.lastVerdict == .failed ? "last failed" : "idle"
  }

  /// The meaning of the row's mark, in one word.
  var word: String {
    switch condition {
    case .overrunning: "overrunning"
    case .failing: "failing"
    case .unbalanced: "unbalanced"
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
    case .overrunning, .unbalanced: Table.Cell(glyphs.alarm, .alarm)
    case .failing: Table.Cell(glyphs.bad, .bad)
    case .running: Table.Cell(glyphs.running, .active)
    case .unknown: Table.Cell(ShownState.unknown.glyph(glyphs))
    case .fine: Table.Cell(glyphs.good, .good)
    case .noResult: Table.Cell(glyphs.none, .quiet)
    }
  }
}
