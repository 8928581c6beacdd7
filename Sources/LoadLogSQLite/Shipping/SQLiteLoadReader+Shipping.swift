package import LoadLogCore

extension SQLiteLoadReader {
  /// What waits to be shipped to a fleet's database, in words; nil without a fleet.
  ///
  /// - Throws: what ``feeds()`` throws.
  package func shipping() throws(LoadLogError) -> (host: String, waiting: String)? {
    try read { query in
      try FleetRow.fetch(in: query.database).map { row in
        (row.name, try OutboxPick.waitingText(in: query.database, row.progress))
      }
    }
  }
}
