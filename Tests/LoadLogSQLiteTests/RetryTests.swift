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
