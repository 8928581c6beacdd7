/// Selects loads by feed, time, state, text and duration.
public struct LoadFilter: Sendable, Hashable {
  /// Patterns, one of which must match the feed; empty to match all feeds. For a ``Feed``,
  /// ``FeedPattern/init(exactly:)``.
  public var feeds: [FeedPattern]
  /// The start of the window, in microseconds since 1970; nil for no limit.
  public var since: Int64?
  /// The end of the window, which is not included, in microseconds since 1970; nil for no limit.
  public var until: Int64?
  /// The states to match; empty to match all.
  public var states: Set<ShownState>
  /// The tag to match in `history`; nil to match all loads.
  public var tag: String?
  /// A text that the message or the reason contains, in `history`; upper and lower case are the same. Nil to
  /// match all loads.
  public var text: String?
  /// The minimum duration in `history`, in nanoseconds; for an unfinished load, of the time that it was open.
  /// Loads of unknown duration do not match. Nil to match all loads.
  public var minimumDuration: Int64?
  /// The maximum number of loads: the newest ones, or the oldest if ``oldestFirst`` is true; nil for no
  /// limit.
  public var limit: Int?
  /// Whether `history` returns the oldest loads first.
  public var oldestFirst = false
  /// Whether the answer of `history` says how many loads match. Without it, the search ends with the last load that it
  /// returns, and ``LoadPage/total`` is the number of those.
  package var wantsTotal = true

  /// Creates a filter of whole numbers; by default it matches everything.
  @_disfavoredOverload
  public init(
    feeds: [FeedPattern] = [], since: Int64? = nil, until: Int64? = nil, states: Set<ShownState> = [],
    tag: String? = nil, text: String? = nil, minimumDuration: Int64? = nil, limit: Int? = nil
  ) {
    self.feeds = feeds
    self.since = since
    self.until = until
    self.states = states
    self.tag = tag
    self.text = text
    self.minimumDuration = minimumDuration
    self.limit = limit
  }

  /// Whether one of the filter's patterns matches a feed.
  public func admits(_ feed: Feed) -> Bool {
    feeds.isEmpty || feeds.contains { $0.matches(feed) }
  }

  /// The names of the feeds that the filter selects; nil if it has a pattern, or selects all.
  package var exactNames: [String]? {
    feeds.isEmpty || feeds.contains(where: \.isGlob) ? nil : feeds.map(\.text)
  }

  /// Whether the window contains a wall time in microseconds since 1970.
  public func contains(_ wall: Int64) -> Bool {
    wall >= since ?? .min && wall < until ?? .max
  }

  /// Whether an interval of wall times, in microseconds since 1970, overlaps the window. An empty interval
  /// counts as its instant.
  public func overlaps(from start: Int64, to end: Int64) -> Bool {
    start < until ?? .max && (end > since ?? .min || start >= since ?? .min)
  }
}

/// A feed name or a pattern. `*` matches any number of characters, including `/`; `?` matches one character.
public struct FeedPattern: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text of the pattern, NFC-normalized as the names of feeds are.
  public let text: String

  /// Whether the pattern contains `*` or `?` and can match several feeds.
  public let isGlob: Bool

  /// Creates a pattern.
  public init(_ text: String) {
    self.text = Feed(text).name
    isGlob = text.contains("*") || text.contains("?")
  }

  /// Creates a pattern that matches only one feed, even if its name contains `*` or `?`.
  public init(exactly feed: Feed) {
    text = feed.name
    isGlob = false
  }

  /// Creates a pattern from a string literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Whether the pattern matches a feed. A feed's own name always matches.
  public func matches(_ feed: Feed) -> Bool {
    if text == feed.name { return true }
    return isGlob && Self.glob(Array(text.unicodeScalars), Array(feed.name.unicodeScalars))
  }

  /// Backtracks only to the last star, so hostile patterns need at most `pattern × name` steps instead of
  /// exponentially many.
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
