/// A change of one feed in one controller; what an indicator binds to.
public struct LoadingChange: Sendable, Hashable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// The listener was added: its first change, with what is already open.
    case listening
    /// A load with a token or a client-made id started.
    case started(SessionID)
    /// A load finished, or its token was dropped.
    case finished(SessionID)
    /// The count went up.
    case pushed
    /// The count went down.
    case popped
    /// A pop while the count was 0.
    case extraPop
    /// The count went to 0.
    case reset
    /// The message of a running load changed.
    case updated(SessionID)
  }

  /// Maximum number of changes that ``LoadingController/changes(of:)`` keeps for a reader that falls behind.
  public static let mostUnread = 1024

  /// The feed.
  public let feed: Feed
  /// What happened.
  public let kind: Kind
  /// The count afterwards.
  public let count: Int
  /// The depth afterwards: open loads with and without token.
  public let depth: Int
  /// The message of the load that started, or the new one of a load that was updated; nil after all other changes.
  public let message: String?
}
