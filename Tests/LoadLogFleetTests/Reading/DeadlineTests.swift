#if Fleet
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogLibC
  import LoadLogSQLite
  import Testing

  /// How long a reader waits for its database.
  @Suite(.timeLimit(.minutes(10))) struct DeadlineTests {
    private let bench: PostgresBench
    private let host: RecordedHost

    init() throws {
      bench = try PostgresBench()
      host = try RecordedHost("web-1")
    }

    private func reader(_ deadline: Duration) -> FleetReader {
      FleetReader(bench.address, .init(deadline: deadline), clock: host.clock)
    }

    /// Puts a view in the place of a table, with a column that takes its time.
    private func slow(_ table: String, _ column: String, seconds: Double) throws {
      try bench.psql(
        """
        CREATE OR REPLACE FUNCTION slowly(given ANYELEMENT) RETURNS ANYELEMENT LANGUAGE plpgsql STABLE AS $$
        BEGIN
          RAISE LOG 'asked %', current_database();
          PERFORM pg_sleep(\(seconds));
          RETURN given;
        END $$;
        ALTER TABLE \(table) RENAME TO real_\(table);
        """)
      let columns = try bench.psql(
        """
        SELECT string_agg(CASE column_name WHEN '\(column)' THEN 'slowly(\(column)) AS ' ELSE '' END || column_name, ', '
          ORDER BY ordinal_position)
        FROM information_schema.columns WHERE table_name = 'real_\(table)'
        """)
      try bench.psql("CREATE VIEW \(table) AS SELECT \(columns) FROM real_\(table)")
    }

    /// How often ``slow(_:_:seconds:)``'s column was read.
    private func timesAsked() throws -> Int {
      let log = try String(contentsOf: bench.server.folder.appending(path: "log"), encoding: .utf8)
      return log.matches(of: /LOG: +asked (\S+)/).count { $0.1 == bench.database }
    }

    @Test func aSlowQuestionEndsAtItsDeadlineAndIsNotAskedAgain() throws {
      try host.load("reviews", taking: .seconds(1))
      try host.ship(to: bench.address)
      let fleet = reader(.seconds(3))
      #expect(try fleet.dataVersion() > 0, "it keeps a connection")
      try slow("feed", "name", seconds: 600)
      let error = #expect(throws: LoadLogError.self) { try fleet.feeds() }
      #expect(error?.code == .busy && error?.why == "it did not answer within 3 s")
      #expect(try timesAsked() == 1)
      #expect(try fleet.dataVersion() > 0)
    }

    @Test func allStatementsOfAQuestionHaveOneDeadline() throws {
      try host.load("reviews", taking: .seconds(1))
      try host.ship(to: bench.address)
      try slow("feed", "name", seconds: 2)
      let error = #expect(throws: LoadLogError.self) { try reader(.seconds(3)).history(LoadFilter()) }
      #expect(error?.code == .busy)
      #expect(try reader(.seconds(300)).history(LoadFilter()).loads.count == 1)
    }

    /// Each read is a transaction, of which a page has no time for hundreds.
    @Test func theSuccessesOfManyFeedsAreOneRead() throws {
      let feeds = (1...60).map { Feed("feed-\($0)") }
      for feed in feeds { try host.load(feed, taking: .zero) }
      try host.ship(to: bench.address)
      try slow("fleet_hosts", "host", seconds: 0)
      let found = try reader(.seconds(300)).successes(of: feeds, limit: 9)
      #expect(Set(found.keys) == Set(feeds) && found.values.allSatisfy { $0.count == 1 })
      #expect(try timesAsked() == 1)
    }

    @Test func theReadsOfAQuestionHaveOneDeadline() throws {
      try host.load("reviews", taking: .seconds(1))
      try host.ship(to: bench.address)
      let fleet = reader(.seconds(3))
      _ = try fleet.dataVersion()
      try slow("feed", "name", seconds: 2)
      let error = #expect(throws: LoadLogError.self) {
        try SQLiteLoadReader.answering(within: .seconds(3)) {
          _ = try fleet.feeds()
          _ = try fleet.feeds()
        }
      }
      #expect(error?.code == .busy && error?.why == "it did not answer within 3 s")
    }

    @Test func connectingTakesItsTimeFromTheQuestion() throws {
      try host.load("reviews", taking: .seconds(1))
      try host.ship(to: bench.address)
      try slow("migration", "version", seconds: 2)
      try slow("feed", "name", seconds: 2)
      let error = #expect(throws: LoadLogError.self) { try reader(.seconds(3)).feeds() }
      #expect(error?.code == .busy && error?.why == "it did not answer within 3 s")
      #expect(try reader(.seconds(300)).feeds() == ["reviews"])
    }

    @Test func silentHostsOfTheAddressDelayOnlyTheFirstQuestion() throws {
      let silent = [try SilentHost(), try SilentHost()]
      let ports = (silent.map(\.port) + [bench.server.port]).map(String.init).joined(separator: ",")
      let address = try FleetAddress(
        "postgresql://postgres@/\(bench.database)?host=127.0.0.1,127.0.0.1,\(bench.server.folder.path)&port=\(ports)"
      )
      let fleet = FleetReader(address, .init(deadline: .seconds(3)))
      let error = #expect(throws: LoadLogError.self) { try fleet.dataVersion() }
      #expect(error?.code == .busy && error?.why == "it did not answer within 3 s")
      #expect(try fleet.dataVersion() == 0)
      let other = FleetReader(address, .init(deadline: .seconds(3)))
      try other.connect()
      #expect(try other.dataVersion() == 0)
      withExtendedLifetime(silent) {}
    }

    @Test func nothingIsAskedAfterTheDeadlineOfAQuestion() throws {
      let nowhere = FleetReader(
        try FleetAddress("postgresql://127.0.0.1:1/fleet"), .init(deadline: .seconds(3)))
      let late = #expect(throws: LoadLogError.self) {
        try SQLiteLoadReader.answering(within: .zero) { try nowhere.feeds() }
      }
      #expect(late?.code == .busy)
      let unreached = #expect(throws: LoadLogError.self) { try nowhere.feeds() }
      #expect(unreached?.code == .fleetUnreachable)
    }

    @Test func aServerThatIsSilentIsGivenUp() throws {
      try host.load("reviews", taking: .seconds(1))
      try host.ship(to: bench.address)
      let fleet = reader(.seconds(3))
      _ = try fleet.dataVersion()
      let process = try bench.psql(
        """
        SELECT pid FROM pg_stat_activity WHERE application_name = 'loadlog' AND datname = current_database()
        ORDER BY backend_start DESC LIMIT 1
        """)
      try Shell.run("kill -STOP \(process)")
      defer { _ = try? Shell.run("kill -CONT \(process)") }
      let error = #expect(throws: LoadLogError.self) { try fleet.dataVersion() }
      #expect(error?.code == .busy)
      #expect(try reader(.seconds(300)).dataVersion() > 0)
      #expect(try fleet.dataVersion() > 0, "it has another connection")
    }

    @Test func anExportMayTakeLonger() throws {
      let count = 40
      for number in 0..<count { try host.start("reviews", message: "\(number)") }
      try host.ship(to: bench.address)
      try slow("text_value", "value", seconds: 0.1)
      let fleet = reader(.seconds(3))
      let error = #expect(throws: LoadLogError.self) { try fleet.history(LoadFilter()) }
      #expect(error?.code == .busy)
      let rows = try fleet.export(LoadFilter(), onlyFlips: false).rows
      var loads = 0
      while let page = try rows.nextRows() { loads += page.count }
      #expect(loads == count)
    }
  }

  /// A host that takes connections, and says nothing.
  private final class SilentHost {
    let port: Int
    private let descriptor: Int32

    init() throws {
      (descriptor, port) = try PostgresServer.newSocket()
      listen(descriptor, 8)
    }

    deinit { close(descriptor) }
  }
#endif
