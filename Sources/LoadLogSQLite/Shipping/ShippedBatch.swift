package import LoadLogCore

/// Which loads are shipped as rows. Dates, counts, call sites, expectations and flips always are.
package enum ShippedLoads: String, Sendable, CaseIterable {
  /// Every load.
  case all
  /// Loads that run, failed, or are unbalanced.
  case unusual
  /// No loads.
  case none
}

/// What a fleet's database keeps of a host itself.
package struct ShippedHost: Sendable, Hashable {
  /// The id of the host, chosen at random when its store first ships.
  package var id: SessionID
  /// The name that people know it by.
  package var name: String
  /// The id of the machine whose store it is.
  package var machineID: String
  /// The version of LoadLog that ships.
  package var version: String
  package var loads: ShippedLoads
  package var withMessages: Bool
  /// How many changes of the store were not shipped when the batch was made.
  package var waiting: Int
}

/// Where a host's rows stand: the token and the number of the batch that was written last.
package struct ShippedPosition: Sendable, Hashable {
  package var token: SessionID
  /// Counted from 1.
  package var rev: Int64

  package init(token: SessionID, rev: Int64) {
    self.token = token
    self.rev = rev
  }
}

/// Rows that a host writes to a fleet's database in one transaction, all or none.
///
/// A row replaces the row with its key. So a batch that arrives twice changes nothing, and a batch whose base is no
/// longer the newest is refused.
package struct ShippedBatch: Sendable {
  package var host: ShippedHost
  /// The position that the database must have; nil if it must not know the host.
  package var base: ShippedPosition?
  /// The position after the batch.
  package var next: ShippedPosition
  /// Rows of tables, each with a value for each of the table's columns.
  package var rows: [ShippedTable: [[ShippedValue]]] = [:]
  /// Numbers (`seq`) of sessions that ended, but are not shipped: they were pruned before, or the host ships no loads any
  /// more. The database hides those that it has as running.
  package var gone: [Int64] = []

  /// Whether the batch only says that the host is alive.
  package var isEmpty: Bool { rows.allSatisfy(\.value.isEmpty) && gone.isEmpty }
}

/// What a fleet's database has of a host that may have ended or been removed since, while the store could not ship it.
package struct ShippedRemains: Sendable, Hashable {
  /// Numbers (`seq`) of sessions without a finish: it may have come.
  package var unfinished: [Int64] = []
  /// Patterns of expectations.
  package var expectations: [String] = []
  /// The imbalances that are acknowledged.
  package var acknowledgements: [SessionID] = []

  package init() {}
}
