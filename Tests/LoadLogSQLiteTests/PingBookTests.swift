import Foundation
import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// What pings become in the record.
@Suite struct PingBookTests {
  private let bench: StoreBench
  private let book: PingBook
  private let run = SessionID()

  init() throws {
    bench = try StoreBench()
    try bench.makeStore()
    book = PingBook(at: bench.path, processes: bench.processes, clock: bench.clock)
  }

  @discardableResult
  private func ping(
    _ kind: Ping.Kind, run: SessionID? = nil, line: String? = nil, creates: Bool = true
  ) throws -> PingBook.Outcome {
    bench.clock.advance(by: .seconds(1))
    return try book.record([entry(kind, run: run, line: line, creates: creates)])[0].get()
  }

  private func entry(
    _ kind: Ping.Kind, of feed: Feed = "job", run: SessionID? = nil, line: String? = nil, creates: Bool = true
  ) -> PingBook.Entry {
    PingBook.Entry(
      Ping(kind, of: feed, run: run, line: line), from: "10.0.0.7", "runitor/1.4", creates: creates)
  }

  /// The loads of the feed, oldest first: state, duration in seconds and reason or message.
  private func loads() throws -> [String] {
    var filter = LoadFilter(feeds: [FeedPattern("job")])
    filter.oldestFirst = true
    return try bench.reader().history(filter).loads.map { load in
      let duration = load.duration.map { "\($0 / 1_000_000_000) s" } ?? "-"
      let text = load.reason ?? load.message
      return "\(load.state.rawValue) \(duration)" + (text.map { ": \($0)" } ?? "")
    }
  }

  @Test func aStartAndAnEndOfOneRunAreALoad() throws {
    #expect(try ping(.start, run: run) == .created)
    #expect(try loads() == ["running -"])
    #expect(try ping(.failure(exitCode: 3), run: run, line: "no space left") == .recorded)
    #expect(try loads() == ["failed 1 s: exit 3: no space left"])
    let owner = try #require(try bench.reader().history(LoadFilter(feeds: ["job"])).loads.first?.owner.owner)
    #expect(owner.kind == .remote && owner.host == "10.0.0.7" && owner.app == "runitor/1.4")
  }

  @Test func anEndAloneIsALoadOfUnknownDuration() throws {
    try ping(.success)
    try ping(.failure(exitCode: nil))
    try ping(.success, run: run)
    #expect(try loads() == ["succeeded -", "failed -", "succeeded -"])
    #expect(try bench.reader().unbalanced(LoadFilter()).isEmpty)
  }

  @Test func anEndWithoutARunEndsTheStartWithoutOne() throws {
    try ping(.start)
    try ping(.start, run: run)
    try ping(.success)
    #expect(try loads() == ["succeeded 2 s", "running -"])
    try ping(.success, run: run)
    #expect(try loads() == ["succeeded 2 s", "succeeded 2 s"])
  }

  @Test func aFailureOfAnotherRunEndsNothing() throws {
    try ping(.start, run: run)
    try ping(.failure(exitCode: nil), run: SessionID())
    #expect(try loads() == ["running -", "failed -"])
  }

  @Test func aSecondStartWithoutARunAbandonsTheFirst() throws {
    try ping(.start)
    try ping(.start)
    #expect(try loads() == ["abandoned -: superseded", "running -"])
    let imbalance = try bench.reader().unbalanced(LoadFilter())
    #expect(imbalance.map(\.evidence) == ["another start was reported after 1.00 s"])
  }

  @Test(arguments: [(58, 1), (60, 2)])
  func theSameEndAgainIsARetryForAMinute(_ seconds: Int, _ count: Int) throws {
    try ping(.start, run: run)
    try ping(.success, run: run)
    try ping(.start, run: run)
    #expect(try loads().count == 1, "its end has overtaken it")
    bench.clock.advance(by: .seconds(seconds - 1))
    try ping(.success, run: run)
    #expect(try loads().count == count)
  }

  @Test func aStartAfterItsEndIsLate() throws {
    try ping(.success, run: run)
    try ping(.start, run: run)
    #expect(try loads() == ["succeeded -"])
    bench.clock.advance(by: .seconds(60))
    try ping(.start, run: run)
    #expect(try loads() == ["succeeded -", "running -"])
  }

  @Test func anotherVerdictOfARunIsAnotherLoad() throws {
    try ping(.success, run: run)
    try ping(.failure(exitCode: 1), run: run)
    #expect(try loads() == ["succeeded -", "failed -: exit 1"])
  }

  @Test func aRunThatIsStartedAgainLaterIsANewLoad() throws {
    for count in 1...9 {
      try ping(.start, run: run)
      try ping(.start, run: run)
      try ping(.success, run: run)
      bench.clock.advance(by: .seconds(61))
      #expect(try loads() == Array(repeating: "succeeded 2 s", count: count))
    }
  }

  @Test func aRunGoesOnAfterItsOlderLoadsWerePruned() throws {
    for _ in 1...2 {
      try ping(.start, run: run)
      try ping(.success, run: run)
      bench.clock.advance(by: .seconds(61))
    }
    let pruned = try StoreDoctor.prune(
      at: bench.path, before: bench.clock.now().wall, processes: bench.processes, clock: bench.clock)
    #expect(pruned == 1)
    try ping(.start, run: run)
    try ping(.success, run: run)
    #expect(try loads() == ["succeeded 1 s", "succeeded 1 s"])
    let tails = try bench.reader().history(LoadFilter(feeds: ["job"])).loads.map(\.id.tail)
    #expect(Set(tails).count == 2, "tables show the ends of ids")
  }

  @Test func aClockThatWasAheadHidesNoLaterRun() throws {
    try ping(.start, run: run)
    try ping(.success, run: run)
    bench.clock.stepWall(by: .seconds(-3600))
    try ping(.start, run: run)
    try ping(.success, run: run)
    #expect(try loads().count == 2)
  }

  @Test func aMessageChangesWhatRuns() throws {
    #expect(try ping(.log, line: "nothing runs") == .recorded)
    #expect(try ping(.log, line: "nothing runs", creates: false) == .unknownFeed, "it has created nothing")
    #expect(try loads().isEmpty)
    try ping(.start, run: run)
    try ping(.log, run: run, line: "half done")
    try ping(.log, run: SessionID(), line: "of another run")
    #expect(try loads() == ["running -: half done"])
    try ping(.log, line: "of the run that runs")
    #expect(try loads() == ["running -: of the run that runs"])
    try ping(.success)
    #expect(try loads() == ["running -: of the run that runs", "succeeded -"])
  }

  @Test func aFeedThatIsNotKnownIsOnlyCreatedOnRequest() throws {
    #expect(try ping(.success, creates: false) == .unknownFeed)
    #expect(try loads().isEmpty)
    #expect(try ping(.success) == .created && ping(.success, creates: false) == .recorded)
  }

  /// Nobody here can see the client, so no restart of this machine proves anything about it.
  @Test func aClientIsNeverJudged() throws {
    try ping(.start, run: run)
    book.close()
    bench.processes.reboot()
    let status = try #require(
      try bench.reader().status(LoadFilter(feeds: ["job"]), runningLimit: nil).feeds.first)
    #expect(status.numbers.running == 1 && status.numbers.unknown == 0)
    try ping(.success, run: run)
    #expect(try loads() == ["succeeded 1 s"])
  }

  @Test func aStoreThatIsMissingIsNotReplaced() throws {
    try ping(.success)
    let files = try FileManager.default.contentsOfDirectory(atPath: bench.place.folder.path)
    for file in files { try FileManager.default.removeItem(at: bench.place.folder.appending(path: file)) }
    for code in [LoadLogError.Code.storeMoved, .storeMissing, .storeMissing] {
      let error = #expect(throws: LoadLogError.self) { try ping(.success) }
      #expect(error?.code == code)
    }
    #expect(!FileManager.default.fileExists(atPath: bench.path))
  }

  @Test func pingsOfABatchFollowEachOther() throws {
    let outcomes = book.record([
      entry(.start, run: run), entry(.success, run: run), entry(.success, run: run), entry(.success),
      entry(.start), entry(.failure(exitCode: 2)),
    ])
    #expect(try outcomes.map { try $0.get() } == [.created] + Array(repeating: .recorded, count: 5))
    #expect(try loads() == ["succeeded 0 s", "succeeded -", "failed 0 s: exit 2"])
  }

  @Test func aPingThatIsRefusedDisturbsNoOther() throws {
    let outcomes = book.record([
      entry(.success), entry(.success, of: "a\0b"), entry(.success, of: "unknown", creates: false),
      entry(.failure(exitCode: 1)),
    ])
    #expect(
      try outcomes[0].get() == .created && outcomes[2].get() == .unknownFeed && outcomes[3].get() == .recorded
    )
    #expect(throws: LoadLogError.self) { try outcomes[1].get() }
    #expect(try loads() == ["succeeded -", "failed -: exit 1"])
    #expect(book.record([]).isEmpty)
  }

  @Test(.timeLimit(.minutes(10))) func aStoreThatIsLockedRefusesAllOfABatch() throws {
    let book = PingBook(at: bench.path, processes: bench.processes, clock: bench.clock, deadline: .zero)
    let other = try bench.open()
    try #require(try other.begin(waiting: true))
    let outcomes = book.record([entry(.success), entry(.success, of: "other")])
    for outcome in outcomes { #expect(throws: LoadLogError.self) { try outcome.get() } }
    other.abort()
    #expect(try loads().isEmpty)
    #expect(try book.record([entry(.success)])[0].get() == .created)
  }

  @Test func clientsAreOwnersOfTheirOwn() throws {
    for client in ["a", "b", "a"] {
      let entry = PingBook.Entry(Ping(.success, of: "job"), from: "10.0.0.7", client, creates: true)
      _ = try book.record([entry])[0].get()
    }
    #expect(try bench.sqlite3("SELECT count(*) FROM owner WHERE kind = 'remote'") == "2")
  }

  @Test func clientsOfABatchAreOwnersOfTheirOwn() throws {
    let clients = ["a", "b", "a"]
    let entries = clients.map { client in
      PingBook.Entry(Ping(.success, of: "job"), from: "10.0.0.7", client, creates: true)
    }
    #expect(try book.record(entries).map { try $0.get() } == [.created, .recorded, .recorded])
    var filter = LoadFilter(feeds: ["job"])
    filter.oldestFirst = true
    #expect(try bench.reader().history(filter).loads.map(\.owner.owner.app) == clients)
  }
}
