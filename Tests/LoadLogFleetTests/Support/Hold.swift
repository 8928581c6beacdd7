#if Fleet
  import LoadLogLibC
  import TestProcesses

  @testable import LoadLogFleet

  /// A trigger that holds up what a database does, until it is released.
  final class Hold {
    private let bench: PostgresBench
    /// Has the lock that the trigger waits for.
    private let holder: Child

    /// Makes a trigger.
    ///
    /// - Parameter trigger: `CREATE` and `EXECUTE FUNCTION` make a statement of it.
    init(_ trigger: String, in bench: PostgresBench) throws {
      self.bench = bench
      holder = try Child(bench.server.psqlCommand(bench.database))
      try holder.write("SELECT 'locked' FROM pg_advisory_lock(1);")
      guard try holder.line() == "locked" else { throw Shell.Failure(description: "nothing is locked") }
      try bench.psql(
        """
        CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
        CREATE \(trigger) EXECUTE FUNCTION hold()
        """)
    }

    /// Removes the trigger. What was held up goes on, and has ended when this returns.
    func release() throws {
      try holder.finish()
      // Waits for the transactions that have written to the trigger's table.
      try bench.psql("SET client_min_messages = warning; DROP FUNCTION hold CASCADE")
    }

    /// Kills this process once a trigger of another process holds up a database.
    static func killThisProcess(whenItHoldsUp address: String) {
      _ = Background<Void> {
        let connection = try PostgresConnection(to: FleetAddress(address))
        while try connection.run(waiting).rows.isEmpty {}
        kill(getpid(), SIGKILL)
      }
    }

    /// Finds what waits for the lock.
    private static let waiting = """
      SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted
      """
  }
#endif
