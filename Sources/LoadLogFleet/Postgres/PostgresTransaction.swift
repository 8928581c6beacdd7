#if Fleet
  import Foundation
  import LoadLogCore

  extension PostgresConnection {
    /// How often a transaction is tried that meets others.
    private static let attempts = 10

    /// Runs statements in a transaction. If `work` throws, nothing of it stays.
    ///
    /// A transaction that the database ended because it met another one (SQLSTATE class 40) is tried again, after a
    /// pause that doubles up to about a second; so `work` may run several times.
    func transaction<Value>(
      _ patience: Patience = .usual, _ work: () throws(LoadLogError) -> Value
    ) throws(LoadLogError) -> Value {
      try attempt(patience) { () throws(LoadLogError) in
        try run(Self.beginning(patience).joined(separator: "; "))
        let value = try work()
        // What `work` did besides may have taken all of the time.
        give(patience.again)
        try run("COMMIT")
        return value
      }
    }

    /// Runs statements in a transaction, as ``transaction(_:_:)`` does, without waiting between them.
    ///
    /// - Returns: the answer of each.
    func transaction(
      _ patience: Patience = .usual, of statements: @autoclosure () -> [Statement]
    ) throws(LoadLogError) -> [Answer] {
      try attempt(patience) { () throws(LoadLogError) in
        let beginning = Self.beginning(patience).map { Statement($0) }
        let answers = try run(beginning + statements() + [Statement("COMMIT")])
        return Array(answers[beginning.count...].dropLast())
      }
    }

    /// The statements that begin a transaction. Its limits are its own: behind pgbouncer the next one may run on another
    /// connection. For the server, 0 would be no limit.
    private static func beginning(_ patience: Patience) -> [String] {
      [
        "BEGIN", "SET LOCAL statement_timeout = \(max(1, patience.left.wholeNanoseconds / 1_000_000))",
        "SET LOCAL idle_in_transaction_session_timeout = '60s'",
      ]
    }

    private func attempt<Value>(
      _ patience: Patience, _ transaction: () throws(LoadLogError) -> Value
    ) throws(LoadLogError) -> Value {
      defer { give(.usual) }
      var attempt = 1
      while true {
        give(patience)
        do {
          return try transaction()
        } catch {
          give(patience.again)
          // Ignore its failure: without a connection the server rolls back by itself.
          if isUsable { _ = try? run("ROLLBACK") }
          guard error.postgresFailure?.isWorthAnotherTry == true, attempt < Self.attempts, isUsable else {
            throw error
          }
        }
        // Each waits for another time, so that two that met do not meet again.
        Thread.sleep(forTimeInterval: .random(in: 0.5...1.5) * min(0.005 * Double(1 << attempt), 1))
        attempt += 1
      }
    }
  }
#endif
