package import LoadLogCore

/// A batch that a store has made, as the store remembers it.
package struct OutboxAttempt: Sendable, Hashable {
  /// The position of the database after the batch.
  package var next: ShippedPosition
  /// The token that the database had to have; nil if it was not to know the host.
  package var base: SessionID?
  /// How far the store is shipped if the batch has arrived.
  package var progress: OutboxProgress

  package init(_ next: ShippedPosition, base: SessionID?, progress: OutboxProgress) {
    self.next = next
    self.base = base
    self.progress = progress
  }
}

/// How far the sessions of a store are shipped.
package struct OutboxProgress: Sendable, Hashable {
  /// The number of the last change in the journal that is shipped; -1 if a new journal was started.
  package var through: Int64
  /// The number of the last session that a scan of all sessions has shipped; nil if there is no scan.
  package var scanned: Int64?

  package init(through: Int64, scanned: Int64?) {
    self.through = through
    self.scanned = scanned
  }
}

/// What a store knows of its rows in a fleet's database, and what follows from what the database says.
///
/// Each batch moves the host from one token to a new, random one. So the token that the database has says which batches
/// it holds, whatever became of the connection.
package struct OutboxState: Sendable, Hashable {
  /// The newest batch that is known to have arrived; nil if none is.
  package var base: ShippedPosition?
  /// The batches made so far, oldest first; very old ones are forgotten.
  package var attempts: [OutboxAttempt]

  package init(base: ShippedPosition?, attempts: [OutboxAttempt]) {
    self.base = base
    self.attempts = attempts
  }

  /// What to do next.
  package enum Resolution: Sendable, Hashable {
    /// The database is where the store believes it to be: ship what waits.
    case ship
    /// A batch arrived whose answer was lost: note that, then ship what waits.
    case confirm(OutboxAttempt)
    /// The database was restored from a backup: go on from the batch that it has last.
    case rewind(OutboxAttempt)
    /// The database has lost what this store knows: ship everything again, on top of what it has.
    case startOver(on: ShippedPosition?)
    /// Another copy of the store has shipped: two stores must not write the same rows.
    case refuse
  }

  /// What to do when the database has the host at a position; nil if it does not know the host.
  package func resolution(of remote: ShippedPosition?) -> Resolution {
    guard remote?.token != base?.token else { return .ship }
    guard let remote else { return .startOver(on: nil) }
    if let attempt = attempts.last(where: { $0.next.token == remote.token }) {
      // A batch on the present base arrived late; one on another base is from before a restore.
      return attempt.base == base?.token ? .confirm(attempt) : .rewind(attempt)
    }
    // The number of batches only grows. One that is smaller, with a token that is forgotten, is an old backup's.
    return remote.rev < base?.rev ?? 0 ? .startOver(on: remote) : .refuse
  }
}
