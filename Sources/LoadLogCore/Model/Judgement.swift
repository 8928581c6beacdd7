/// What can be said of an owner that has not closed its store.
public enum Judgement: Sendable, Hashable {
  /// It lives and can still finish its sessions.
  case alive
  /// It can finish nothing any more; the state its running sessions get, and the proof in words.
  case dead(DeathState, evidence: String)
  /// It cannot be judged from here; why, in words.
  case unknown(evidence: String)

  /// The three ways in which an owner is lost.
  public enum DeathState: Sendable, Hashable {
    /// The process is gone, the boot is the same.
    case crashed
    /// The machine has booted since.
    case rebooted
    /// The process lives but its lock was released.
    case released

    /// The state of its unfinished sessions.
    public var state: SessionState {
      switch self {
      case .crashed: .crashed
      case .rebooted: .rebooted
      case .released: .abandoned
      }
    }
  }
}
