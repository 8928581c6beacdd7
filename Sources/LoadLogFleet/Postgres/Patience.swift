#if Fleet
  /// How long the database may take.
  struct Patience {
    /// How long a question may take, or a statement. The rows that the server sends are a part of it.
    let limit: Duration
    /// After which time the server ends a statement: what earlier transactions have left of the limit.
    let left: Duration
    /// Whether all statements of a transaction together may take so long, and not each of them.
    let isForAll: Bool

    static let usual = Patience(statement: .seconds(30))
    /// For answers of any length. A server that is gone is noticed earlier, by the limits of ``FleetAddress``.
    static let long = Patience(statement: .seconds(3600))

    private init(statement limit: Duration) { (self.limit, left, isForAll) = (limit, limit, false) }

    /// - Parameter left: what is left of the limit; nil for all of it.
    init(question limit: Duration, left: Duration?) {
      (self.limit, self.left, isForAll) = (limit, min(limit, left ?? limit), true)
    }

    /// How long the client waits. What the server says at the limit needs some time on its way.
    var ofClient: Duration { left + limit / 3 }
  }
#endif
