#if Fleet
  /// How long the database may take.
  struct Patience {
    /// How long a question may take, or a statement. The rows that the server sends are a part of it.
    let limit: Duration
    /// When all statements together must be done; nil if each may take as long as the limit.
    private let end: ContinuousClock.Instant?

    static let usual = Patience(statement: .seconds(30))
    /// For answers of any length. A server that is gone is noticed earlier, by the limits of ``FleetAddress``.
    static let long = Patience(statement: .seconds(3600))

    private init(statement limit: Duration) { (self.limit, end) = (limit, nil) }

    /// The patience with a question, which begins now.
    ///
    /// - Parameter left: what is left of the limit; nil for all of it.
    init(question limit: Duration, left: Duration? = nil) {
      (self.limit, end) = (limit, .now + min(limit, left ?? limit))
    }

    /// After which time the server ends a statement that begins now.
    var left: Duration { end.map { $0 - .now } ?? limit }

    /// When the client gives up what it asks for now. What the server says at the limit needs some time on its way.
    var deadline: ContinuousClock.Instant { .now + left + limit / 3 }

    /// The whole time once more: a question that has an answer, or has failed, still has to end its transaction.
    var again: Patience { end == nil ? self : Patience(question: limit) }
  }
#endif
