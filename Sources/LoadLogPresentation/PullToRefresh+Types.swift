public import LoadLogCore

extension PullToRefresh {
  /// The code that performs a refresh.
  public enum Handler: Sendable {
    /// Performs the load. The returned verdict is recorded; an error is recorded as `failed`, and a
    /// `CancellationError` as `cancelled`.
    case load(@MainActor @Sendable () async throws -> Verdict)
    /// Starts the load. The app calls ``PullToRefresh/finish(_:fileID:line:)`` at its end, of this model or, if it was
    /// deallocated in the meantime, of the next model of the feed.
    case begin(@MainActor @Sendable (PullToRefresh) -> Void)
  }

  /// The state of a pull.
  public enum State: Sendable, Hashable {
    /// A release does nothing.
    case pulling
    /// The pull has reached the threshold; a release starts a load.
    case armed
    /// A load is open; drags have no effect.
    case loading
  }

  /// The arrow beside the status text.
  public enum Arrow: Sendable, Hashable {
    /// The arrow points down.
    case down
    /// The arrow points up.
    case up
    /// The spinner has replaced the arrow.
    case hidden
  }

  /// An event to play a sound or a haptic for. Cues are numbered, so that two of the same kind are not equal.
  public struct Cue: Sendable, Hashable {
    /// The event of a cue.
    public enum Kind: Sendable, Hashable {
      /// The pull reached the threshold.
      case armed
      /// The pull went back below the threshold.
      case disarmed
      /// A release started a load.
      case released
      /// A load ended.
      case finished
    }

    /// The event.
    public let kind: Kind
    /// Number of cues before this one.
    public let number: Int
  }
}
