/// One load of one feed, as the record has it.
public struct LoadingSession: Sendable, Hashable {
  /// Its id.
  public var id: SessionID
  /// What was loaded.
  public var feed: Feed
  /// What it said last.
  public var message: String?
  /// A text that its starter chose to find it again.
  public var tag: String?
  /// A push: started without a token.
  public var isAnonymous: Bool
  /// Its state. A running session whose owner is proven dead is shown with the state it will get.
  public var state: SessionState
  /// It runs, but its owner cannot be judged from here.
  public var isUnknown: Bool
  /// Its finish came after it had been taken for unfinished.
  public var isLate: Bool
  /// When it started.
  public var started: LoadInstant
  /// When it finished or was abandoned, wall time in microseconds; nil while running and after a crash.
  public var finished: Int64?
  /// How long it took in nanoseconds; nil if it did not finish or if that cannot be known.
  public var duration: Int64?
  /// How long it was open at least, in nanoseconds: up to now while running, to its release if
  /// abandoned, to its owner's last commit if crashed or rebooted.
  public var openAtLeast: Int64
  /// The duration is a difference of wall times, because the machine booted in between.
  public var isWallDuration: Bool
  /// By how much wall and boot clock disagreed over the session, in microseconds, if by more than 1 s:
  /// positive if the wall clock was set forward.
  public var clockJump: Int64?
  /// Who answers for it.
  public var owner: OwnerRecord
  /// Where it was started.
  public var callSite: String?
  /// Why it ended as it did.
  public var reason: String?
  /// The proof behind crashed, rebooted, abandoned or unknown, in words.
  public var evidence: String?
  /// Set when somebody has seen the imbalance and silenced its alarm.
  public var acknowledgement: Acknowledgement?
  /// How long an indicator was visible over it and over the loads just before, in nanoseconds; nil if none showed
  /// it, or would have.
  public var visibleTime: Int64?
  /// How many shows of an indicator ended within their grace time; nil if none showed it, or would have.
  public var suppressedShows: Int?

  /// The state as people and programs read it.
  public var shownState: ShownState { isUnknown ? .unknown : ShownState(state) }

  /// Makes a session of its parts.
  public init(
    id: SessionID, feed: Feed, message: String? = nil, tag: String? = nil, isAnonymous: Bool,
    state: SessionState, isUnknown: Bool, isLate: Bool, started: LoadInstant, finished: Int64? = nil,
    duration: Int64? = nil, openAtLeast: Int64, isWallDuration: Bool, clockJump: Int64? = nil,
    owner: OwnerRecord, callSite: String? = nil, reason: String? = nil, evidence: String? = nil,
    acknowledgement: Acknowledgement? = nil, visibleTime: Int64? = nil, suppressedShows: Int? = nil
  ) {
    self.id = id
    self.feed = feed
    self.message = message
    self.tag = tag
    self.isAnonymous = isAnonymous
    self.state = state
    self.isUnknown = isUnknown
    self.isLate = isLate
    self.started = started
    self.finished = finished
    self.duration = duration
    self.openAtLeast = openAtLeast
    self.isWallDuration = isWallDuration
    self.clockJump = clockJump
    self.owner = owner
    self.callSite = callSite
    self.reason = reason
    self.evidence = evidence
    self.acknowledgement = acknowledgement
    self.visibleTime = visibleTime
    self.suppressedShows = suppressedShows
  }
}

/// A state as it is shown: a running session that cannot be judged from here is `unknown`.
public enum ShownState: String, Sendable, Hashable, CaseIterable {
  case running, unknown, succeeded, unchanged, failed, cancelled, ended, crashed, rebooted, abandoned

  /// The shown form of a stored state.
  public init(_ state: SessionState) { self = Self(rawValue: state.rawValue) ?? .unknown }
}

/// An owner as the record has it.
public struct OwnerRecord: Sendable, Hashable {
  /// Who it is.
  public var owner: Owner
  /// When it opened the store.
  public var opened: LoadInstant
  /// Its last commit.
  public var lastCommit: LoadInstant
  /// When it closed the store cleanly, wall time in microseconds.
  public var closed: Int64?
  /// When it was certainly still there: its last commit. Nil if it is detached: then its commits are those of
  /// many commands, and none says anything of another's load.
  public var lastSign: LoadInstant? { owner.kind == .detached ? nil : lastCommit }
  /// Events it had to drop because its queue was full.
  public var dropped: Int

  /// Makes a record of its parts.
  public init(owner: Owner, opened: LoadInstant, lastCommit: LoadInstant, closed: Int64?, dropped: Int) {
    self.owner = owner
    self.opened = opened
    self.lastCommit = lastCommit
    self.closed = closed
    self.dropped = dropped
  }
}

/// Somebody has seen an imbalance; it stays in the record and stops alarming.
public struct Acknowledgement: Sendable, Hashable {
  /// When, wall time in microseconds.
  public var at: Int64
  /// Who.
  public var by: String
  /// What they noted.
  public var note: String?

  /// Makes an acknowledgement of its parts.
  public init(at: Int64, by: String, note: String?) {
    self.at = at
    self.by = by
    self.note = note
  }
}
