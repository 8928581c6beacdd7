import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// `doctor --repair` leaves a store that answers, whatever its counters say.
@Suite struct RepairTests {
  private let bench: StoreBench
  private let store: SQLiteLoadStore

  /// Records a load every two hours for three days, and prunes those of the first two days. Feed 1 is "a", feed 2 "b".
  init() throws {
    bench = try StoreBench()
    store = try bench.open(durability: .process)
    let now = bench.clock.now().wall
    bench.clock.advance(by: .microseconds(UTCDay(of: now).end - now))
    for number: Int64 in 0..<36 { try record(number) }
    #expect(try store.prune(before: bench.clock.now().wall - UTCDay.length, limit: 1000) == 24)
  }

  private func record(_ number: Int64) throws {
    let id = SessionID()
    let feed: Feed = number.isMultiple(of: 2) ? "a" : "b"
    try bench.commit(.start(id, feed, message: nil, tag: nil), to: store, from: 1 + 2 * number)
    bench.clock.advance(by: .seconds(60))
    try bench.commit(.finish(id, .succeeded), to: store, from: 2 + 2 * number)
    bench.clock.advance(by: .seconds(7140))
  }

  private func status() throws -> StatusSummary { try bench.reader().status(LoadFilter(), runningLimit: nil) }

  private func repair() throws -> StoreDiagnosis {
    try StoreDoctor.repair(at: bench.path, processes: bench.processes, clock: bench.clock)
  }

  private func losses(_ diagnosis: StoreDiagnosis) -> [String] {
    diagnosis.findings.filter { $0.topic == .summaries && $0.severity == .note }.map(\.text)
      .filter { $0.contains("lost") }
  }

  /// Damage to the counters, and how many of the 36 loads a repair still finds.
  @Test(
    arguments: [
      // Rows that can be computed again lose nothing.
      ("success_histogram = x'0002' WHERE day = -1", 36, 0),
      ("loads = 9223372036854775807 WHERE day = -1", 36, 0),
      // One feed's row of the first day: it counted 6 loads.
      (
        "success_histogram = x'0002' WHERE feed = 1 AND day = (SELECT min(day) FROM summary WHERE day > 0)",
        30, 1
      ),
      ("success_histogram = x'FF' WHERE is_sealed = 1", 12, 2),
      ("loads = 9223372036854775807", 12, 2), ("acknowledged = -9223372036854775808", 12, 2),
      ("loads = 9223372036854775807, acknowledged = -9223372036854775808", 12, 2),
      ("failed = -1 WHERE is_sealed = 1", 12, 2), ("success_sum = -1 WHERE is_sealed = 1", 12, 2),
      ("other_least = -1, other_greatest = -1 WHERE is_sealed = 1", 12, 2),
      ("busy = -1 WHERE feed = 0", 36, 2),
    ])
  func aRepairEndsWithAStoreThatAnswers(damage: String, loads: Int, lostDays: Int) throws {
    let before = try status()
    try bench.sqlite3("UPDATE summary SET \(damage)")
    #expect(
      try StoreDoctor.examine(at: bench.path, processes: bench.processes, clock: bench.clock).needsAttention)
    let repaired = try repair()
    #expect(!repaired.needsAttention && losses(repaired).count == min(1, lostDays))
    let lost = losses(repaired).first ?? ""
    #expect(lost.matches(of: /\d{4}-\d\d-\d\d/).count == lostDays, "\(lost)")
    #expect(lost.hasSuffix("were unreadable and are lost") == (lostDays > 0))
    let after = try status()
    #expect(after.totals.loads == loads && after.totals.isApproximate)
    #expect(after.totals.loads == after.feeds.reduce(0) { $0 + $1.numbers.loads })
    #expect(after.feeds.map(\.dates) == before.feeds.map(\.dates))
    #expect(try bench.reader().summaryFaults() == 0)
    _ = try bench.reader().wholeStatus(LoadFilter())
    // A second repair finds nothing to do, and nothing more to report.
    #expect(try losses(repair()).isEmpty && status() == after)
    try record(100)
    #expect(try status().totals.loads == loads + 1)
    #expect(try bench.reader().summaryFaults() == 0)
  }

  /// What only the row of a feed counts, and no load of it is left to say.
  @Test(arguments: [Int64.max, .min, -1])
  func impossibleNumbersOfAFeedAreBoundedAndRepaired(number: Int64) throws {
    let (lost, failed) = (SessionID(), SessionID())
    try bench.commit(
      .start(lost, "a", message: nil, tag: nil), .abandon(lost, .dropped),
      .start(failed, "a", message: nil, tag: nil), .finish(failed, .failed("HTTP 503")),
      to: store, from: 1000)
    try bench.sqlite3("UPDATE feed SET pruned_failures = \(number), overlaps = \(number)")
    let most = 1 << 40
    #expect(try status().feeds.map(\.overlaps) == (number > 0 ? [most, most] : [0, 0]))
    #expect(try status().feeds.first?.failures == (number > 0 ? most + 2 : 2))
    let found = try StoreDoctor.examine(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(found.hasWrongSummaries)
    #expect(try !repair().hasWrongSummaries)
    #expect(try status().feeds.map(\.overlaps) == [0, 0] && status().feeds.first?.failures == 2)
  }

  @Test func whatIsReadableOfOtherFeedsAndDaysStays() throws {
    let day = UTCDay(of: bench.clock.now().wall).number - 3
    let filter = LoadFilter(since: UTCDay(number: day + 1).start)
    func numbers() throws -> [LoadNumbers] {
      try bench.reader().wholeStatus(filter).feeds.map(\.numbers)
    }
    let before = try numbers()
    try bench.sqlite3("UPDATE summary SET success_histogram = x'0002' WHERE feed = 1 AND day = \(day)")
    #expect(throws: LoadLogError.self) {
      try bench.reader().days(LoadFilter(), listing: Set(bench.reader().feeds()))
    }
    _ = try repair()
    #expect(try numbers() == before)
    #expect(try status().feeds.map(\.numbers.loads) == [12, 18])
  }

  /// A repair begins a new journal, so there are no changes to count.
  @Test func whatWaitsForTheFleetIsSaidInWords() throws {
    func waiting() throws -> [String] {
      let finding = try StoreDoctor.examine(at: bench.path, processes: bench.processes, clock: bench.clock)
        .findings.first { $0.topic == .fleet }
      let texts = [try bench.reader().shipping()?.waiting, finding?.text].compactMap(\.self)
      #expect(texts.count == 2 && texts[1].hasPrefix("as box: \(texts[0]); "), "\(texts)")
      return texts.prefix(1).map(\.self)
    }
    let outbox = try StoreOutbox(at: bench.path, processes: bench.processes, clock: bench.clock)
    var settings = StoreOutbox.Settings()
    settings.name = "box"
    _ = try outbox.prepare(settings)
    #expect(try waiting() == ["the next sync ships everything"])
    try outbox.confirm(try #require(try outbox.nextBatch(ShippedRemains())))
    #expect(try waiting() == ["0 changes wait"])
    try bench.commit(.push("a"), to: store, from: 1000)
    #expect(try waiting()[0].hasSuffix("changes wait"))
    try bench.sqlite3("UPDATE summary SET loads = loads + 1 WHERE day = -1")
    _ = try repair()
    #expect(try waiting() == ["the next sync ships everything"])
  }

  /// The record is read again if an owner turns out to be dead.
  @Test func nothingIsReportedTwice() throws {
    let doomed = bench.processes.another()
    let other = try bench.open(in: doomed, durability: .process)
    try bench.commit(.push("a"), to: other)
    doomed.kill()
    let findings = try StoreDoctor.examine(
      at: bench.path, processes: bench.processes, clock: bench.clock
    ).findings
    #expect(findings.contains { $0.text == "1 load without a verdict is crashed" })
    #expect(Set(findings).count == findings.count, "\(findings.map(\.text))")
    other.close(finally: false)
  }

  @Test(arguments: [
    (1, "1 row refers to a missing row", "1 push, pop or finish was dropped"),
    (2, "2 rows refer to missing rows", "2 pushes, pops or finishes were dropped"),
  ])
  func whatOnlyRecoverRepairsIsSaidWithAdvice(count: Int, missing: String, dropped: String) throws {
    try bench.sqlite3(
      """
      UPDATE session SET tag = 999 WHERE seq IN (SELECT seq FROM session LIMIT \(count));
      UPDATE owner SET dropped = \(count) WHERE id = 1
      """)
    let findings = try repair().findings
    let lost = findings.filter { $0.topic == .integrity }
    #expect(lost.map(\.text) == [missing] && lost[0].advice?.contains("loadlog recover") == true)
    #expect(findings.contains { $0.text.hasPrefix(dropped) })
  }

  /// After the greatest number of all, SQLite numbers rows at random, so that later changes may come before the position.
  @Test(arguments: [
    "INSERT INTO change (n, session) VALUES (9223372036854775807, 1)",
    "INSERT INTO change (n, session) VALUES (9223372036854775807, 1); UPDATE journal_position SET n = 9223372036854775807",
    "INSERT INTO change (n, session) VALUES (4611686018427387904, 1)",
  ])
  func aNumberThatNoJournalReachesIsFoundAndRepaired(damage: String) throws {
    try bench.sqlite3(damage)
    let found = try StoreDoctor.examine(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(found.needsAttention)
    for number: Int64 in 40..<44 { try record(number) }
    #expect(try !repair().needsAttention)
    #expect(try status().totals.loads == 40)
    for number: Int64 in 50..<60 { try record(number) }
    #expect(try status().totals.loads == 50)
    #expect(try bench.reader().summaryFaults() == 0)
    #expect(try bench.sqlite3("SELECT max(n) < 1000 FROM change") == "1")
  }

  @Test func aWriterEmptiesAJournalWhoseNumbersAreUsedUp() throws {
    try bench.sqlite3("INSERT INTO change (n, session) VALUES (9223372036854775806, 0)")
    for number: Int64 in 40..<44 { try record(number) }
    #expect(try status().totals.loads == 40)
    #expect(try bench.reader().summaryFaults() == 0)
    #expect(try bench.sqlite3("SELECT max(n) < 1000 FROM change") == "1")
  }
}
