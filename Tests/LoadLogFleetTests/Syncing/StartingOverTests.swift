import GRDB
import LoadLogCore
import LoadLogFleet
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// What becomes of rows that were shipped when a store ships everything again.
@Suite struct StartingOverTests {
  private let bench: FleetBench
  private let destination = MemoryDestination()

  init() throws { bench = try FleetBench() }

  private func rows(_ table: ShippedTable) -> [[ShippedValue]] {
    destination.hosts.values.first?.rows[table].map { Array($0.values) } ?? []
  }

  private func states() -> [ShippedValue] {
    rows(.session).map { $0[ShippedTable.session.column("state")] }
  }

  @Test func aLoadThatEndedMeanwhileIsShippedAtItsEnd() throws {
    let (first, second) = (SessionID(), SessionID())
    try bench.commit(.start(first, "backup", message: nil, tag: nil))
    try bench.commit(.start(second, "news", message: nil, tag: nil))
    try bench.sync(to: destination).round()
    #expect(states() == [.integer(0), .integer(0)])
    try bench.commit(.finish(first, .succeeded))
    try bench.sync(to: destination, withMessages: true).round()
    #expect(Set(states()) == [.integer(0), .integer(1)], "the one that runs still runs")
    try bench.commit(.finish(second, .succeeded))
    try bench.repair()
    try bench.sync(to: destination).round()
    #expect(states() == [.integer(1), .integer(1)])
  }

  @Test func aLoadThatWasTakenForCrashedIsShippedAtItsEnd() throws {
    let late = SessionID()
    try bench.commit(.start(late, "news", message: nil, tag: nil))
    bench.crash()
    try bench.repair()
    try bench.sync(to: destination).round()
    #expect(states() == [.integer(6)])
    try bench.commit(.finish(late, .succeeded))
    try bench.repair()
    try bench.sync(to: destination).round()
    #expect(states() == [.integer(1)])
  }

  @Test func aLoadThatWasPrunedMeanwhileRunsNoLonger() throws {
    let running = SessionID()
    try bench.commit(.start(running, "news", message: nil, tag: nil))
    try bench.sync(to: destination, loads: .all).round()
    try bench.commit(.finish(running, .succeeded))
    bench.clock.advance(by: .seconds(60))
    try bench.load("news")
    bench.clock.advance(by: .seconds(60))
    #expect(try bench.prune(before: bench.clock.now().wall) == 1)
    try bench.sync(to: destination, withMessages: true).round()
    #expect(Set(states()) == [.integer(1), .null])
  }

  /// The database has it as crashed.
  @Test(arguments: [ShippedLoads.all, .unusual])
  func aCrashedLoadThatFinishedAndWasPrunedHasEnded(loads: ShippedLoads) throws {
    let late = SessionID()
    try bench.commit(.start(late, "news", message: nil, tag: nil))
    bench.crash()
    try bench.sync(to: destination, loads: loads).round()
    #expect(states() == [.integer(6)])
    try bench.commit(.finish(late, .succeeded))
    bench.clock.advance(by: .seconds(60))
    try bench.load("news")
    bench.clock.advance(by: .seconds(60))
    #expect(try bench.prune(before: bench.clock.now().wall) >= 1)
    try bench.sync(to: destination, withMessages: true).round()
    #expect(!states().contains(.integer(6)))
  }

  @Test func whatARepairTakesBackIsTakenBackThere() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination)
    try sync.round()
    bench.crash()
    try DatabaseQueue(path: bench.place.path).write { database in
      try database.execute(
        sql: "UPDATE summary SET day = 5 WHERE day > 0; INSERT INTO imbalance_site VALUES (5, 1, 6, 0, 0, 2)")
    }
    try sync.round()
    try bench.repair()
    try sync.round()
    let day = ShippedTable.summary.column("day"), loads = ShippedTable.summary.column("loads")
    let wrong = rows(.summary).filter { $0[day] == .integer(5) }
    #expect(!wrong.isEmpty && wrong.allSatisfy { $0[loads] == .integer(0) })
    let count = ShippedTable.site.column("count")
    #expect(rows(.site).map { $0[count] } == [.integer(0)])
    #expect(try destination.hosts.values.first?.rows == bench.everything(.unusual))
  }

  @Test func aBatchWhoseAnswerWasLostEndsNoNewBeginning() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination)
    destination.nextBreak = .afterCommit
    #expect(throws: LoadLogError.self) { try sync.round() }
    try bench.sync(to: destination, loads: .all).round()
    #expect(states() == [.integer(1)])
  }

  @Test func aBatchFromBeforeARepairEndsNoNewBeginning() throws {
    try bench.load("news", times: 20)
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    try bench.load("news")
    destination.nextBreak = .afterCommit
    #expect(throws: LoadLogError.self) { try sync.round() }
    try bench.repair()
    // The new journal counts from 1, and gets further than the old one.
    try bench.load("news", times: 40)
    try bench.sync(to: destination).round()
    #expect(try destination.hosts.values.first?.rows == bench.everything())
  }

  @Test func whatLoadsAloneHaveComesWithThem() throws {
    try bench.commit(.extraPop("network", .succeeded))
    try bench.commit(.acknowledge(nil, by: "me", note: nil))
    try bench.sync(to: destination, loads: ShippedLoads.none).round()
    #expect(rows(.unmatched).isEmpty && rows(.acknowledgement).isEmpty)
    try bench.sync(to: destination, loads: .unusual).round()
    #expect(rows(.unmatched).count == 1 && rows(.acknowledgement).count == 1)
  }

  @Test(arguments: [true, false]) func whatWasRemovedSinceABackupStaysRemoved(_ remembersBatch: Bool) throws {
    try bench.commit(.expect(Expectation(.every(3_600_000_000_000)), "news"))
    let sync = bench.sync(to: destination)
    try sync.round()
    let backup = destination.hosts
    try bench.commit(.clearExpectation("news"))
    try sync.round()
    if !remembersBatch { try bench.forgetAttempts() }
    destination.restore(backup)
    try sync.round()
    #expect(rows(.expectation).map { $0[ShippedTable.expectation.column("is_removed")] } == [.integer(1)])
  }

  @Test func anOldAnswerOfTheDatabaseIsNoRestore() throws {
    try bench.load("news")
    let (first, second) = (bench.sync(to: destination), bench.sync(to: destination))
    try first.round()
    try bench.load("weather")
    var looks = 0
    // Before the first one acts on what it saw, another program ships, and once more when it has looked again.
    func shipBetween() {
      looks += 1
      #expect(throws: Never.self) {
        try bench.load("news")
        try second.round()
      }
      if looks == 1 { destination.afterLook = shipBetween }
    }
    destination.afterLook = shipBetween
    let before = destination.batches.count
    try first.round()
    let rows = destination.batches[before...].flatMap { $0.rows[.feed] ?? [] }
    #expect(looks == 2 && rows.count == 3, "each feed only when it has changed")
    #expect(try destination.hosts.values.first?.rows == bench.everything(.unusual))
  }
}
