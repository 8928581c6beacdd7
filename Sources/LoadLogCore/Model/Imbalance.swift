/// What a finish or pop that answers no open start turned out to be.
public enum UnmatchedKind: String, Sendable, Hashable, CaseIterable {
  /// A finish of an id that the store has never seen.
  case orphanFinish = "orphan_finish"
  /// A second finish of a session.
  case duplicateFinish = "duplicate_finish"
  /// A pop while the count was 0.
  case extraPop = "extra_pop"
  /// A pop while the count was 0, made superfluous by a reset. Not unbalanced.
  case popAfterReset = "pop_after_reset"
  /// A finish that arrived before its start, and whose start has arrived since. Not unbalanced, and never reported.
  case withdrawn

  /// Whether it counts as an unbalanced pop.
  public var isUnbalanced: Bool {
    switch self {
    case .orphanFinish, .duplicateFinish, .extraPop: true
    case .popAfterReset, .withdrawn: false
    }
  }

  /// A small number for the kind, never reused.
  public var code: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

  /// The kind with a code; nil if there is none.
  public init?(code: Int64) {
    guard let index = Int(exactly: code), Self.allCases.indices.contains(index) else { return nil }
    self = Self.allCases[index]
  }
}

/// Why a session was abandoned, as its reason says it.
public enum AbandonReason: String, Sendable, Hashable, CaseIterable {
  /// Its token went away without a finish.
  case dropped
  /// The count of its feed was reset.
  case reset
  /// Its start was committed only after its caller's deadline.
  case deadline
  /// Its owner lives but let go of its lock.
  case released
  /// It was still open at the end of a file that it was imported from.
  case openAtEnd = "import"
}

/// One unbalanced push or pop: an unfinished start or an unmatched finish.
public struct Imbalance: Sendable, Hashable {
  /// What is unbalanced.
  public enum Kind: Sendable, Hashable {
    /// A push that was never popped: crashed, rebooted or abandoned.
    case unfinishedStart(SessionState)
    /// A pop that was never pushed.
    case unmatchedFinish(UnmatchedKind)

    /// The contract's word.
    public var word: String {
      switch self {
      case .unfinishedStart(let state): state.rawValue
      case .unmatchedFinish(let kind): kind.rawValue
      }
    }
  }

  /// The id of the session, or of the unmatched finish.
  public var id: SessionID
  /// What it is.
  public var kind: Kind
  /// The feed; nil if a finish names an id that the store has never seen.
  public var feed: Feed?
  /// The session it concerns; nil for an extra pop.
  public var session: SessionID?
  /// When the session started, or the finish came; wall time in microseconds.
  public var at: Int64
  /// The proof, in words.
  public var evidence: String
  /// Where it was pushed or popped.
  public var callSite: String?
  /// The call site is likely, not proven: the push was anonymous, and another may have been the one.
  public var isLikely: Bool
  /// Set when somebody has seen it and silenced its alarm.
  public var acknowledgement: Acknowledgement?

  /// Makes an imbalance of its parts.
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
