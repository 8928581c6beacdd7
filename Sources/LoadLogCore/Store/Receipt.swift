/// The result of committing an event.
public struct Receipt: Sendable, Hashable {
  /// The possible results.
  public enum Outcome: Sendable, Hashable {
    /// The event was recorded.
    case recorded
    /// The record already contains a start with this id; nothing changed.
    case known
    /// An earlier attempt had already committed the event.
    case repeated
    /// The load got its verdict; `afterVerdict` if it had been recorded as unfinished.
    case finished(SessionState, afterVerdict: Bool)
    /// The finish or pop matched no open load and was recorded as an imbalance.
    case unmatched(UnmatchedKind)
    /// The pop at 0 followed a reset of its push. It is not unbalanced.
    case popAfterReset
    /// The start was refused and only counted: another load of the feed, which must not be overlapped, is running.
    case overlapping(SessionID)
    /// The event had no effect.
    case nothing
  }

  /// The result.
  public var outcome: Outcome
  /// The feed of the event, if the store knows it.
  public var feed: Feed?
  /// For push and pop of a command-line owner: the feed's count after the event. For reset, close and
  /// acknowledge: the number of changed loads or imbalances.
  public var count: Int?
  /// The duration of the finished load in nanoseconds.
  public var duration: Int64?

  /// Creates a receipt from its parts.
  public init(_ outcome: Outcome, feed: Feed? = nil, count: Int? = nil, duration: Int64? = nil) {
    self.outcome = outcome
    self.feed = feed
    self.count = count
    self.duration = duration
  }
}
