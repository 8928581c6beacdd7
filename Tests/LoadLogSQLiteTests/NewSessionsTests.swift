import Foundation
import GRDB
import LoadLogCore
import LoadLogReports
import LoadLogTestSupport
import TestProcesses
import Testing

@testable import LoadLogSQLite

/// New sessions wait until some thousand are put into the index of starts at once. Whoever asks hears of them all the same.
@Suite struct NewSessionsTests {
  private static let feeds: [Feed] = ["a", "b", "c"]

  /// Records loads in and out of the order of their starts, with all kinds of verdicts.
  private func record(
    _ count: Int, _ bench: StoreBench, _ store: SQLiteLoadStore, from first: Int64,
    _ random: inout SplitMix64
  ) throws {
    var number = first
    for _ in 0..<count {
      let id = SessionID(milliseconds: bench.clock.now().wall / 1000)
      let feed = Self.feeds[Int.random(in: 0..<3, using: &random)]
      try bench.commit(.start(id, feed, message: "m", tag: nil), to: store, from: number)
      bench.clock.advance(by: .milliseconds(Int.random(in: 1...5000, using: &random)))
      let ends: [LoadEvent.Kind] = [
        .finish(id, .succeeded), .finish(id, .unchanged), .finish(id, .failed("no")), .finish(id, .cancelled),
        .abandon(id, .dropped),
      ]
      // Some go on running.
      if let end = ends.shuffled(using: &random).first, Int.random(in: 0..<8, using: &random) > 0 {
        try bench.commit(end, to: store, from: number + 1)
      }
      bench.clock.stepWall(by: .seconds(Int.random(in: -40...60, using: &random)))
      number += 2
    }
  }

  /// What the record says, question by question.
  private func answers(_ bench: StoreBench) throws -> [String: String] {
    let reader = try bench.reader()
    defer { reader.close() }
    let now = bench.clock.now().wall
    var answers: [String: String] = [:]
    var filters = [LoadFilter(), LoadFilter(feeds: ["b"]), LoadFilter(since: now - 200_000_000)]
    filters.append(LoadFilter(feeds: ["a", "c"], since: now - 400_000_000, until: now - 100_000_000))
    filters.append(LoadFilter(feeds: ["a"], states: [.failed, .abandoned], limit: 4))
    filters.append(LoadFilter(states: [.succeeded], limit: 7))
    var oldestFirst = LoadFilter(limit: 9)
    oldestFirst.oldestFirst = true
    filters.append(oldestFirst)
    for (index, filter) in filters.enumerated() {
      let page = try reader.history(filter)
      answers["history \(index)"] = "\(page.total) \(page.loads.map(\.id))"
      answers["status \(index)"] = "\(try reader.status(filter, overdueLimit: nil))"
      answers["days \(index)"] = "\(try reader.days(filter))"
    }
    for feed in Self.feeds {
      answers["successes of \(feed)"] = "\(try reader.successes(of: feed, limit: 5))"
    }
    for age: Int64 in [0, 100, 1000] {
      answers["prunable \(age)"] =
        "\(try reader.prunable(before: now - age * 1_000_000).sorted { $0.key < $1.key })"
    }
    let export = try StoreExport(at: bench.path, clock: bench.clock)
    var bytes: [UInt8] = []
    while let page = try export.nextLines() {
      for line in page { line.append(to: &bytes) }
    }
    answers["export"] = String(decoding: bytes, as: UTF8.self)
    return answers
  }

  private func new(_ bench: StoreBench) throws -> Int {
    try #require(Int(bench.sqlite3("SELECT count(*) FROM session WHERE is_new = 1")))
  }

  @Test(arguments: 1...6)
  func `questions are answered alike whether loads are new or not`(_ seed: UInt64) throws {
    let bench = try StoreBench()
    var random = SplitMix64(seed: seed)
    let store = try bench.open(durability: .process)
    // In some, loads of the same days were pruned, of which only the counts are left.
    if seed % 2 == 0 {
      try record(40, bench, store, from: 1, &random)
      #expect(try store.prune(before: bench.clock.now().wall, limit: 30) > 0)
    }
    try record(80, bench, store, from: 1001, &random)
    // The newest rows need not be the loads that started last.
    if seed % 3 > 0 { bench.clock.stepWall(by: .seconds(-2000)) }
    try record(40, bench, store, from: 2001, &random)
    store.close(finally: false)
    let before = try answers(bench)
    let last = try #require(Int64(bench.sqlite3("SELECT max(seq) FROM session")))
    var left = try new(bench)
    #expect(left == 120)
    for last in [last - 40, last - 1, last] {
      let database = try DatabaseQueue(path: bench.path)
      try database.write { database in
        var cache = SummaryCache()
        _ = try Settlement.count(database, upTo: last, &cache)
      }
      try database.close()
      #expect(try new(bench) < left)
      left = try new(bench)
      try expectSame(answers(bench), before)
    }
    #expect(left == 0)
  }

  @Test(arguments: [(255, 0), (256, 256)])
  func `who ends a store counts what waits in it, if that is much`(loads: Int, counted: Int) throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    var random = SplitMix64(seed: 1)
    try record(loads, bench, store, from: 1, &random)
    let before = try answers(bench)
    store.maintain(closing: false)
    #expect(try bench.sqlite3("SELECT counted FROM settlement") == "0")
    store.maintain(closing: true)
    store.close(finally: false)
    #expect(
      try bench.sqlite3("SELECT counted, seq > 0 FROM settlement") == "\(counted)|\(counted > 0 ? 1 : 0)")
    #expect(try bench.sqlite3("SELECT count(*) FROM session WHERE is_new = 0") == "\(counted)")
    #expect(try answers(bench) == before)
  }

  @Test func `what an indicator showed belongs to the load that was popped last, a new one too`() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let owner = store.owner
    try bench.commit(.push("a"), .pop("a", .succeeded), .push("a"), .pop("a", .failed(nil)), to: store)
    store.close(finally: false)
    // One that remembers nothing of it.
    let again = try SQLiteLoadStore(
      at: bench.place.path, owner: owner, durability: .process, processes: bench.processes, locks: nil,
      clock: bench.clock, settlement: Settlement())
    try bench.commit(.shown(nil, "a", visible: 5, suppressed: 0), to: again, from: 5)
    let loads = try again.history(LoadFilter()).loads
    #expect(loads.map(\.state) == [.failed, .succeeded] && loads.map(\.visibleTime) == [5, nil])
  }

  @Test func `with SQL, too, a feed's loads are found by the index and all are there`() throws {
    let bench = try StoreBench()
    var random = SplitMix64(seed: 7)
    let store = try bench.open(durability: .process)
    try record(60, bench, store, from: 1, &random)
    try store.rebuildSummaries()
    try record(30, bench, store, from: 1001, &random)
    #expect(try new(bench) == 30)
    for feed in Self.feeds {
      let loads = try store.history(LoadFilter(feeds: [FeedPattern(exactly: feed)])).loads
      let sql = "FROM session_history WHERE feed = '\(feed)' ORDER BY started DESC"
      let ids = try bench.sqlite3("SELECT id \(sql)").split(separator: "\n").map(String.init)
      #expect(Set(ids) == Set(loads.map(\.id.description)) && ids.count == loads.count)
      let plan = try bench.sqlite3("EXPLAIN QUERY PLAN SELECT id \(sql)")
      #expect(plan.contains("session_by_start (feed=?)") && !plan.contains("SCAN"))
    }
    #expect(try bench.sqlite3("SELECT count(*) FROM session_history") == "90")
  }

  @Test func `what may be pruned of a feed is told without going through the new loads of all again`() throws
  {
    let bench = try StoreBench()
    var random = SplitMix64(seed: 9)
    let store = try bench.open(durability: .process)
    try record(40, bench, store, from: 1, &random)
    let reader = try bench.reader()
    var feeds: [Feed: Int] = [:]
    let plans = try reader.plans { feeds = try reader.prunable(before: bench.clock.now().wall) }
    #expect(feeds.count == 3)
    #expect(plans.count { $0.hasPrefix("SEARCH session") && $0.contains("rowid>") } == 1)
    #expect(plans.allSatisfy { !$0.hasPrefix("SCAN session") })
  }

  @Test func `an export counts the loads of a day on which some were pruned by the index`() throws {
    let bench = try StoreBench()
    var random = SplitMix64(seed: 10)
    let store = try bench.open(durability: .process)
    try record(40, bench, store, from: 1, &random)
    #expect(try store.prune(before: bench.clock.now().wall, limit: 30) > 0)
    try record(20, bench, store, from: 1001, &random)
    let export = try StoreExport(at: bench.path, clock: bench.clock)
    var days: [SealedDayLine] = []
    let plans = try export.reader.plans {
      while let page = try export.nextLines() {
        for case .sealedDay(let day) in page where day.feed == nil { days.append(day) }
      }
    }
    let rows = try bench.sqlite3("SELECT count(*) FROM session")
    #expect(days.map(\.rows).reduce(0, +) == Int64(rows))
    let looks = plans.filter { $0.contains("session_by_start") }
    #expect(!looks.isEmpty && looks.allSatisfy { $0.contains("started_at>") })
  }

  @Test func `a session that nobody would find is told, where counts tell nothing too`() throws {
    let bench = try StoreBench()
    var random = SplitMix64(seed: 8)
    let store = try bench.open(durability: .process)
    try record(40, bench, store, from: 1, &random)
    #expect(try store.prune(before: bench.clock.now().wall, limit: 30) > 0)
    store.close(finally: false)
    func examine() throws -> StoreDiagnosis {
      try StoreDoctor.examine(at: bench.path, processes: bench.processes, clock: bench.clock)
    }
    #expect(try !examine().hasWrongSummaries)
    try bench.sqlite3("UPDATE session SET is_new = 1 WHERE seq = (SELECT max(seq) FROM session)")
    #expect(try examine().hasWrongSummaries)
    let mended = try StoreDoctor.repair(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(try !mended.hasWrongSummaries && new(bench) == 0)
  }

  private func expectSame(_ answers: [String: String], _ before: [String: String]) {
    for (question, answer) in before.sorted(by: { $0.key < $1.key }) {
      // Told from where they differ.
      let same = zip(answer, answers[question] ?? "").prefix { $0 == $1 }.count
      let from = max(0, same - 200)
      #expect(
        answers[question]?.dropFirst(from).prefix(300) == answer.dropFirst(from).prefix(300), "\(question)")
    }
  }
}
