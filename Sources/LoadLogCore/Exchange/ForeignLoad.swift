/// A load as another tool's file tells it.
public struct ForeignLoad: Sendable, Hashable {
  /// What was loaded; its name is allowed.
  public var feed: Feed
  /// When it started, wall time in microseconds, from 1970 until 2200.
  public var started: Int64
  /// Its verdict; `abandoned`, reason ``AbandonReason/openAtEnd``, if the file does not tell its end. Crashed, rebooted
  /// and abandoned for another reason only where LoadLog wrote the file.
  public var state: SessionState
  /// How long it took in nanoseconds, never negative; nil if the file does not tell.
  public var duration: Int64?
  /// Why it ended as it did.
  public var reason: String?
  /// What it said.
  public var message: String?
  /// What finds it again: a page, a category, a trace.
  public var tag: String?
  /// Where in the code it was started; only where LoadLog wrote the file.
  public var callSite: String?
  /// What makes it the same load when the file is read again.
  public var identity: LoadIdentity
  /// Where it begins in the file.
  public var position: FilePosition

  /// Makes a load of its parts.
  public init(
    feed: Feed, started: Int64, state: SessionState, duration: Int64? = nil, reason: String? = nil,
    message: String? = nil, tag: String? = nil, callSite: String? = nil, identity: LoadIdentity,
    position: FilePosition
  ) {
    self.feed = feed
    self.started = started
    self.state = state
    self.duration = duration
    self.reason = reason
    self.message = message
    self.tag = tag
    self.callSite = callSite
    self.identity = identity
    self.position = position
  }
}

/// An end in another tool's file that has no beginning there: an orphan finish.
public struct ForeignFinish: Sendable, Hashable {
  /// `orphan_finish`; another kind only where LoadLog wrote the file.
  public var kind: UnmatchedKind
  /// What it names, if anything.
  public var feed: Feed?
  /// When, wall time in microseconds, from 1970 until 2200.
  public var at: Int64
  /// Where in the code; only where LoadLog wrote the file.
  public var callSite: String?
  /// What makes it the same finish when the file is read again.
  public var identity: LoadIdentity
  /// Where it stands in the file.
  public var position: FilePosition

  /// Makes a finish of its parts.
  public init(
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
