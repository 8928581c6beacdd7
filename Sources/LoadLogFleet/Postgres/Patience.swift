#if Fleet
  /// How long the database may take.
  struct Patience {
    /// After which time the server ends a statement. The rows that it sends are a part of it.
    let limit: Duration
    /// Whether all statements of a transaction together may take so long, and not each of them.
    var isForAll = false

    static let usual = Patience(limit: .seconds(30))
    /// For answers of any length. A server that is gone is noticed earlier, by the limits of ``FleetAddress``.
    static let long = Patience(limit: .seconds(3600))

    /// How long the client waits. What the server says at the limit needs some time on its way.
    var ofClient: Duration { limit + limit / 3 }
  }
#endif
