import LoadLogCore

/// A batch that a store has made, as the store remembers it.
struct OutboxAttempt: Sendable, Hashable {
  /// The position of the database after the batch.
  var next: ShippedPosition
  /// The token that the database had to have; nil if it was not to know the host.
  var base: SessionID?
  /// How far the store is shipped if the batch has arrived.
  var progress: OutboxProgress
}

/// How far the sessions of a store are shipped.
struct OutboxProgress: Sendable, Hashable {
  /// The number of the last change in the journal that is shipped; -1 if a new journal was started.
  var through: Int64
  /// The number of the last session that a scan of all sessions has shipped; nil if there is no scan.
  var scanned: Int64?
}

/// What a store knows of its rows in a fleet's database, and what follows from what the database says.
///
/// Each batch moves the host from one token to a new, random one. So the token that the database has says which batches
/// it holds, whatever became of the connection.
struct OutboxState: Sendable, Hashable {
  /// The newest batch that is known to have arrived; nil if none is.
  var base: ShippedPosition?
  /// The batches made so far, oldest first; very old ones are forgotten.
  var attempts: [OutboxAttempt]

  /// The number of the next batch. It is greater than all before it, whichever database they were for.
  var nextRev: Int64 { max(base?.rev ?? 0, attempts.last?.next.rev ?? 0) + 1 }

  /// What to do next.
  enum Resolution: Sendable, Hashable {
    /// The database is where the store believes it to be: ship what waits.
    case ship
    /// A batch arrived whose answer was lost: note that, then ship what waits.
    case confirm(OutboxAttempt)
    /// The database was restored from a backup: go on from the batch that it has last.
    case rewind(OutboxAttempt)
    /// The store does not know what the database lacks: ship everything again, on top of what it has.
    case startOver(on: ShippedPosition?)
    /// Another copy of the store has shipped: two stores must not write the same rows.
    case refuse
  }

  /// What to do when the database has the host at a position; nil if it does not know the host.
  func resolution(of remote: ShippedPosition?) -> Resolution {
    guard remote?.token != base?.token else { return .ship }
    guard let remote else { return .startOver(on: nil) }
    if let attempt = attempts.last(where: { $0.next.token == remote.token }) {
      // A batch on the present base arrived late; one on another base is from before a restore.
      return attempt.base == base?.token ? .confirm(attempt) : .rewind(attempt)
    }
    // The number of batches only grows. One that is smaller, with a token that is forgotten, is that of an old backup, or
    // of a database that was used before.
    return remote.rev < base?.rev ?? 0 ? .startOver(on: remote) : .refuse
  }
}
