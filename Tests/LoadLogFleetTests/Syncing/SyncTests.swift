import Foundation
import LoadLogCore
import LoadLogFleet
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// What of a store arrives in a fleet's database.
@Suite struct SyncTests {
  private let bench: FleetBench
  private let destination = MemoryDestination()

  init() throws { bench = try FleetBench() }

  private func rows(_ table: ShippedTable) -> [[ShippedValue]: [ShippedValue]] {
    destination.hosts.values.first?.rows[table] ?? [:]
  }

  private func states() -> [ShippedValue] {
    let (seq, state) = (ShippedTable.session.column("seq"), ShippedTable.session.column("state"))
    return rows(.session).values.sorted { "\($0[seq])" < "\($1[seq])" }.map { $0[state] }
  }

  @Test func everyRowArrives() throws {
    try bench.commit(.push("network"), .pop("network", .succeeded), .extraPop("network", .succeeded))
    try bench.load("news")
    try bench.load("news", .failed("no route"))
    try bench.commit(.expect(Expectation(.every(3_600_000_000_000)), "news"))
    let round = try bench.sync(to: destination, loads: .all).round()
    #expect(round.loads == 3)
    #expect(rows(.session).count == 3)
    #expect(rows(.unmatched).count == 1)
    #expect(rows(.expectation).count == 1)
    let summaries = try bench.number("SELECT count(*) FROM summary").map(Int.init)
    #expect(rows(.summary).count == summaries)
    #expect(rows(.feed).count == 2)
    let loads = ShippedTable.summary.column("loads")
    let day = ShippedValue.integer(-1)
    #expect(rows(.summary)[[day, .integer(0)]]?[loads] == .integer(3))
    #expect(try destination.hosts.values.first?.rows == bench.everything())
  }

  @Test func onlyChangesAreShippedAgain() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    try bench.load("weather")
    let round = try sync.round()
    #expect(round.loads == 1)
    #expect(destination.batches.last?.rows[.session]?.count == 1)
    #expect(try destination.hosts.values.first?.rows == bench.everything())
  }

  @Test func anIdleRoundOnlySaysThatTheHostIsAlive() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination)
    try sync.round()
    let position = destination.hosts.values.first?.position
    let round = try sync.round()
    #expect(round.rows == 0)
    #expect(destination.hosts.values.first?.position == position)
    #expect(destination.batches.last?.isEmpty == true)
  }

  @Test func onlyUnusualLoadsAreRows() throws {
    try bench.load("news")
    try bench.load("news", .failed("no route"))
    try bench.sync(to: destination).round()
    #expect(states() == [.integer(3)])
    #expect(destination.hosts.values.first?.description.loads == .unusual)
  }

  @Test func aLoadThatRanIsShippedAtItsEnd() throws {
    let id = SessionID()
    try bench.commit(.start(id, "news", message: nil, tag: nil))
    let sync = bench.sync(to: destination)
    try sync.round()
    #expect(states() == [.integer(0)])
    try bench.commit(.finish(id, .succeeded))
    try sync.round()
    #expect(states() == [.integer(1)])
  }

  @Test func withoutLoadsOnlyTheirCountsAreShipped() throws {
    try bench.load("news", .failed("no route"))
    try bench.commit(.extraPop("network", .succeeded))
    try bench.sync(to: destination, loads: ShippedLoads.none).round()
    #expect(rows(.session).isEmpty)
    #expect(rows(.unmatched).isEmpty)
    #expect(rows(.site).isEmpty == false)
    #expect(try bench.number("SELECT count(*) FROM unshipped") == 0)
  }

  @Test func messagesStayUnlessTheyAreWanted() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    func texts() -> Set<ShippedValue> { Set(rows(.text).values.map { $0[1] }) }
    #expect(texts().contains(.text("tag")))
    #expect(!texts().contains(.text("secret of news")))
    try bench.sync(to: destination, withMessages: true).round()
    #expect(texts().contains(.text("secret of news")))
  }

  @Test func aMessageThatChangesIsShippedWithTheNextRound() throws {
    let id = SessionID()
    try bench.commit(.start(id, "news", message: "half of it", tag: nil))
    let sync = bench.sync(to: destination, withMessages: true)
    try sync.round()
    func message() throws -> ShippedValue {
      let row = try #require(rows(.session).values.first)
      return rows(.text)[[row[ShippedTable.session.column("message")]]]?[1] ?? .null
    }
    #expect(try message() == .text("half of it"))
    try bench.commit(.update(id, message: "all of it"))
    try sync.round()
    #expect(try message() == .text("all of it"))
    try bench.commit(.finish(id, .succeeded))
    try sync.round()
    #expect(try bench.number("SELECT loads FROM summary WHERE feed = 0 AND day = -1") == 1)
    try bench.sync(to: destination, withMessages: false).round()
    try bench.commit(.start(SessionID(), "news", message: nil, tag: nil))
    let last = try bench.number("SELECT max(n) FROM change")
    try bench.commit(.update(id, message: "no longer wanted"))
    #expect(try bench.number("SELECT max(n) FROM change") == last)
  }

  @Test func whatIsAddedToALoadThatEndedIsShipped() throws {
    let (failed, ended) = (SessionID(), SessionID())
    try bench.commit(.start(failed, "news", message: nil, tag: nil))
    try bench.commit(.finish(failed, .failed("exit 1")), isRetried: true)
    try bench.commit(.start(ended, "weather", message: nil, tag: nil), .finish(ended, .succeeded))
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    try bench.commit(.ran(failed), isRetried: false)
    try bench.commit(.shown(ended, "weather", visible: 5_000_000_000, suppressed: 1))
    try sync.round()
    #expect(destination.batches.last?.rows[.session]?.count == 2)
    #expect(try destination.hosts.values.first?.rows == bench.everything())
    #expect(try bench.number("SELECT loads * 10 + failed FROM summary WHERE feed = 0 AND day = -1") == 21)
    try bench.sync(to: destination, loads: .unusual).round()
    let last = try bench.number("SELECT max(n) FROM change")
    try bench.commit(.shown(ended, "weather", visible: 5_000_000_000, suppressed: 0))
    #expect(try bench.number("SELECT max(n) FROM change") == last, "its row is not shipped any more")
  }

  /// The counters take the oldest change of a load for what it was before.
  @Test func aLoadOfOneCommitIsCountedHoweverMuchIsAddedToIt() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination, loads: .all, withMessages: true)
    try sync.round()
    let id = SessionID()
    try bench.commit(.start(id, "news", message: nil, tag: nil), .update(id, message: "half of it"))
    try bench.commit(.finish(id, .succeeded), .shown(id, "news", visible: 5_000_000_000, suppressed: 0))
    try sync.round()
    let counts = "SELECT loads * 10 + succeeded FROM summary WHERE feed = 0 AND day = -1"
    #expect(try bench.number(counts) == 22)
  }

  /// The fleet cannot see that the command is dead.
  @Test func aFailureCountsWhoseRetryDied() throws {
    let id = SessionID()
    try bench.commit(.start(id, "backup", message: nil, tag: nil))
    try bench.commit(.finish(id, .failed("exit 1")), isRetried: true)
    let sync = bench.sync(to: destination)
    try sync.round()
    let verdict = ShippedTable.feed.column("last_verdict")
    #expect(rows(.feed).values.map { $0[verdict] } == [.null])
    bench.crash()
    try sync.round()
    #expect(rows(.feed).values.map { $0[verdict] } == [.integer(3)])
    let retried = ShippedTable.session.column("is_retried")
    #expect(rows(.session).values.map { $0[retried] } == [.integer(0)])
    #expect(try destination.hosts.values.first?.rows == bench.everything(.unusual))
  }

  @Test func otherLoadsAreShippedOnceTheyAreWanted() throws {
    try bench.load("news")
    try bench.sync(to: destination).round()
    #expect(rows(.session).isEmpty)
    try bench.sync(to: destination, loads: .all).round()
    #expect(states() == [.integer(1)])
    try bench.sync(to: destination).round()
    #expect(destination.hosts.count == 1)
    #expect(destination.hosts.values.first?.description.loads == .all, "the store remembers")
  }

  @Test func theDeadAreJudgedBeforeTheyAreShipped() throws {
    try bench.commit(.start(SessionID(), "news", message: nil, tag: nil))
    let sync = bench.sync(to: destination)
    bench.crash()
    try sync.round()
    #expect(states() == [.integer(6)])
  }

  @Test func theLocksOfTheDeadAreDeleted() throws {
    func locks() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: bench.place.folder.path)
        .filter { $0.contains("-owner-") }
    }
    try bench.commit(.start(SessionID(), "news", message: nil, tag: nil))
    bench.crash()
    #expect(try locks().count == 1)
    try bench.sync(to: destination).round()
    #expect(try locks() == [])
  }

  @Test func whatRanAndWasPrunedRunsNoLonger() throws {
    let (running, last) = (SessionID(), SessionID())
    try bench.commit(.start(running, "news", message: nil, tag: nil))
    let sync = bench.sync(to: destination)
    try sync.round()
    try bench.commit(.finish(running, .succeeded))
    bench.clock.advance(by: .seconds(60))
    try bench.commit(.start(last, "news", message: nil, tag: nil), .finish(last, .succeeded))
    bench.clock.advance(by: .seconds(60))
    #expect(try bench.prune(before: bench.clock.now().wall) == 1)
    try sync.round()
    #expect(states() == [.null])
  }

  @Test func anExpectationThatIsClearedIsRemoved() throws {
    try bench.commit(.expect(Expectation(.every(3_600_000_000_000)), "news"))
    let sync = bench.sync(to: destination)
    try sync.round()
    try bench.commit(.clearExpectation("news"))
    try sync.round()
    let removed = ShippedTable.expectation.column("is_removed")
    #expect(rows(.expectation).values.map { $0[removed] } == [.integer(1)])
  }

  @Test func anAcknowledgementTakesItsCountsBack() throws {
    try bench.commit(.extraPop("network", .succeeded))
    let sync = bench.sync(to: destination)
    try sync.round()
    try bench.commit(.acknowledge(nil, by: "me", note: nil))
    try sync.round()
    let count = ShippedTable.site.column("count")
    #expect(Set(rows(.site).values.map { $0[count] }) == [.integer(0)])
    #expect(rows(.acknowledgement).count == 1)
  }

  @Test func importedLoadsAreShipped() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    let target = try StoreImport(
      into: bench.place.url, source: "test", processes: bench.processes, clock: bench.clock)
    let start = StartLine(at: bench.clock.now().wall - 5_000_000, feed: "old", id: SessionID())
    var items = [
      ImportedItem.line(
        PositionedLine(line: .start(start), identity: start.id.map { .id($0) }, position: .start))
    ]
    _ = try target.finish(&items)
    try sync.round()
    #expect(rows(.session).count == 2)
    #expect(try destination.hosts.values.first?.rows == bench.everything())
  }

  @Test func manyLoadsComeInSeveralBatches() throws {
    try bench.load("news", times: 1200)
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    try bench.load("news", times: 1200)
    let round = try sync.round()
    #expect(round.batches == 2)
    #expect(rows(.session).count == 2400)
    #expect(try destination.hosts.values.first?.rows == bench.everything())
  }

  @Test func aRepairedStoreShipsItsSessionsAgain() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    try bench.repair()
    try bench.load("news")
    try sync.round()
    #expect(try destination.hosts.values.first?.rows == bench.everything())
  }
}
