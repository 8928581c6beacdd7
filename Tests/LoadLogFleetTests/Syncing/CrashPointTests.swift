#if Fleet && !canImport(Darwin)
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  import LoadLogTestSupport
  import Testing

  /// A sync may be killed at each step of a round, and at each moment between two.
  @Suite(.timeLimit(.minutes(10))) struct CrashPointTests {
    private let bench: FleetBench
    private let fleet: PostgresBench

    init() throws {
      bench = try FleetBench()
      fleet = try PostgresBench()
    }

    @Test(arguments: CrashPoint.allCases)
    func theNextRoundShipsWhatIsMissing(_ point: CrashPoint) async throws {
      try record(1)
      try round()
      if point != .heartbeat { try record(2) }
      if point == .sending { try recordMuch() }
      if point == .resolving { try await killSync(at: .arrived) }
      let (before, time) = (try newestBatches(), try timeOfSync())

      try await killSync(at: point)
      let after = try newestBatches()
      #expect(point.batches.contains(after), "\(after)")
      // Whether a heartbeat is sent by then is open, too.
      if point != .heartbeat { #expect(try (timeOfSync() == time) == (after.arrived == before.arrived)) }

      try record(3)
      try round()
      // A batch that was made but not sent keeps its number.
      let last = after.made + 1
      #expect(try newestBatches() == NewestBatches(made: last, arrived: last, known: last))
      try expectTheRowsOfTheStore()
    }

    /// Changes something in each table.
    private func record(_ number: Int) throws {
      try bench.commit(
        .extraPop("network", .succeeded), .acknowledge(nil, by: "me", note: nil),
        .pop("spinner", .succeeded), .push("spinner"),
        .expect(Expectation(.every(3_600_000_000_000), note: "\(number)"), "news"))
      try bench.load("backup", number == 2 ? .succeeded : .failed("no route"))
      try bench.noteFlips()
      try bench.load("news")
    }

    /// Records more than a connection holds that the database does not read.
    private func recordMuch() throws {
      for number in 0..<500 {
        try bench.load("backup", .failed("\(number) " + String(repeating: "x", count: 1_900)))
      }
    }

    private func round() throws { try Self.ship(bench.place.path, to: url) }

    private var url: String { fleet.server.url(fleet.database) }

    private static func ship(_ store: String, to fleet: String) throws {
      var options = FleetSync.Options()
      options.loads = .all
      try FleetSync(storeAt: URL(filePath: store), to: fleet, options: options).round()
    }

    private func killSync(at point: CrashPoint) async throws {
      var hold: Hold?
      if case .held(let trigger) = point.place { hold = try Hold(trigger, in: fleet) }
      await Self.expectDeath(at: point, store: bench.place.path, fleet: url)
      try hold?.release()
    }

    private static func expectDeath(at point: CrashPoint, store: String, fleet: String) async {
      await #expect(processExitsWith: .signal(SIGKILL)) { [point, store, fleet] in
        point.arm(fleet: fleet)
        try CrashPointTests.ship(store, to: fleet)
      }
    }

    private func newestBatches() throws -> NewestBatches {
      NewestBatches(
        made: try #require(try bench.number("SELECT rev FROM fleet_attempt ORDER BY n DESC LIMIT 1")),
        arrived: try #require(Int64(try fleet.psql("SELECT rev FROM host"))),
        known: try #require(try bench.number("SELECT rev FROM fleet")))
    }

    /// When the database took the last batch, or renewed the lease.
    private func timeOfSync() throws -> String { try fleet.psql("SELECT synced_at FROM host") }

    /// Compares each table of the database with what the store ships to one that knows nothing of it.
    private func expectTheRowsOfTheStore() throws {
      let outbox = try StoreOutbox(at: bench.place.path)
      let host = try outbox.prepare(StoreOutbox.Settings()).id
      #expect(try fleet.psql("SELECT id FROM host") == host.description)
      #expect(try fleet.destination.position(of: host) == outbox.base())
      let rows = try bench.everything().mapValues { Array($0.values) }
      #expect(Set(rows.keys) == Set(ShippedTable.allCases), "each table has rows")
      let other = SessionID()
      try fleet.ship(fleet.batch(nil, rows, of: other))
      for table in ShippedTable.allCases {
        #expect(try fleet.differences(in: table, between: host, and: other) == "", "\(table)")
      }
    }
  }
#endif
