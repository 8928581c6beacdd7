import LoadLogCore

/// Age of a feed's last update, in usual gaps between its bursts of successes.
///
/// It states an age and no judgement: whether a feed is in trouble is said by ``FeedRow`` alone, on every surface.
struct Freshness {
  /// Class of a feed by age, youngest first.
  enum Class: Int, CaseIterable {
    case recent, older, oldest, irregular, never, unreported

    /// Name of the class.
    var words: String {
      switch self {
      case .recent: "up to 1 usual gap"
      case .older: "1 to 3 usual gaps"
      case .oldest: "over 3 usual gaps"
      case .irregular: "no usual gap known"
      case .never: "never updated"
      case .unreported: "no result reported"
      }
    }

    /// Explanation of the name, if it needs one.
    var meaning: String? {
      switch self {
      case .recent, .older, .oldest: nil
      case .irregular: "fewer than 3 bursts of successes are known"
      case .never: "no load succeeded"
      case .unreported: "only pushed and popped"
      }
    }

    /// Name of the class in the style sheet.
    var style: String {
      switch self {
      case .recent, .older, .oldest: "active"
      case .irregular, .never, .unreported: "none"
      }
    }
  }

  let kind: Class
  let habit: UpdateHabit?
  /// Age in usual gaps; nil if the feed has no usual gap.
  let gaps: Double?

  init(_ row: FeedRow, habit: UpdateHabit?, now: Int64) {
    self.habit = habit
    guard row.status.dates.lastUpdated != nil else {
      (kind, gaps) = (row.hasNoToldVerdict ? .unreported : .never, nil)
      return
    }
    guard let habit else {
      (kind, gaps) = (.irregular, nil)
      return
    }
    let age = Double(max(now.subtractingClamping(habit.last), 0)) * 1000
    let gaps = age / Double(max(habit.gap, 1))
    self.gaps = gaps
    kind = gaps > 3 ? .oldest : gaps > 1 ? .older : .recent
  }

  /// Caption of the bar: "every 20 m", or "2.3 gaps of 20 m" after more than one; nil if the feed has no usual gap.
  var words: String? {
    guard let habit, let gaps else { return nil }
    let gap = DurationText.measured(habit.gap)
    let count = DrawnPath.number(min(gaps, 1e6))
    return kind == .recent ? "every \(gap)" : "\(count) \(count == "1" ? "gap" : "gaps") of \(gap)"
  }

  /// Path of a bar whose length is the age, on a strip that is four usual gaps long.
  var bar: String? {
    gaps.map { gaps in
      var path = DrawnPath()
      path.box(0, 1, max(1, min(gaps, 4) * Self.gap), 7)
      return path.data
    }
  }

  /// Length of one usual gap on the strip.
  private static let gap = 24.0
}
