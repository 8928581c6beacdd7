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
      var event = LoadEvent(kind, at: bench.clock.now())
      event.run = isRetried.map { RunDetails(facts: RunFacts(isRetried: $0)) }
      try #require(try store.begin(waiting: true))
      _ = try store.commit([NumberedEvent(number: number, event: event)], dropped: 0)
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
}
