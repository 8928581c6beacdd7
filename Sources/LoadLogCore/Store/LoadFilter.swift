/// Which loads a question is about.
public struct LoadFilter: Sendable, Hashable {
  /// Feed patterns, of which one must fit; empty for all feeds.
  public var feeds: [FeedPattern]
  /// From this wall time on, in microseconds.
  public var since: Int64?
  /// Up to this wall time, in microseconds, itself not included.
  public var until: Int64?
  /// Only loads in one of these states; empty for all.
  public var states: Set<ShownState>
  /// At most so many, the newest, or the oldest if these come first.
  public var limit: Int?
  /// History comes oldest first instead of newest first.
  public var oldestFirst = false

  /// Makes a filter; by default it lets everything through.
  public init(
    feeds: [FeedPattern] = [], since: Int64? = nil, until: Int64? = nil, states: Set<ShownState> = [],
    limit: Int? = nil
  ) {
    self.feeds = feeds
    self.since = since
    self.until = until
    self.states = states
    self.limit = limit
  }

  /// Whether the filter's patterns let a feed through.
  public func admits(_ feed: Feed) -> Bool {
    feeds.isEmpty || feeds.contains { $0.matches(feed) }
  }

  /// Whether a wall time is in the window.
  public func contains(_ wall: Int64) -> Bool {
    wall >= since ?? .min && wall < until ?? .max
  }

  /// Whether an interval of wall time, in microseconds, touches the window. An interval without length
  /// counts as its instant.
  public func overlaps(from start: Int64, to end: Int64) -> Bool {
    start < until ?? .max && (end > since ?? .min || start >= since ?? .min)
  }
}

/// A feed's name, or a pattern: `*` stands for any characters, `/` among them, `?` for one.
public struct FeedPattern: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The pattern as it was given.
  public let text: String

  /// Whether the pattern stands for more than one name.
  public let isGlob: Bool

  /// Makes a pattern of a text.
  public init(_ text: String) {
    self.text = text
    isGlob = text.contains("*") || text.contains("?")
  }

  /// Makes a pattern that fits one feed alone, even if its name has `*` or `?` in it.
  public init(exactly feed: Feed) {
    text = feed.name
    isGlob = false
  }

  /// Makes a pattern of a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Whether the pattern fits a feed. A feed's own name always fits it.
  public func matches(_ feed: Feed) -> Bool {
    if Feed(text).name == feed.name { return true }
    return isGlob && Self.glob(Array(text.unicodeScalars), Array(feed.name.unicodeScalars))
  }

  /// Linear in pattern and name: after a mismatch only the last star is tried again.
  private static func glob(_ pattern: [Unicode.Scalar], _ name: [Unicode.Scalar]) -> Bool {
    var (p, n) = (0, 0)
    var retry: (star: Int, from: Int)?
    while n < name.count {
      if p < pattern.count, pattern[p] == "*" {
        retry = (p, n)
        p += 1
      } else if p < pattern.count, pattern[p] == "?" || pattern[p] == name[n] {
        (p, n) = (p + 1, n + 1)
      } else if let (star, from) = retry {
        retry = (star, from + 1)
        (p, n) = (star + 1, from + 1)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == "*" }
  }
}
