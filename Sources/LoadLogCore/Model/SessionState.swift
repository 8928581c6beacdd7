/// The state of a load: running, or its verdict.
///
/// The raw values are the words in JSON, SQL and on the command line. A store can save ``code`` instead.
public enum SessionState: String, Sendable, Hashable, StoredCode {
  /// The load has started and has no verdict yet.
  case running
  /// The load finished successfully.
  case succeeded
  /// The load finished successfully and found nothing new (HTTP 304).
  case unchanged
  /// The load failed; its reason says why.
  case failed
  /// The load was cancelled, or its owner closed the store cleanly.
  case cancelled
  /// The load ended without reporting whether it succeeded.
  case ended
  /// The load's owner ended without finishing it, during the same boot.
  case crashed
  /// The machine rebooted while the load was running.
  case rebooted
  /// The load's owner is alive but cannot finish it any more; the reason says why.
  case abandoned

  /// Whether the load was finished: succeeded, unchanged, failed, cancelled or ended.
  public var isFinished: Bool {
    switch self {
    case .succeeded, .unchanged, .failed, .cancelled, .ended: true
    case .running, .crashed, .rebooted, .abandoned: false
    }
  }

  /// Whether the load is an unfinished start, also called an unbalanced push: crashed, rebooted or abandoned.
  public var isUnfinishedStart: Bool {
    switch self {
    case .crashed, .rebooted, .abandoned: true
    default: false
    }
  }

  /// Whether the state moves the feed's `lastUpdated`: succeeded or unchanged.
  public var isSuccess: Bool { self == .succeeded || self == .unchanged }
}
