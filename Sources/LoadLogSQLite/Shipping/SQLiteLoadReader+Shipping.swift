package import LoadLogCore

extension SQLiteLoadReader {
  /// What waits to be shipped to a fleet's database; nil without a fleet.
  ///
  /// - Throws: what ``feeds()`` throws.
  package func shipping() throws(LoadLogError) -> (host: String, waiting: Int)? {
    try read { query in
      try FleetRow.fetch(in: query.database).map { row in
        (row.name, try OutboxPick.waiting(in: query.database, row.progress))
      }
    }
  }
}
