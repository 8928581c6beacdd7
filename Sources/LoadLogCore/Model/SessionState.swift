/// The state of a loading session: running, or one of its verdicts.
///
/// The raw values are the words used everywhere; ``code`` is what a store may keep in their place.
public enum SessionState: String, Sendable, Hashable, CaseIterable {
  /// Started, no verdict yet.
  case running
  /// Finished with success.
  case succeeded
  /// Finished with success; nothing new was found (HTTP 304).
  case unchanged
  /// Finished without success, with a reason.
  case failed
  /// Given up on purpose, or its owner closed cleanly.
  case cancelled
  /// A push that was popped without telling how it went.
  case ended
  /// Its owner is proven dead, on the same boot.
  case crashed
  /// The machine has booted since.
  case rebooted
  /// Its owner can no longer finish it although nobody died; the reason says how.
  case abandoned

  /// A small number for the state, never reused.
  public var code: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

  /// The state with a code; nil if there is none.
  public init?(code: Int64) {
    guard let index = Int(exactly: code), Self.allCases.indices.contains(index) else { return nil }
    self = Self.allCases[index]
  }

  /// A finish has come: succeeded, unchanged, failed, cancelled or ended.
  public var isFinished: Bool {
    switch self {
    case .succeeded, .unchanged, .failed, .cancelled, .ended: true
    case .running, .crashed, .rebooted, .abandoned: false
    }
  }

  /// An unfinished start, also called an unbalanced push: crashed, rebooted or abandoned.
  public var isUnfinishedStart: Bool {
    switch self {
    case .crashed, .rebooted, .abandoned: true
    default: false
    }
  }

  /// Moves `lastUpdated`: succeeded or unchanged.
  public var isSuccess: Bool { self == .succeeded || self == .unchanged }
}
