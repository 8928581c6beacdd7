/// What a notifier has delivered, and what it has to deliver next. It knows no store, command or clock: a caller passes
/// flips and times in, and performs what comes out. Times are wall times in microseconds since 1970.
package struct NotifierState: Sendable, Hashable {
  /// The state of a feed that was delivered last.
  package struct Delivered: Sendable, Hashable {
    package let state: FeedState
    package let at: Int64

    package init(_ state: FeedState, at: Int64) {
      self.state = state
      self.at = at
    }
  }

  /// The minimum time between two deliveries about one feed.
  package static let pause: Int64 = 300_000_000
  /// The times after which failed deliveries are tried again; the last one repeats.
  private static let retries: [Int64] = [60_000_000, 300_000_000, 1_500_000_000, 3_600_000_000]

  /// What was delivered of each feed.
  package private(set) var delivered: [Feed: Delivered]
  /// The number of failed deliveries in a row.
  package private(set) var attempts: Int
  /// When the next delivery may be tried; nil for at once.
  package private(set) var nextAttempt: Int64?

  /// Creates the state of a notifier.
  package init(delivered: [Feed: Delivered] = [:], attempts: Int = 0, nextAttempt: Int64? = nil) {
    self.delivered = delivered
    self.attempts = attempts
    self.nextAttempt = nextAttempt
  }

  /// Returns what to deliver now, one flip for each feed: from the state that was delivered last to the newest one.
  ///
  /// - Parameters:
  ///   - newest: the newest flip of each feed.
  ///   - now: the time.
  package func batch(of newest: [FeedFlip], at now: Int64) -> [FeedFlip] {
    guard nextAttempt.map({ !Self.isAhead($0, of: now, by: Self.retries.last ?? 0) }) ?? true else {
      return []
    }
    return changes(in: newest).filter { flip in
      guard let before = delivered[flip.feed], before.state != .paused else { return true }
      return !Self.isAhead(before.at.addingClamping(Self.pause), of: now, by: Self.pause)
    }
  }

  /// The flips that are news, from the state that was delivered last to the newest one. A pause itself is not news.
  private func changes(in newest: [FeedFlip]) -> [FeedFlip] {
    newest.compactMap { flip in
      let before = delivered[flip.feed]?.state ?? .fine
      guard flip.to != .paused, flip.to != before else { return nil }
      var net = flip
      net.from = before
      // No outage that was delivered ends with this.
      if !before.isOutage { (net.down, net.missed) = (nil, nil) }
      return net
    }
  }

  /// Whether there is something to deliver, now or later.
  package func waits(_ newest: [FeedFlip]) -> Bool { !changes(in: newest).isEmpty }

  /// Whether a time is still to come. One that is further away than it can have been set was set by a clock that was
  /// ahead.
  private static func isAhead(_ time: Int64, of now: Int64, by most: Int64) -> Bool {
    time > now && time.subtractingClamping(now) <= most
  }

  /// Forgets failed deliveries if nothing is left to deliver.
  package mutating func settle(_ newest: [FeedFlip]) {
    if !waits(newest) { (attempts, nextAttempt) = (0, nil) }
  }

  /// Notes the pauses among flips, which need no delivery: after them the state of then is delivered, whatever was
  /// delivered before.
  package mutating func succeedPauses(_ newest: [FeedFlip], at now: Int64) {
    for flip in newest where flip.to == .paused && delivered[flip.feed]?.state != .paused {
      delivered[flip.feed] = Delivered(.paused, at: now)
    }
  }

  /// Notes that flips were delivered.
  package mutating func succeed(_ flips: [FeedFlip], at now: Int64) {
    for flip in flips { delivered[flip.feed] = Delivered(flip.to, at: now) }
    (attempts, nextAttempt) = (0, nil)
  }

  /// Notes that a delivery failed.
  package mutating func fail(at now: Int64) {
    nextAttempt = now.addingClamping(Self.retries[min(attempts, Self.retries.count - 1)])
    attempts += 1
  }
}

/// What a store knows of a notifier.
package struct NotifierRecord: Sendable, Hashable {
  /// When it checked last, in microseconds since 1970.
  package var lastCheck: Int64
  /// What it has delivered.
  package var state = NotifierState()
  /// The last time in which it did not check.
  package var gap: CheckGap?

  /// Creates the record of a notifier that checks for the first time.
  package init(lastCheck: Int64) { self.lastCheck = lastCheck }
}
