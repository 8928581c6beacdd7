#if Fleet
  import LoadLogCore
  import PostgresMigrations

  /// A fleet's database, connected when it is first used and again after the connection broke.
  final class FleetDatabase {
    private let address: FleetAddress
    /// What to do if the role lacks a right for what is done here.
    private let rightsAdvice: String
    private var connection: PostgresConnection?

    init(_ address: FleetAddress, withoutRights advice: String) {
      self.address = address
      rightsAdvice = advice
    }

    /// Whether there is a connection, of which nothing is known since it was last used.
    var isConnected: Bool { connection != nil }

    /// Runs statements in a transaction on a database that has the tables of this version.
    ///
    /// - Throws: `fleetUnreachable`, `fleetUnusable` or `busy`.
    func transaction<Value>(
      _ patience: Patience = .usual, _ work: (PostgresConnection) throws(LoadLogError) -> Value
    ) throws(LoadLogError) -> Value {
      try useFleet(patience) { (connection) throws(LoadLogError) in
        try connection.transaction(patience) { () throws(LoadLogError) in try work(connection) }
      }
    }

    /// Runs statements in a transaction, as ``transaction(_:_:)`` does, without waiting between them.
    ///
    /// - Returns: the answer of each.
    func transaction(
      of statements: @autoclosure () -> [PostgresConnection.Statement]
    ) throws(LoadLogError) -> [PostgresConnection.Answer] {
      try useFleet(.usual) { (connection) throws(LoadLogError) in
        try connection.transaction(of: statements())
      }
    }

    private func useFleet<Value>(
      _ patience: Patience, _ work: (PostgresConnection) throws(LoadLogError) -> Value
    ) throws(LoadLogError) -> Value {
      try expectTime(patience)
      let connection = if let connection { connection } else { try connectToFleet(patience) }
      // Hosts of the address that are silent may have taken all of the time: then the next question has the connection.
      try expectTime(patience)
      return try use(connection, work)
    }

    private func expectTime(_ patience: Patience) throws(LoadLogError) {
      guard patience.left > .zero else { throw .fleetIsSlow(address.place, patience.limit) }
    }

    /// Runs statements on a database whose tables may be missing or old.
    func use<Value>(
      _ given: PostgresConnection? = nil, _ work: (PostgresConnection) throws(LoadLogError) -> Value
    ) throws(LoadLogError) -> Value {
      let connection = if let open = given ?? connection { open } else { try PostgresConnection(to: address) }
      do {
        let value = try work(connection)
        self.connection = connection
        return value
      } catch {
        // After a failover the old server may still answer, as a standby.
        if error.code == .fleetUnreachable || !connection.isUsable { self.connection = nil }
        throw error.advising(withoutRights: rightsAdvice)
      }
    }

    /// An error that says what is wrong with the database.
    func refusal(_ why: String, advice: String? = nil) -> LoadLogError {
      LoadLogError(
        .fleetUnusable, what: "the fleet's database", value: address.place, why: why, advice: advice)
    }

    private func connectToFleet(_ patience: Patience) throws(LoadLogError) -> PostgresConnection {
      let new = try PostgresConnection(to: address)
      let answers: [PostgresConnection.Answer]
      do throws(LoadLogError) {
        answers = try new.transaction(
          patience.again, of: [PostgresConnection.Statement("SELECT max(version) FROM migration")])
      } catch {
        throw error.advising(withoutRights: rightsAdvice)
      }
      let version = answers.first?.rows.first?[0].flatMap { Int($0) } ?? 0
      if version < postgresMigrations.count {
        throw refusal(
          "its tables are of an older version", advice: "Bring them up to date: loadlog fleet init")
      }
      guard version == postgresMigrations.count else {
        throw refusal("a newer version of LoadLog made its tables", advice: "Update LoadLog.")
      }
      connection = new
      return new
    }
  }
#endif
