/// Something that one controller's feed went through; what an indicator binds to.
public struct LoadingChange: Sendable, Hashable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// Nothing yet: somebody begins to listen, and learns what is open already.
    case listening
    /// A session with a token or a client-made id started.
    case started(SessionID)
    /// It finished, or its token was dropped.
    case finished(SessionID)
    /// The count went up.
    case pushed
    /// The count went down.
    case popped
    /// A pop while the count was 0.
    case extraPop
    /// The count went to 0.
    case reset
    /// A running session says something else.
    case updated(SessionID)
  }

  /// Maximum number of changes that ``LoadingController/changes(of:)`` keeps for a reader who falls behind.
  public static let mostUnread = 1024

  /// The feed.
  public let feed: Feed
  /// What happened.
  public let kind: Kind
  /// The count afterwards.
  public let count: Int
  /// The depth afterwards: open sessions with and without token.
  public let depth: Int
  /// What the session says, if it was told.
  public let message: String?
}
