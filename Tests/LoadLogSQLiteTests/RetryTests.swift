import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// Failed attempts of commands that were to be retried.
@Suite struct RetryTests {
  @Test func aSuccessWhileARetryWaitedIsTheLastVerdict() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    let (attempt, other) = (SessionID(), SessionID())
    var number: Int64 = 0
    func commit(_ kind: LoadEvent.Kind, isRetried: Bool? = nil) throws {
      bench.clock.advance(by: .seconds(1))
      number += 1
      try bench.commit(kind, to: store, from: number, isRetried: isRetried)
    }
    try commit(.start(attempt, "backup", message: nil, tag: nil))
    try commit(.finish(attempt, .failed("exit 1")), isRetried: true)
    let failed = bench.clock.now().wall
    try commit(.start(other, "backup", message: nil, tag: nil))
    try commit(.finish(other, .succeeded))
    try commit(.ran(attempt), isRetried: false)
    let dates = try bench.reader().dates(of: "backup")
    #expect(dates?.lastVerdict == .succeeded && dates?.lastFailed == failed)
    store.close(finally: true)
  }

  /// A repair stores what status says before.
  @Test(arguments: [true, false])
  func aDeadRetryThatOverlappedASuccessCountsAsOtherFailuresDo(failedLast: Bool) throws {
    let bench = try StoreBench()
    let (store, command) = (try bench.open(), bench.processes.another())
    let app = try bench.open(in: command)
    let (attempt, other) = (SessionID(), SessionID())
    func fail() throws {
      bench.clock.advance(by: .seconds(1))
      try bench.commit(.finish(attempt, .failed("exit 1")), to: app, from: 2, isRetried: true)
    }
    try bench.commit(.start(attempt, "backup", message: nil, tag: nil), to: app)
    bench.clock.advance(by: .seconds(1))
    try bench.commit(.start(other, "backup", message: nil, tag: nil), to: store)
    if !failedLast { try fail() }
    bench.clock.advance(by: .seconds(1))
    try bench.commit(.finish(other, .succeeded), to: store, from: 2)
    if failedLast { try fail() }
    func feed() throws -> FeedStatus? {
      try bench.reader().status(LoadFilter(), runningLimit: nil).feeds.first
    }
    #expect(try feed()?.problems == [] && feed()?.dates.lastFailed == nil)
    command.kill()
    app.close(finally: false)
    let found = try feed()
    #expect(found?.problems == (failedLast ? [.failing] : []))
    #expect(found?.dates.lastFailure == "exit 1" && found?.failures == (failedLast ? 1 : 0))
    _ = try StoreDoctor.repair(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(try feed()?.problems == found?.problems && feed()?.failures == found?.failures)
    #expect(try feed()?.dates == found?.dates)
    store.close(finally: true)
  }

  /// A store in use prunes without letting the failures of dead commands count; `prune` lets them.
  @Test func pruningKeepsOnlyTheLastAttemptOfADeadCommand() throws {
    let bench = try StoreBench()
    let (store, command) = (try bench.open(), bench.processes.another())
    let app = try bench.open(in: command)
    func record(
      _ verdict: Verdict, to store: SQLiteLoadStore, from number: Int64, isRetried: Bool? = nil
    ) throws {
      let id = SessionID()
      try bench.commit(.start(id, "backup", message: nil, tag: nil), to: store, from: number)
      bench.clock.advance(by: .seconds(1))
      try bench.commit(.finish(id, verdict), to: store, from: number + 1, isRetried: isRetried)
      bench.clock.advance(by: .seconds(1))
    }
    for attempt: Int64 in 1...3 {
      try record(.failed("exit \(attempt)"), to: app, from: 2 * attempt - 1, isRetried: true)
    }
    command.kill()
    app.close(finally: false)
    try record(.cancelled, to: store, from: 1)
    func reasons() throws -> [String?] { try bench.reader().history(LoadFilter()).loads.map(\.reason) }
    func problems() throws -> [FeedProblem]? {
      try bench.reader().status(LoadFilter(), runningLimit: nil).feeds.first?.problems
    }
    #expect(try store.prune(before: bench.clock.now().wall, limit: 10) == 2)
    #expect(try reasons() == [nil, "exit 3"] && problems() == [.failing])
    try record(.succeeded(nil), to: store, from: 3)
    try record(.failed("later"), to: store, from: 5)
    let pruned = try StoreDoctor.prune(
      at: bench.path, before: bench.clock.now().wall, processes: bench.processes, clock: bench.clock)
    #expect(try pruned == 2 && reasons() == ["later", nil])
    store.close(finally: true)
  }

  /// Of a process in another container only its free lock proves that it is dead.
  @Test func aRepairLetsAFailureCountWhoseRetryDied() throws {
    let bench = try StoreBench()
    func problems() throws -> [FeedProblem]? {
      try bench.reader().status(LoadFilter(), runningLimit: nil).feeds.first?.problems
    }
    func dieBeforeTheRetry() throws {
      let command = bench.processes.another(pidNamespace: 11)
      let store = try bench.open(in: command)
      let attempt = SessionID()
      try bench.commit(.start(attempt, "backup", message: nil, tag: nil), to: store)
      try bench.commit(.finish(attempt, .failed("exit 1")), to: store, from: 2, isRetried: true)
      #expect(try problems() == [])
      command.kill()
      store.close(finally: false)
    }
    try dieBeforeTheRetry()
    #expect(try problems() == [.failing])
    let repaired = try StoreDoctor.repair(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(repaired.findings.contains { $0.text.hasPrefix("repaired: 1 file left behind") })
    #expect(try problems() == [.failing])
  }
}
