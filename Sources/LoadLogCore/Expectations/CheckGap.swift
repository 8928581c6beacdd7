/// A time without checks, because the machine slept or booted, or no notifier ran. Lateness that arose in it is
/// not news at once: what was missed may run first. Times are wall times in microseconds since 1970.
package struct CheckGap: Sendable, Hashable {
  /// When the last check before the gap was.
  package let from: Int64
  /// When checking began again.
  package let until: Int64

  /// How long after a gap its lateness waits.
  package static let patience: Int64 = 120_000_000

  /// Creates a gap from its parts.
  package init(from: Int64, until: Int64) {
    self.from = from
    self.until = until
  }

  /// Finds a gap before a check; nil if there is none.
  ///
  /// - Parameters:
  ///   - last: when the last check was.
  ///   - now: when this check is.
  ///   - interval: how often checks are, in nanoseconds; nil if another program decides, such as cron.
  package init?(since last: Int64, at now: Int64, interval: Int64?) {
    let usual = interval.map { max(3 * ($0 / 1000), 60_000_000) } ?? 7_200_000_000
    guard now.subtractingClamping(last) > usual else { return nil }
    self.init(from: last, until: now)
  }

  /// Whether a problem that began at a time must wait, because it arose in the gap. A gap that ends later than now was
  /// found by a clock that was ahead.
  package func defers(_ since: Int64, at now: Int64) -> Bool {
    contains(since) && now >= until && now < until.addingClamping(Self.patience)
  }

  /// Whether a time lies in the gap, or in the time for which its lateness waits. What a check has not found yet can be
  /// dated with its time, which is when the gap begins.
  package func contains(_ wall: Int64) -> Bool {
    wall >= from && wall <= until.addingClamping(Self.patience)
  }
}

/// A check of feeds before another one, whose flips were written. Times are wall times in microseconds since 1970.
package struct EarlierCheck: Sendable, Hashable {
  /// When it was.
  package let at: Int64
  /// The last gap before it, if there was one and another process made it, which does not say what it found.
  private let gap: CheckGap?
  /// When feeds had last succeeded, as it found them; nil if another process made it.
  private let updated: [Feed: Int64]?
  /// The earliest time from which a feed can be late: when the lateness began that had to wait, or the outage that hid it.
  private var found: [Feed: Int64]

  /// Creates a check of another process.
  ///
  /// - Parameters:
  ///   - at: when it was.
  ///   - gap: the last gap before it, if there was one.
  package init(at: Int64, gap: CheckGap?) {
    self.at = at
    self.gap = gap
    (updated, found) = (nil, [:])
  }

  /// Creates a check of this process.
  ///
  /// - Parameters:
  ///   - at: when it was.
  ///   - waiting: when feeds became late that it found, but whose lateness had to wait.
  ///   - updated: when feeds had last succeeded, as it found them.
  package init(at: Int64, waiting: [Feed: Int64], updated: [Feed: Int64]) {
    self.at = at
    gap = nil
    self.updated = updated
    found = waiting
  }

  /// The check, with the starts of the outages that hid lateness from it.
  package func with(outages: [Feed: Int64]) -> EarlierCheck {
    var check = self
    check.found.merge(outages) { $1 }
    return check
  }

  /// Whether it knew the last success of a feed. A success has the time at which it was reported, and may be committed
  /// seconds later, so a check in between did not know it.
  package func knew(_ success: Int64, of feed: Feed) -> Bool {
    updated.map { $0[feed] == success } ?? (success <= at)
  }

  /// When a feed became late that the next check found, and that was to be late from a wall time on: not before this
  /// check, unless this check found it, too, and it had to wait, or was hidden by a worse problem. Then it is not before
  /// the outage began, because the check before that found no problem.
  func lateness(of feed: Feed, since wall: Int64) -> Int64 {
    if let start = found[feed] { return max(wall, start) }
    return gap?.defers(wall, at: at) == true ? wall : max(wall, at)
  }
}
