/// A load in a file of another tool.
public struct ForeignLoad: Sendable, Hashable {
  /// The feed; its name is valid.
  public var feed: Feed
  /// When the load started, in microseconds since 1970; before 2200.
  public var started: Int64
  /// The state; `abandoned` with the reason ``AbandonReason/import`` if the file does not contain the
  /// end. Files that LoadLog wrote can also contain running, crashed, rebooted and otherwise abandoned loads.
  public var state: SessionState
  /// The duration in nanoseconds, never negative; nil if the file does not contain it.
  public var duration: Int64?
  /// Where the duration comes from.
  public var durationSource: DurationSource
  /// The reason for the verdict.
  public var reason: String?
  /// The message of the load.
  public var message: String?
  /// The tag: a page, a category or a trace.
  public var tag: String?
  /// The call site of the start; only in files that LoadLog wrote.
  public var callSite: String?
  /// The value that identifies the load when the file is imported again.
  public var identity: LoadIdentity
  /// The position of the load in the file.
  public var position: FilePosition

  /// Creates a load from its parts.
  package init(
    feed: Feed, started: Int64, state: SessionState, duration: Int64? = nil,
    durationSource: DurationSource = .imported, reason: String? = nil, message: String? = nil,
    tag: String? = nil, callSite: String? = nil, identity: LoadIdentity,
    position: FilePosition
  ) {
    self.feed = feed
    self.started = started
    self.state = state
    self.duration = duration
    self.durationSource = durationSource
    self.reason = reason
    self.message = message
    self.tag = tag
    self.callSite = callSite
    self.identity = identity
    self.position = position
  }
}

/// The end of a load in a file of another tool that does not contain its start: an orphan finish.
public struct ForeignFinish: Sendable, Hashable {
  /// The kind: `orphan_finish`, or any kind in files that LoadLog wrote.
  public var kind: UnmatchedKind
  /// The feed that the end names, if any.
  public var feed: Feed?
  /// When the load ended, in microseconds since 1970; before 2200.
  public var at: Int64
  /// The call site of the finish; only in files that LoadLog wrote.
  public var callSite: String?
  /// The value that identifies the finish when the file is imported again.
  public var identity: LoadIdentity
  /// The position of the finish in the file.
  public var position: FilePosition

  /// Creates a finish from its parts.
  package init(
    kind: UnmatchedKind = .orphanFinish, feed: Feed?, at: Int64, callSite: String? = nil,
    identity: LoadIdentity,
    position: FilePosition
  ) {
    self.kind = kind
    self.feed = feed
    self.at = at
    self.callSite = callSite
    self.identity = identity
    self.position = position
  }
}
