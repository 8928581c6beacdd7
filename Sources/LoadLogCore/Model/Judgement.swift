/// The result of checking whether an owner that has not closed its store is still alive.
public enum Judgement: Sendable, Hashable {
  /// The owner is alive and can still finish its loads.
  case alive
  /// The owner cannot finish its loads any more. They get the given state; the evidence is a phrase.
  case dead(DeathState, evidence: String)
  /// This process cannot check the owner; the evidence is a phrase that says why.
  case unknown(evidence: String)

  /// The ways in which an owner loses its loads.
  public enum DeathState: Sendable, Hashable {
    /// The process has ended during the current boot.
    case crashed
    /// The machine has rebooted since.
    case rebooted
    /// The process is alive, but its lock was released.
    case released

    /// The state that the owner's unfinished loads get.
    public var state: SessionState {
      switch self {
      case .crashed: .crashed
      case .rebooted: .rebooted
      case .released: .abandoned
      }
    }
  }
}
