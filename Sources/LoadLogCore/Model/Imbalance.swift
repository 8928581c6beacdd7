/// Why a finish or pop matched no open load.
public enum UnmatchedKind: String, Sendable, Hashable, StoredCode {
  /// A finish with an id that the store does not contain.
  case orphanFinish = "orphan_finish"
  /// A second finish of a load.
  case duplicateFinish = "duplicate_finish"
  /// A pop while the count was 0.
  case extraPop = "extra_pop"
  /// A pop while the count was 0 that follows a reset of its push. Not unbalanced.
  case popAfterReset = "pop_after_reset"
  /// A finish that arrived before its start, which has arrived since. Not unbalanced, and never reported.
  case withdrawn

  /// Whether this kind counts as an unbalanced pop.
  public var isUnbalanced: Bool {
    switch self {
    case .orphanFinish, .duplicateFinish, .extraPop: true
    case .popAfterReset, .withdrawn: false
    }
  }
}

/// Why a load was abandoned. The raw value is the load's reason.
public enum AbandonReason: String, Sendable, Hashable, CaseIterable {
  /// Its token was deallocated without a finish.
  case dropped
  /// The count of its feed was reset.
  case reset
  /// Its start was committed after its caller's deadline had passed.
  case deadline
  /// Its owner is alive but has released its lock.
  case released
  /// The same client reported another start of the same kind first.
  case superseded
  /// It was still open at the end of the imported file.
  case `import`
}

/// One unbalanced push or pop: an unfinished start or an unmatched finish.
public struct Imbalance: Sendable, Hashable {
  /// The kinds of imbalances.
  public enum Kind: Sendable, Hashable {
    /// A load that was started and never finished: crashed, rebooted or abandoned.
    case unfinishedStart(SessionState)
    /// A finish or pop that matched no open load.
    case unmatchedFinish(UnmatchedKind)

    /// The word for the kind in JSON, SQL and on the command line, such as `crashed` or `extra_pop`.
    public var word: String {
      switch self {
      case .unfinishedStart(let state): state.rawValue
      case .unmatchedFinish(let kind): kind.rawValue
      }
    }
  }

  /// The id of the unfinished load, or of the unmatched finish.
  public var id: SessionID
  /// The kind of imbalance.
  public var kind: Kind
  /// The feed; nil for a finish with an id that the store does not contain.
  public var feed: Feed?
  /// The id of the load that is unfinished or that the finish names; nil for an extra pop.
  public var session: SessionID?
  /// When the load started or the finish arrived: wall time in microseconds since 1970.
  public var at: Int64
  /// The evidence for the kind, as a phrase.
  public var evidence: String
  /// The call site of the start or of the unmatched finish.
  public var callSite: String?
  /// Whether the call site is only likely: the push was anonymous, so another push may have caused the
  /// imbalance.
  public var isLikely: Bool
  /// The acknowledgement that silenced the alarm; nil if there is none.
  public var acknowledgement: Acknowledgement?
  /// The name in the fleet of the host that recorded it; nil in the answer of a store.
  public var fleetHost: String?

  /// Creates an imbalance from its parts.
  public init(
    id: SessionID, kind: Kind, feed: Feed? = nil, session: SessionID? = nil, at: Int64, evidence: String,
    callSite: String? = nil, isLikely: Bool, acknowledgement: Acknowledgement? = nil
  ) {
    self.id = id
    self.kind = kind
    self.feed = feed
    self.session = session
    self.at = at
    self.evidence = evidence
    self.callSite = callSite
    self.isLikely = isLikely
    self.acknowledgement = acknowledgement
  }
}
