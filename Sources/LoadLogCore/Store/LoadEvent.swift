/// One thing that happened, on its way into a store.
public struct LoadEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// A load started, with a token or a client-made id.
    case start(SessionID, Feed, message: String?, tag: String?)
    /// A session finished.
    case finish(SessionID, Verdict)
    /// The count of a feed went up.
    case push(Feed)
    /// The count of a feed went down.
    case pop(Feed, Verdict)
    /// A stop that answers no start, whatever the count is.
    case extraPop(Feed, Verdict)
    /// The counts of the feeds went to 0; nil stands for all.
    case reset([Feed]?)
    /// A session was given up although its owner lives. Nothing happens to a session that is not running.
    case abandon(SessionID, AbandonReason)
    /// A running session says something else now.
    case update(SessionID, message: String?)
    /// An indicator that showed the session, or would have, is over: how long it was visible, in nanoseconds, and
    /// how many shows ended within their grace time. Nil stands for the session of the feed that this owner's last
    /// pop or reset ended. What several say of one session adds up.
    case shown(SessionID?, Feed, visible: Int64, suppressed: Int)
    /// A date that was kept elsewhere; wall time in microseconds.
    case adopt(Feed, lastUpdated: Int64)
    /// Somebody has seen imbalances; nil stands for all.
    case acknowledge([SessionID]?, by: String, note: String?)
    /// The owner closes its store: what it left running is cancelled, reason `quit`.
    case close
  }

  /// What happened.
  public var kind: Kind
  /// When, by the owner's clocks.
  public var at: LoadInstant
  /// Where in the code.
  public var callSite: CallSite?

  /// Makes an event of its parts.
  public init(_ kind: Kind, at: LoadInstant, callSite: CallSite? = nil) {
    self.kind = kind
    self.at = at
    self.callSite = callSite
  }
}

extension LoadEvent {
  /// It ends its owner.
  var isClosing: Bool { if case .close = kind { true } else { false } }
}

/// An event and its number among its owner's events, counted from 1.
public struct NumberedEvent: Sendable {
  /// The number. An owner's numbers grow; there may be gaps, where events were withdrawn.
  public let number: Int64
  /// The event.
  public let event: LoadEvent

  /// Makes a numbered event.
  public init(number: Int64, event: LoadEvent) {
    self.number = number
    self.event = event
  }
}
