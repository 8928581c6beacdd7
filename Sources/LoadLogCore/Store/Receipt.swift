/// What a store did with one event.
public struct Receipt: Sendable, Hashable {
  /// What it did.
  public enum Outcome: Sendable, Hashable {
    /// What the event says.
    case recorded
    /// A start of an id that the record has already: nothing changed.
    case known
    /// An earlier attempt had committed it after all.
    case repeated
    /// The session got its verdict; `late` if it had been taken for unfinished.
    case finished(SessionState, late: Bool)
    /// A finish or pop that answers no open start was kept as a row of its own.
    case unmatched(UnmatchedKind)
    /// A pop at 0 that a reset had made superfluous.
    case popAfterReset
    /// There was nothing to do.
    case nothing
  }

  /// What it did.
  public var outcome: Outcome
  /// The feed it concerns, as far as the store knows it.
  public var feed: Feed?
  /// The count of the feed afterwards, for push and pop of a command-line owner; how many sessions or rows
  /// it changed, for reset, close and acknowledge.
  public var count: Int?
  /// The duration of the finished session in nanoseconds.
  public var duration: Int64?

  /// Makes a receipt of its parts.
  public init(_ outcome: Outcome, feed: Feed? = nil, count: Int? = nil, duration: Int64? = nil) {
    self.outcome = outcome
    self.feed = feed
    self.count = count
    self.duration = duration
  }
}
