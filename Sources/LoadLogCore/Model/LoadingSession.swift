/// A recorded load of a feed.
public struct LoadingSession: Sendable, Hashable {
  /// The id of the load.
  public var id: SessionID
  /// The feed that was loaded.
  public var feed: Feed
  /// The last message of the load.
  public var message: String?
  /// The tag that the caller gave the load at its start.
  public var tag: String?
  /// Whether the load was started by a push, without a token or an id.
  public var isAnonymous: Bool
  /// The state. While the owner of a running load is proven dead, this is the state that the load will get.
  public var state: SessionState
  /// Whether the load is running but this process cannot check its owner.
  public var isUnknown: Bool
  /// Whether its finish arrived after the load had been recorded as unfinished.
  public var isFinishedAfterVerdict: Bool
  /// When the load started.
  public var started: LoadInstant
  /// When the load finished or was abandoned, in microseconds since 1970; nil while it is running and after a
  /// crash or reboot. For a load of `loadlog run` it is the start of the load plus the duration of the command, which
  /// is earlier than the end of the command by the time that recording the start took.
  public var finished: Int64?
  /// How long the load took, in nanoseconds; nil if it did not finish or if the duration is unknown.
  public var duration: Int64?
  /// The minimum time that the load was open, in nanoseconds: until now while it is running, until its
  /// release if it was abandoned, until its owner's last commit if it crashed or the machine rebooted. If the load is
  /// ``isUnknown``: until now if it started in this boot of this machine, else until its owner's last commit.
  public var openAtLeast: Int64
  /// Where the duration comes from; nil if there is no duration.
  public var durationSource: DurationSource?
  /// By how much the wall clock was stepped while the load was open, in microseconds; positive if it was set
  /// forward; nil if wall and boot clock agree within 1 s.
  public var clockJump: Int64?
  /// The process that is responsible for finishing the load.
  public var owner: OwnerRecord
  /// The call site of the start.
  public var callSite: String?
  /// The reason that came with the verdict.
  public var reason: String?
  /// The evidence for crashed, rebooted, abandoned or unknown, as a phrase.
  public var evidence: String?
  /// The acknowledgement that silenced the alarm for an unfinished load; nil if there is none.
  public var acknowledgement: Acknowledgement?
  /// How long an indicator was visible for this load and the loads right before it, in nanoseconds; nil if no
  /// indicator displayed it or would have.
  public var visibleTime: Int64?
  /// The number of times that the load ended within an indicator's grace time; nil if no indicator displayed
  /// it or would have.
  public var suppressedShows: Int?
  /// What `loadlog run` knows of the command; nil for loads that it did not run.
  public var run: RunFacts?
  /// The name in the fleet of the host that recorded the load; nil in the answer of a store.
  public var fleetHost: String?

  /// The state that reports display: `unknown` if this process cannot check the owner of a running load.
  public var shownState: ShownState { isUnknown ? .unknown : ShownState(state) }

  /// Creates a session from its parts.
  public init(
    id: SessionID, feed: Feed, message: String? = nil, tag: String? = nil, isAnonymous: Bool,
    state: SessionState, isUnknown: Bool, isFinishedAfterVerdict: Bool, started: LoadInstant,
    finished: Int64? = nil,
    duration: Int64? = nil, openAtLeast: Int64, durationSource: DurationSource? = nil,
    clockJump: Int64? = nil,
    owner: OwnerRecord, callSite: String? = nil, reason: String? = nil, evidence: String? = nil,
    acknowledgement: Acknowledgement? = nil, visibleTime: Int64? = nil, suppressedShows: Int? = nil,
    run: RunFacts? = nil
  ) {
    self.id = id
    self.feed = feed
    self.message = message
    self.tag = tag
    self.isAnonymous = isAnonymous
    self.state = state
    self.isUnknown = isUnknown
    self.isFinishedAfterVerdict = isFinishedAfterVerdict
    self.started = started
    self.finished = finished
    self.duration = duration
    self.openAtLeast = openAtLeast
    self.durationSource = durationSource
    self.clockJump = clockJump
    self.owner = owner
    self.callSite = callSite
    self.reason = reason
    self.evidence = evidence
    self.acknowledgement = acknowledgement
    self.visibleTime = visibleTime
    self.suppressedShows = suppressedShows
    self.run = run
  }
}

/// The state of a load in reports. A running load whose owner cannot be checked is `unknown`.
public enum ShownState: String, Sendable, Hashable, CaseIterable {
  case running, unknown, succeeded, unchanged, failed, cancelled, ended, crashed, rebooted, abandoned

  /// Creates the reported form of a stored state.
  public init(_ state: SessionState) { self = Self(rawValue: state.rawValue) ?? .unknown }
}

/// A recorded owner.
public struct OwnerRecord: Sendable, Hashable {
  /// The process and how it became responsible for its loads.
  public var owner: Owner
  /// When the owner opened the store.
  public var opened: LoadInstant
  /// When the owner last committed.
  public var lastCommit: LoadInstant
  /// When the owner closed the store cleanly, in microseconds since 1970; nil if it has not.
  public var closed: Int64?
  /// The last time at which the owner was certainly alive: its last commit. Nil for detached and remote owners, because
  /// their commits come from many commands, and a commit of one command proves nothing about the load of
  /// another.
  public var lastSign: LoadInstant? {
    owner.kind == .detached || owner.kind == .remote ? nil : lastCommit
  }
  /// The number of events that the owner dropped although no caller learned of it.
  public var dropped: Int

  /// Creates a record from its parts.
  public init(owner: Owner, opened: LoadInstant, lastCommit: LoadInstant, closed: Int64?, dropped: Int) {
    self.owner = owner
    self.opened = opened
    self.lastCommit = lastCommit
    self.closed = closed
    self.dropped = dropped
  }
}

/// A note that a person has seen an imbalance. The imbalance stays in the record but raises no more alarms.
public struct Acknowledgement: Sendable, Hashable {
  /// When the imbalance was acknowledged: wall time in microseconds since 1970.
  public var at: Int64
  /// The user who acknowledged the imbalance.
  public var by: String
  /// The user's comment.
  public var note: String?

  /// Creates an acknowledgement from its parts.
  public init(at: Int64, by: String, note: String?) {
    self.at = at
    self.by = by
    self.note = note
  }
}
