import LoadLogCore
import LoadLogFleet
import LoadLogSQLite
import LoadLogTestSupport
import TestProcesses
import Testing

/// A round may end anywhere; the next one makes up for it.
@Suite struct TroubleTests {
  private let bench: FleetBench
  private let destination = MemoryDestination()

  init() throws { bench = try FleetBench() }

  private func expectEverything(_ comment: Comment? = nil) throws {
    let host = try #require(destination.hosts.values.first)
    #expect(destination.hosts.count == 1)
    #expect(try host.rows == bench.everything(), comment)
  }

  @Test(arguments: [MemoryDestination.Break.beforeAsking, .beforeCommit, .afterCommit])
  func theConnectionBreaks(_ place: MemoryDestination.Break) throws {
    try bench.load("news")
    let sync = bench.sync(to: destination, loads: .all)
    for _ in 0..<3 {
      destination.nextBreak = place
      #expect(throws: LoadLogError.self) { try sync.round() }
      try bench.load("news")
      #expect(try bench.number("SELECT failed_at IS NOT NULL FROM fleet") == 1)
    }
    try sync.round()
    try expectEverything()
    #expect(
      try bench.number("SELECT failed_at IS NULL AND failure IS NULL AND synced_at IS NOT NULL FROM fleet")
        == 1)
  }

  @Test func aBatchThatArrivedIsNotSentAgain() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination, loads: .all)
    destination.nextBreak = .afterCommit
    #expect(throws: LoadLogError.self) { try sync.round() }
    #expect(try sync.round().rows == 0)
    try expectEverything()
  }

  @Test func twoSyncersOfOneStoreDoNoHarm() throws {
    try bench.load("news")
    let (first, second) = (bench.sync(to: destination, loads: .all), bench.sync(to: destination))
    try first.round()
    try bench.load("weather")
    destination.onSend = {
      // Between the making of a batch and its sending, another program ships the same and more.
      #expect(throws: Never.self) {
        try self.bench.load("news", .failed("no route"))
        try second.round()
      }
    }
    try first.round()
    try expectEverything()
  }

  @Test func aChangeWhileABatchTravelsIsShippedNext() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    let id = SessionID()
    let hour: Int64 = 3_600_000_000_000
    try bench.commit(.start(id, "news", message: nil, tag: nil), .expect(Expectation(.every(hour)), "news"))
    destination.onSend = {
      #expect(throws: Never.self) {
        try self.bench.commit(.finish(id, .succeeded), .expect(Expectation(.every(2 * hour)), "news"))
      }
    }
    try sync.round()
    try sync.round()
    try expectEverything()
  }

  @Test func aRestoredDatabaseIsHealed() throws {
    try bench.load("news")
    let running = SessionID()
    try bench.commit(.start(running, "news", message: nil, tag: nil))
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    let backup = destination.hosts
    for feed in ["news", "weather"] as [Feed] {
      try bench.load(feed)
      try bench.commit(.extraPop(feed, .succeeded), .finish(running, .succeeded))
      try sync.round()
    }
    destination.restore(backup)
    let round = try sync.round()
    #expect(round.loads == 3, "only what changed since")
    try expectEverything()
  }

  @Test func aDatabaseRestoredFromAForgottenTimeGetsEverything() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    let backup = destination.hosts
    try bench.load("news")
    try sync.round()
    try bench.forgetAttempts()
    destination.restore(backup)
    let round = try sync.round()
    #expect(round.loads == 2)
    try expectEverything()
  }

  /// Not even the new database had as many batches as the old one.
  @Test func aDatabaseThatComesBackGetsEverything() throws {
    let sync = bench.sync(to: destination, loads: .all)
    for _ in 0..<5 {
      try bench.load("news")
      try sync.round()
    }
    let old = destination.hosts
    destination.restore([:])
    try sync.round()
    try bench.forgetAttempts()
    destination.restore(old)
    try bench.load("news")
    try sync.round()
    try expectEverything()
  }

  @Test func aNewDatabaseGetsEverything() throws {
    try bench.load("news")
    let sync = bench.sync(to: destination, loads: .all)
    try sync.round()
    destination.restore([:])
    try sync.round()
    try expectEverything()
  }

  @Test func aCopyOnAnotherMachineIsRefused() throws {
    try bench.load("news")
    try bench.sync(to: destination).round()
    let elsewhere = ManualProcessTable(machineID: "other")
    let error = #expect(throws: LoadLogError.self) {
      try bench.sync(to: destination, in: elsewhere).round()
    }
    #expect(error?.code == .storeCopied)
    #expect(error?.advice?.contains("--as-new-host") == true)
    try bench.sync(to: destination, name: "copy", asNewHost: true, in: elsewhere).round()
    #expect(Set(destination.hosts.values.map(\.description.name)).contains("copy"))
    #expect(destination.hosts.count == 2)
  }

  @Test func aNewHostShipsWhatItsStoreShippedBefore() throws {
    try bench.load("news")
    try bench.sync(to: destination, loads: .all, withMessages: true, name: "web-1").round()
    try bench.sync(to: destination, asNewHost: true).round()
    let elsewhere = ManualProcessTable(machineID: "other")
    try bench.sync(to: destination, asNewHost: true, in: elsewhere).round()
    let hosts = destination.hosts.values.map(\.description)
    #expect(hosts.map(\.loads) == [.all, .all, .all] && hosts.allSatisfy(\.withMessages))
    #expect(hosts.count { $0.name == "web-1" } == 2, "another machine has a name of its own")
  }

  @Test func syncingAgainAndAgainEndsWhenNoRoundCanSucceed() async throws {
    try bench.load("news")
    try await bench.sync(to: destination).round()
    let sync = bench.sync(to: destination, in: ManualProcessTable(machineID: "other"))
    let error = await #expect(throws: LoadLogError.self) {
      try await sync.run(every: .seconds(3600)) { _ in Issue.record("the error is thrown, not reported") }
    }
    #expect(error?.code == .storeCopied)
  }

  @Test func aStoreThatWasPutBackIsRefused() throws {
    try bench.load("news")
    try bench.sync(to: destination, loads: .all).round()
    bench.crash()
    let backup = try bench.copy()
    try bench.load("news")
    try bench.sync(to: destination).round()
    bench.crash()
    try bench.putBack(backup)
    let before = destination.hosts
    let error = #expect(throws: LoadLogError.self) { try bench.sync(to: destination).round() }
    #expect(error?.code == .storeCopied)
    #expect(destination.hosts == before)
    let found = try #require(try finding())
    #expect(found.advice?.contains("loadlog sync --as-new-host") == true, "again does not help: \(found)")
  }

  /// What doctor says of the fleet.
  private func finding() throws -> StoreDiagnosis.Finding? {
    try StoreDoctor.examine(at: bench.place.path, processes: bench.processes, clock: bench.clock)
      .findings.first { $0.topic == .fleet }
  }

  @Test func doctorSaysWhatWaitsAndWhy() throws {
    try bench.load("news")
    #expect(try finding() == nil)
    let sync = bench.sync(to: destination, loads: .all, name: "web-17")
    try sync.round()
    #expect(
      try finding()?.text.hasPrefix("as web-17: 0 changes wait; the last complete sync was at ") == true)
    try bench.commit(.extraPop("network", .succeeded))
    destination.nextBreak = .beforeCommit
    #expect(throws: LoadLogError.self) { try sync.round() }
    let failed = try #require(try finding())
    #expect(failed.severity == .warning)
    #expect(failed.text.contains("failed: cannot reach the fleet: the connection broke."))
    #expect(!failed.text.contains(": 0 changes wait"))
    #expect(failed.advice == "Run loadlog sync to try again.")
  }

  @Test func anythingMayBreakAtAnyTime() throws {
    for seed in 1...6 {
      var dice = SplitMix64(seed: UInt64(seed))
      let bench = try FleetBench()
      let destination = MemoryDestination()
      var running: [SessionID] = []
      var backups: [[SessionID: MemoryDestination.Host]] = [[:]]
      for _ in 0..<40 {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0:
          running.append(SessionID())
          try bench.commit(.start(running[running.count - 1], "long", message: "m", tag: nil))
        case 1 where !running.isEmpty: try bench.commit(.finish(running.removeLast(), .failed("late")))
        case 2: try bench.load(["news", "weather"].randomElement(using: &dice) ?? "", .failed("no route"))
        case 3: try bench.commit(.extraPop("network", .succeeded))
        case 4:
          bench.crash()
          running = []
          try bench.commit(.push("network"))
          running = []
        case 5: try bench.commit(.acknowledge(nil, by: "me", note: nil))
        case 6 where backups.count > 1: destination.restore(backups.randomElement(using: &dice) ?? [:])
        default: try bench.load("news")
        }
        let sync = bench.sync(to: destination, loads: .all)
        destination.nextBreak =
          [nil, nil, .beforeAsking, .beforeCommit, .afterCommit].randomElement(using: &dice) ?? nil
        _ = try? sync.round()
        backups.append(destination.hosts)
      }
      destination.nextBreak = nil
      try bench.sync(to: destination).round()
      #expect(try destination.hosts.values.first?.rows == bench.everything(), "seed \(seed)")
    }
  }
}
