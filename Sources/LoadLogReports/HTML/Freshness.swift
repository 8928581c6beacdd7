import LoadLogCore

/// How the age of a feed's last update compares with its habit.
struct Freshness {
  /// What there is to say of a feed, the best first.
  enum Class: Int, CaseIterable, Comparable {
    case onTime, due, late, irregular, never, untold

    static func < (lhs: Class, rhs: Class) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The class in words.
    var words: String {
      switch self {
      case .onTime: "on time"
      case .due: "due"
      case .late: "late"
      case .irregular: "no habit yet"
      case .never: "never updated"
      case .untold: "no result told"
      }
    }

    /// What the words mean.
    var meaning: String {
      switch self {
      case .onTime: "updated within the usual gap"
      case .due: "up to 3 usual gaps old"
      case .late: "more than 3 usual gaps old"
      case .irregular: "fewer than 3 successes"
      case .never: "no success at all"
      case .untold: "only pushed and popped"
      }
    }

    /// The sign in front of the words.
    func glyph(_ glyphs: Glyphs) -> String {
      switch self {
      case .onTime: glyphs.good
      case .due: glyphs.running
      case .late: glyphs.alarm
      case .irregular: glyphs.same
      case .never: glyphs.bad
      case .untold: glyphs.none
      }
    }

    /// Its class in the style sheet.
    var style: String {
      switch self {
      case .onTime: "good"
      case .due: "active"
      case .late: "alarm"
      case .never: "bad"
      case .irregular, .untold: "none"
      }
    }
  }

  let kind: Class
  let habit: UpdateHabit?
  /// The age in usual gaps; nil without a habit.
  let gaps: Double?

  init(_ row: FeedRow, habit: UpdateHabit?, now: Int64) {
    self.habit = habit
    guard row.status.dates.lastUpdated != nil else {
      (kind, gaps) = (row.hasNoToldVerdict ? .untold : .never, nil)
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

  /// "late, every 20 m"; nil without a habit.
  var words: String? {
    habit.map { habit in
      let rhythm = "every \(DurationText.measured(habit.gap))"
      return kind == .onTime ? rhythm : "\(kind.words), \(rhythm)"
    }
  }

  /// A bar as long as the age, of a strip that has room for four usual gaps.
  var bar: String? {
    gaps.map { gaps in
      var path = DrawnPath()
      path.box(0, 1, max(1, min(gaps, 4) * Self.gap), 7)
      return path.data
    }
  }

  /// The length of one usual gap on the strip.
  private static let gap = 24.0
}
