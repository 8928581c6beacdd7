import LoadLog

/// A load that an indicator of the demo made, and the values that the record must have for it.
struct DrawnLoad: Sendable {
  /// Clock readings immediately before and after an action.
  struct Span: Sendable {
    let from: LoadInstant, to: LoadInstant
  }

  /// The state in which the load ended, and when.
  struct End: Sendable {
    let state: SessionState
    let span: Span
  }

  let id: SessionID
  let feed: Feed
  let started: Span
  /// Nil while the load is running.
  var end: End?
}
