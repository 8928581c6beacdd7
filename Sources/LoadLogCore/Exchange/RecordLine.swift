/// One line of ndjson, LoadLog's own format.
///
/// A store is exported resolved: owners before what they own, each load as a start and, once it is over, a finish right
/// behind it, in commit order; imbalances that somebody has seen; days whose rows were pruned. Lines written by hand may
/// also push, pop and reset.
///
/// On a line the keys stand in the order of the properties. The keys of the format's first version are always there,
/// null if unknown: at, feed, id, message, tag, call_site of a start; at, id, verdict, reason, duration_ns of a finish.
/// All others are left out when they say nothing. Keys that are not known are passed over.
public enum RecordLine: Sendable, Hashable {
  /// A load started.
  case start(StartLine)
  /// A load ended, one way or another.
  case finish(FinishLine)
  /// The count of a feed went up.
  case push(CountLine)
  /// The count of a feed went down.
  case pop(CountLine)
  /// The count of a feed, or of all, went to 0.
  case reset(CountLine)
  /// An owner.
  indirect case owner(OwnerLine)
  /// A feed's dates.
  indirect case feed(FeedLine)
  /// A finish or pop that answers no open start.
  indirect case unmatched(UnmatchedLine)
  /// Somebody has seen an imbalance.
  case acknowledged(AcknowledgedLine)
  /// The numbers of a day, or of all time, part of whose rows were pruned.
  indirect case sealedDay(SealedDayLine)
}

/// `{"event":"start","at":…,"feed":…,"id":…,"message":…,"tag":…,"call_site":…}`
public struct StartLine: Sendable, Hashable {
  /// When, wall time in microseconds.
  public var at: Int64
  /// What is loaded.
  public var feed: Feed
  /// The load's id; none if it was written by hand without.
  public var id: SessionID?
  /// What it said last.
  public var message: String?
  /// A text to find it again.
  public var tag: String?
  /// Where it was started.
  public var callSite: String?
  /// It is a push. Key: `anonymous`.
  public var isAnonymous = false
  /// Its owner's uid as lower-case hexadecimal digits.
  public var owner: String?
  /// When, in nanoseconds of its owner's boot clock. Key: `boot_ns`.
  public var boot: Int64?

  /// Makes a start of what every start has.
  public init(at: Int64, feed: Feed, id: SessionID?) {
    self.at = at
    self.feed = feed
    self.id = id
  }
}

/// `{"event":"finish","at":…,"id":…,"verdict":…,"reason":…,"duration_ns":…}`
public struct FinishLine: Sendable, Hashable {
  /// When, wall time in microseconds: the end that was seen, or else the last sign of life.
  public var at: Int64
  /// The load's id.
  public var id: SessionID
  /// Any state but running; `succeeded` where a line written by hand does not tell.
  public var verdict: SessionState
  /// Why.
  public var reason: String?
  /// How long it took; of an unfinished start how long it was open at least. Nil if that cannot be known: on import
  /// the difference of the two times. Key: `duration_ns`.
  public var duration: Int64?
  /// There was a null in place of the duration: it cannot be known. In a line without the key it is the difference.
  public var isDurationUnknown = false
  /// Nobody saw its end: crashed, rebooted. Key: `unseen`.
  public var isUnseen = false
  /// The finish came after the load had been taken for unfinished. Key: `late`.
  public var isLate = false
  /// The duration is a difference of wall times. Key: `wall`.
  public var isWall = false
  /// How long an indicator showed it, in nanoseconds. Key: `visible_ns`.
  public var visible: Int64?
  /// How many shows of an indicator ended within their grace time. Key: `suppressed`.
  public var suppressed: Int64?
  /// It is a push that was reset, and the pop at 0 that its owner is forgiven for it has not come yet. Key: `forgiven`.
  public var isForgiven = false

  /// Makes a finish of what every finish has.
  public init(at: Int64, id: SessionID, verdict: SessionState) {
    self.at = at
    self.id = id
    self.verdict = verdict
  }
}

/// `{"event":"push","at":…,"feed":…}`, and so pop and reset.
public struct CountLine: Sendable, Hashable {
  /// When, wall time in microseconds.
  public var at: Int64
  /// Whose count; nil with reset: all of them.
  public var feed: Feed?
  /// What a pop tells; `ended` if it tells nothing.
  public var verdict = SessionState.ended
  /// Why.
  public var reason: String?
  /// Where.
  public var callSite: String?
  /// Its owner's uid as lower-case hexadecimal digits.
  public var owner: String?

  /// Makes a line of what every push, pop and reset has.
  public init(at: Int64, feed: Feed?) {
    self.at = at
    self.feed = feed
  }
}

/// `{"event":"unmatched","id":…,"kind":…,"at":…}`
public struct UnmatchedLine: Sendable, Hashable {
  /// Its own id.
  public var id: SessionID
  /// What it is.
  public var kind: UnmatchedKind
  /// When, wall time in microseconds.
  public var at: Int64
  /// The feed, if known.
  public var feed: Feed?
  /// The load that it named. Key: `load`.
  public var session: SessionID?
  /// What the finish or pop told.
  public var verdict: SessionState
  /// Why.
  public var reason: String?
  /// Where.
  public var callSite: String?
  /// Its owner's uid as lower-case hexadecimal digits.
  public var owner: String?
  /// When, in nanoseconds of its owner's boot clock. Key: `boot_ns`.
  public var boot: Int64?

  /// Makes a line of what every unmatched finish has.
  public init(id: SessionID, kind: UnmatchedKind, at: Int64, verdict: SessionState) {
    self.id = id
    self.kind = kind
    self.at = at
    self.verdict = verdict
  }
}

/// `{"event":"acknowledged","id":…,"at":…,"by":…,"note":…}`
public struct AcknowledgedLine: Sendable, Hashable {
  /// The id of a load or of an unmatched finish.
  public var id: SessionID
  /// When, who and what they noted.
  public var acknowledgement: Acknowledgement

  /// Makes a line of its parts.
  public init(id: SessionID, acknowledgement: Acknowledgement) {
    self.id = id
    self.acknowledgement = acknowledgement
  }
}
