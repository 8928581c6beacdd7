import LoadLogCore

/// Age of a feed's last update, compared with its usual gap.
struct Freshness {
  /// Class of a feed by freshness, best first.
  enum Class: Int, CaseIterable, Comparable {
    case onTime, due, late, irregular, never, unreported

    static func < (lhs: Class, rhs: Class) -> Bool { lhs.rawValue < rhs.rawValue }

    /// Name of the class.
    var words: String {
      switch self {
      case .onTime: "on time"
      case .due: "due"
      case .late: "late"
      case .irregular: "no usual gap yet"
      case .never: "never updated"
      case .unreported: "no result reported"
      }
    }

    /// Explanation of the name.
    var meaning: String {
      switch self {
      case .onTime: "updated within the usual gap"
      case .due: "up to 3 usual gaps old"
      case .late: "more than 3 usual gaps old"
      case .irregular: "fewer than 3 successes"
      case .never: "no load succeeded"
      case .unreported: "only pushed and popped"
      }
    }

    /// Symbol in front of the name.
    func glyph(_ glyphs: Glyphs) -> String {
      switch self {
      case .onTime: glyphs.good
      case .due: glyphs.running
      case .late: glyphs.alarm
      case .irregular: glyphs.same
      case .never: glyphs.bad
      case .unreported: glyphs.none
      }
    }

    /// Name of the class in the style sheet.
    var style: String {
      switch self {
      case .onTime: "good"
      case .due: "active"
      case .late: "alarm"
      case .never: "bad"
      case .irregular, .unreported: "none"
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
    let age = Double(max(Age(of: habit.last, at: now).microseconds, 0)) * 1000
    let gaps = age / Double(max(habit.gap, 1))
    self.gaps = gaps
    kind = habit.isLate(at: now) ? .late : gaps > 1 ? .due : .onTime
  }

  /// Caption of the bar: "late, every 20 m"; nil if the feed has no usual gap.
  var words: String? {
    habit.map { habit in
      let rhythm = "every \(DurationText.measured(habit.gap))"
      return kind == .onTime ? rhythm : "\(kind.words), \(rhythm)"
    }
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
