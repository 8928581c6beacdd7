/// The result that a caller reports when it finishes a load.
///
///     try await loads.finishLoading(session, .failed(error))
public struct Verdict: Sendable, Hashable {
  /// The state that the load gets: succeeded, unchanged, failed, cancelled or ended.
  public let state: SessionState
  /// The reason for the verdict. The record cuts it to ``TextLimit/message`` scalars.
  public let reason: String?

  private init(_ state: SessionState, _ reason: String? = nil) {
    self.state = state
    self.reason = reason
  }

  /// The load succeeded.
  public static let succeeded = Verdict(.succeeded)
  /// The load succeeded and found nothing new (HTTP 304).
  public static let unchanged = Verdict(.unchanged)
  /// The load failed.
  public static let failed = Verdict(.failed)
  /// The load was cancelled.
  public static let cancelled = Verdict(.cancelled)
  /// The load ended without reporting whether it succeeded. Moves no date of the feed.
  public static let ended = Verdict(.ended)

  /// The load succeeded, with a remark.
  public static func succeeded(_ reason: String?) -> Verdict { Verdict(.succeeded, reason) }
  /// The load succeeded and found nothing new, with a remark.
  public static func unchanged(_ reason: String?) -> Verdict { Verdict(.unchanged, reason) }
  /// The load failed for a reason.
  public static func failed(_ reason: String?) -> Verdict { Verdict(.failed, reason) }
  /// The load failed; the reason is the error's description.
  public static func failed(_ error: any Error) -> Verdict { Verdict(.failed, String(describing: error)) }
  /// The load was cancelled for a reason.
  public static func cancelled(_ reason: String?) -> Verdict { Verdict(.cancelled, reason) }
  /// The load ended without reporting whether it succeeded, with a remark.
  package static func ended(_ reason: String?) -> Verdict { Verdict(.ended, reason) }

  /// Creates a verdict with a finished state; nil for any other state.
  public init?(state: SessionState, reason: String? = nil) {
    guard state.isFinished else { return nil }
    self.init(state, reason)
  }
}
