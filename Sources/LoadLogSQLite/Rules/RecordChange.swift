import LoadLogCore

/// A change of the record that counters must follow.
enum RecordChange {
  /// A session started or changed; `now` is its row after the change.
  ///
  /// `was` is nil for a start. `isAcknowledged` is whether the session is acknowledged after the change.
  case session(was: SessionCondition?, now: StoredSession, isAcknowledged: Bool)
  /// An unmatched finish appeared (+1), or is no longer of this kind (-1).
  case unmatched(count: Int, UnmatchedSite, isAcknowledged: Bool)
}

/// The part of a session's state that counters depend on.
struct SessionCondition: Hashable {
  var state: SessionState
  /// Only unfinished starts are counted as acknowledged.
  var isAcknowledged: Bool

  static let acknowledgedBit: Int64 = 16

  init(_ state: SessionState, isAcknowledged: Bool = false) {
    self.state = state
    self.isAcknowledged = isAcknowledged
  }

  /// The number that the journal keeps.
  var code: Int64 { state.code | (isAcknowledged ? Self.acknowledgedBit : 0) }

  /// The condition with a number; nil if there is none.
  init?(code: Int64) {
    guard let state = SessionState(code: code & ~Self.acknowledgedBit) else { return nil }
    self.init(state, isAcknowledged: code & Self.acknowledgedBit != 0)
  }
}

/// Where an unmatched finish happened, and when.
struct UnmatchedSite {
  var kind: UnmatchedKind
  /// The row of its feed; nil if unknown.
  var feed: Int64?
  /// Wall time in microseconds.
  var at: Int64
  /// The row of its call site's text; nil if unknown.
  var callSite: Int64?
}
