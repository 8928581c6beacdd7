/// An expectation as a store keeps it: which feeds it applies to, since when, and whether it is paused.
public struct FeedExpectation: Sendable, Hashable {
  /// A time in which nothing is expected.
  public struct Pause: Sendable, Hashable {
    /// When the pause began, in microseconds since 1970.
    public var from: Int64
    /// When the pause ends by itself, in microseconds since 1970; nil if it lasts until it is ended.
    public var until: Int64?

    /// Creates a pause.
    public init(from: Int64, until: Int64? = nil) {
      self.from = from
      self.until = until
    }

    /// Whether the pause lasts at a wall time in microseconds since 1970.
    public func isInForce(at wall: Int64) -> Bool { wall < until ?? .max }
  }

  /// The feed, or the pattern of the feeds, that the expectation applies to.
  public let pattern: FeedPattern
  /// What is expected.
  public var expectation: Expectation
  /// When the schedule was set, in microseconds since 1970.
  public var since: Int64
  /// The pause; nil if there is none.
  public var pause: Pause?
  /// Why the schedule cannot be used on this machine; nil if it can, or if there is none. The feed counts as late then.
  public internal(set) var fault: String?

  /// Creates an expectation from its parts.
  public init(pattern: FeedPattern, expectation: Expectation, since: Int64, pause: Pause? = nil) {
    self.pattern = pattern
    self.expectation = expectation
    self.since = since
    self.pause = pause
  }

  /// Whether nothing is expected at a wall time in microseconds since 1970.
  public func isPaused(at wall: Int64) -> Bool { pause?.isInForce(at: wall) ?? false }

  /// The expectation after its owner set another one. What the other leaves out stays; a new schedule counts from its
  /// own time.
  ///
  /// - Parameter wall: when the other was set, in microseconds since 1970.
  func merging(_ other: Expectation, at wall: Int64) -> FeedExpectation {
    var merged = self
    if let schedule = other.schedule, schedule != expectation.schedule {
      merged.expectation.schedule = schedule
      merged.since = wall
      merged.fault = nil
    }
    merged.expectation.grace = other.grace ?? expectation.grace
    merged.expectation.maxRunning = other.maxRunning ?? expectation.maxRunning
    merged.expectation.maxFailures = other.maxFailures ?? expectation.maxFailures
    // False is the default, which a store does not keep.
    merged.expectation.anywhere = (other.anywhere ?? expectation.anywhere) == true ? true : nil
    merged.expectation.note = other.note ?? expectation.note
    return merged
  }
}

extension LoadEvent.Kind {
  /// Returns what an event makes of the expectation of its pattern: nil if none is left.
  ///
  /// - Parameters:
  ///   - current: the expectation of the event's pattern before the event.
  ///   - wall: when the event happened, in microseconds since 1970.
  public func expectation(changing current: FeedExpectation?, at wall: Int64) -> FeedExpectation? {
    var changed = current
    switch self {
    case .expect(let expectation, let pattern):
      let known = current ?? FeedExpectation(pattern: pattern, expectation: Expectation(), since: wall)
      return known.merging(expectation, at: wall)
    case .pauseExpectation(_, let duration):
      changed?.pause = .init(from: wall, until: duration.map { wall.addingClamping($0 / 1000) })
    case .resumeExpectation: changed?.pause = nil
    case .clearExpectation: return nil
    default: break
    }
    return changed
  }
}

extension FeedPattern {
  /// Creates the pattern by whose text a store finds an expectation.
  package init(_ text: String, isGlob: Bool) {
    self = isGlob ? FeedPattern(text) : FeedPattern(exactly: Feed(text))
  }

  /// The number of Unicode scalars before the first `*` or `?`.
  var literalLength: Int { text.unicodeScalars.prefix { $0 != "*" && $0 != "?" }.count }
}

/// All expectations of a store.
package struct ExpectationBook: Sendable {
  private var exact: [String: FeedExpectation] = [:]
  /// The patterns, the one with the longest literal beginning first.
  private let globs: [FeedExpectation]

  /// Creates a book of a store's expectations.
  package init(_ expectations: [FeedExpectation]) {
    for expectation in expectations where !expectation.pattern.isGlob {
      exact[expectation.pattern.text] = expectation
    }
    globs = expectations.filter(\.pattern.isGlob).sorted { one, other in
      let (length, otherLength) = (one.pattern.literalLength, other.pattern.literalLength)
      return length == otherLength ? one.pattern.text < other.pattern.text : length > otherLength
    }
  }

  /// The expectation of a feed, as a whole: the one for its name, else that of the pattern with the longest literal
  /// beginning. A pattern applies only to feeds that have loads.
  package func expectation(of feed: Feed, _ dates: FeedDates) -> FeedExpectation? {
    if let own = exact[feed.name] { return own }
    return dates.lastAttempted == nil ? nil : globs.first { $0.pattern.matches(feed) }
  }

  /// The feeds that are expected by name.
  package var feeds: [Feed] { exact.values.map { Feed($0.pattern.text) } }
}
