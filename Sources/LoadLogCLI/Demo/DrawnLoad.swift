import LoadLog

/// A load that the demo has driven an indicator with: what the record must say of it.
struct DrawnLoad: Sendable {
  /// Clock readings right before and right after something was done.
  struct Span: Sendable {
    let from: LoadInstant, to: LoadInstant
  }

  /// How and when it ended.
  struct End: Sendable {
    let state: SessionState
    let span: Span
  }

  let id: SessionID
  let feed: Feed
  let started: Span
  /// Nil while it runs.
  var end: End?
}
