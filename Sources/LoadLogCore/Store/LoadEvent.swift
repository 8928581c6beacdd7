/// An event to be committed to a store.
public struct LoadEvent: Sendable {
  /// The kinds of events.
  public enum Kind: Sendable {
    /// A load with a token or an id of the app's started.
    case start(SessionID, Feed, message: String?, tag: String?)
    /// A load finished.
    case finish(SessionID, Verdict)
    /// Only the end of a load was reported; its start and duration are unknown. Has no effect if the id is known.
    case heard(SessionID, Feed, Verdict)
    /// The count of a feed increased by 1.
    case push(Feed)
    /// The count of a feed decreased by 1.
    case pop(Feed, Verdict)
    /// A stop without a start. It is recorded as an extra pop whatever the count is.
    case extraPop(Feed, Verdict)
    /// The counts of the feeds were set to 0; nil means all feeds.
    case reset([Feed]?)
    /// A load was abandoned although its owner is alive. Has no effect on a load that is not running.
    case abandon(SessionID, AbandonReason)
    /// The message of a running load changed.
    case update(SessionID, message: String?)
    /// `loadlog run` learned more about the command of a load. Has no effect in stores that keep nothing of commands.
    case ran(SessionID)
    /// An indicator finished displaying a load, or suppressed it. `visible` is the time that it was visible
    /// in nanoseconds; `suppressed` is the number of displays that ended within the grace time. A nil id
    /// means the load of the feed that this owner's last pop or reset ended. The values of several events for
    /// one load are added up.
    case shown(SessionID?, Feed, visible: Int64, suppressed: Int)
    /// The app adopted a date from elsewhere: wall time in microseconds since 1970.
    case adopt(Feed, lastUpdated: Int64)
    /// A user acknowledged imbalances; nil means all.
    case acknowledge([SessionID]?, by: String, note: String?)
    /// Sets what is expected of feeds. Values that are nil leave those of an earlier expectation unchanged.
    case expect(Expectation, FeedPattern)
    /// Removes an expectation.
    case clearExpectation(FeedPattern)
    /// Pauses an expectation, for a duration in nanoseconds; nil means until it is resumed.
    case pauseExpectation(FeedPattern, duration: Int64?)
    /// Ends the pause of an expectation.
    case resumeExpectation(FeedPattern)
    /// The owner closed its store. Its running loads are cancelled with the reason `quit`.
    case close
  }

  /// The kind of event.
  public var kind: Kind
  /// When the event happened, by the owner's clocks.
  public var at: LoadInstant
  /// The call site of the event.
  public var callSite: CallSite?
  /// What `loadlog run` adds to the event.
  package var run: RunDetails?

  /// Creates an event from its parts.
  public init(_ kind: Kind, at: LoadInstant, callSite: CallSite? = nil) {
    self.kind = kind
    self.at = at
    self.callSite = callSite
  }
}

/// An event with its number, which identifies it among the events of its owner.
public struct NumberedEvent: Sendable {
  /// The number, counted from 1. An owner's numbers increase; withdrawn events leave gaps.
  public let number: Int64
  /// The event.
  public let event: LoadEvent

  /// Creates a numbered event.
  public init(number: Int64, event: LoadEvent) {
    self.number = number
    self.event = event
  }
}
