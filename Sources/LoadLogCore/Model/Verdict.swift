/// How a load went, as its finisher tells it.
///
///     try await loads.finishLoading(session, .failed(error))
public struct Verdict: Sendable, Hashable {
  /// The terminal state: succeeded, unchanged, failed, cancelled or ended.
  public let state: SessionState
  /// Why; cut to ``TextLimit/message`` scalars when it is recorded.
  public let reason: String?

  private init(_ state: SessionState, _ reason: String? = nil) {
    self.state = state
    self.reason = reason
  }

  /// It worked.
  public static let succeeded = Verdict(.succeeded)
  /// It worked, and there was nothing new (HTTP 304).
  public static let unchanged = Verdict(.unchanged)
  /// It did not work.
  public static let failed = Verdict(.failed)
  /// It was given up on purpose.
  public static let cancelled = Verdict(.cancelled)
  /// It is over; how it went is not told. Moves no date.
  public static let ended = Verdict(.ended)

  /// It worked, with a remark.
  public static func succeeded(_ reason: String?) -> Verdict { Verdict(.succeeded, reason) }
  /// There was nothing new, with a remark.
  public static func unchanged(_ reason: String?) -> Verdict { Verdict(.unchanged, reason) }
  /// It did not work, for a reason.
  public static func failed(_ reason: String?) -> Verdict { Verdict(.failed, reason) }
  /// It did not work; the reason is the error's description.
  public static func failed(_ error: any Error) -> Verdict { Verdict(.failed, String(describing: error)) }
  /// It was given up on purpose, for a reason.
  public static func cancelled(_ reason: String?) -> Verdict { Verdict(.cancelled, reason) }

  /// The verdict with a finished state; nil for a state that no finisher can tell.
  public init?(state: SessionState, reason: String? = nil) {
    guard state.isFinished else { return nil }
    self.init(state, reason)
  }
}
