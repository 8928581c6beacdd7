import Foundation
import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// The views are a stable interface for SQL clients: here the sqlite3 shell, in another process, beside a
/// writer.
@Suite struct ViewTests {
  private func rows(_ bench: StoreBench, _ sql: String) throws -> [[String: String]] {
    let text = try bench.sqlite3(sql, json: true)
    guard !text.isEmpty else { return [] }
    let all = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    return all.map { row in row.mapValues { $0 is NSNull ? "null" : "\($0)" } }
  }

  @Test func theViewsAgreeWithTheLibrary() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    let (good, bad, dropped) = (SessionID(), SessionID(), SessionID())
    try bench.commit(
      .start(good, "reviews", message: "Loading…", tag: "t"), .start(bad, "reviews", message: nil, tag: nil),
      .start(dropped, "reviews", message: nil, tag: nil), .push("network"), .pop("other", .ended), to: store)
    bench.clock.advance(by: .milliseconds(2500))
    bench.clock.stepWall(by: .seconds(10))
    try bench.commit(
      .finish(good, .succeeded), .finish(bad, .failed("no network")), .abandon(dropped, .dropped),
      .finish(good, .succeeded), .acknowledge(nil, by: "me", note: "seen"), .reset(["network"]), to: store,
      from: 6)
    let history = try rows(bench, "SELECT * FROM session_history ORDER BY started, rowid")
    #expect(history.map { $0["state"] } == ["succeeded", "failed", "abandoned", "abandoned"])
    let first = try #require(history.first)
    let expected = [
      "id": good.description, "feed": "reviews", "message": "Loading…", "tag": "t", "anonymous": "0",
      "finished_after_verdict": "0", "started": "2026-11-21T08:41:07.000Z",
      "finished": "2026-11-21T08:41:19.500Z",
      "duration": "2.5", "open_at_least": "null", "duration_source": "boot", "clock_jump": "10.0",
      "app": "app",
      "host": "box", "inferred": "0", "call_site": "null", "reason": "null",
    ]
    for (column, value) in expected { #expect(first[column] == value, "\(column)") }
    #expect(history[1]["reason"] == "no network" && history[2]["open_at_least"] == "2.5")
    #expect(history[2]["duration"] == "null" && history[3]["anonymous"] == "1")
    let unbalanced = try rows(bench, "SELECT * FROM unbalanced ORDER BY at, kind")
    let library = try store.reader.unbalanced(LoadFilter())
    #expect(Set(unbalanced.compactMap { $0["id"] }) == Set(library.map(\.id.description)))
    #expect(unbalanced.compactMap { $0["kind"] }.sorted() == library.map(\.kind.word).sorted())
    #expect(unbalanced.filter { $0["acknowledged"] == "1" && $0["note"] == "seen" }.count == 3)
    #expect(unbalanced.filter { $0["likely"] == "1" }.count == 1)
    let feeds = try rows(bench, "SELECT * FROM feed_status ORDER BY feed")
    #expect(feeds.map { $0["feed"] } == ["network", "other", "reviews"])
    let reviews = try #require(feeds.last)
    let counts = ["loads": "3", "running": "0", "succeeded": "1", "failed": "1", "abandoned": "1"]
    for (column, value) in counts { #expect(reviews[column] == value, "\(column)") }
    #expect(reviews["last_updated"] == "2026-11-21T08:41:19.500Z" && reviews["last_failure"] == "no network")
    #expect(reviews["max_duration"] == "2.5" && reviews["mean_duration"] == "2.5")
    store.close(finally: true)
  }

  @Test func feedStatusIsTheSameBeforeAndAfterLoadsAreCounted() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    // applyJournal() records a feed of its own.
    let ask = "SELECT * FROM feed_status WHERE feed <> 'applied' ORDER BY feed"
    for round: Int64 in 0..<3 {
      let ids = (0..<4).map { _ in SessionID() }
      try bench.commit(
        .start(ids[0], "reviews", message: nil, tag: nil), .start(ids[1], "reviews", message: nil, tag: nil),
        .start(ids[2], "cache", message: nil, tag: nil), .start(ids[3], "cache", message: nil, tag: nil),
        .push("network"), to: store, from: 1 + 9 * round)
      bench.clock.advance(by: .milliseconds(2500 - 500 * Int(round)))
      try bench.commit(
        .finish(ids[0], .succeeded), .finish(ids[1], .failed("x")), .finish(ids[2], .unchanged),
        .abandon(ids[3], .dropped), to: store, from: 6 + 9 * round)
      let loads = try rows(bench, ask)
      let expected = [2, 1, 2].map { (count: Int64) in String(count * (round + 1)) }
      #expect(loads.map { $0["loads"] } == expected)
      #expect(loads[2]["max_duration"] == "2.5" && loads[0]["abandoned"] == "\(round + 1)")
      try bench.applyJournal()
      #expect(try rows(bench, ask) == loads)
    }
    store.close(finally: true)
  }

  /// With a fleet, a change of a load that has finished and is counted waits in the journal, to be shipped.
  @Test func feedStatusCountsAFinishedLoadOnce() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    _ = try StoreOutbox(at: bench.path, processes: bench.processes, clock: bench.clock).prepare(.init())
    let attempt = SessionID()
    try bench.commit(.start(attempt, "backup", message: nil, tag: nil), to: store)
    bench.clock.advance(by: .seconds(2))
    try bench.commit(.finish(attempt, .failed("exit 1")), to: store, from: 2, isRetried: true)
    try bench.applyJournal()
    try bench.commit(.ran(attempt), to: store, from: 3, isRetried: false)
    #expect(try bench.sqlite3("SELECT count(*) FROM change WHERE was & 15 = 3") == "1")
    let ask = "SELECT loads, failed, mean_duration FROM feed_status WHERE feed = 'backup'"
    #expect(try bench.sqlite3(ask) == "1|1|2.0")
    let other = SessionID()
    try bench.commit(
      .start(other, "backup", message: nil, tag: nil), .finish(other, .succeeded), to: store, from: 4)
    #expect(try bench.sqlite3(ask) == "2|1|1.0")
    store.close(finally: true)
  }

  @Test func feedStatusHasTheFeedsThatTheLibraryKnows() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    for (number, feed) in zip(Int64(0)..., ["typo", "loaded", "popped"] as [FeedPattern]) {
      try bench.commit(
        .expect(Expectation(maxFailures: 2), feed), .clearExpectation(feed), to: store,
        from: 1 + 2 * number)
    }
    try bench.commit(
      .expect(Expectation(maxFailures: 2), "planned"), .push("loaded"), .pop("popped", .ended), to: store,
      from: 7)
    let known = try store.reader.feeds().map(\.name)
    #expect(known == ["loaded", "planned", "popped"])
    #expect(try rows(bench, "SELECT feed FROM feed_status ORDER BY feed").map { $0["feed"] } == known)
    store.close(finally: true)
  }

  @Test func feedStatusAddsDurationsWithoutOverflow() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    let ids = (0..<4).map { _ in SessionID() }
    for (index, id) in ids.enumerated() {
      try bench.commit(.start(id, "reviews", message: nil, tag: nil), to: store, from: Int64(1 + index))
    }
    bench.clock.advance(by: .seconds(80 * 365 * 86_400))
    for (index, id) in ids.enumerated() {
      try bench.commit(.finish(id, .succeeded), to: store, from: Int64(5 + index))
    }
    #expect(try bench.sqlite3("SELECT loads, mean_duration > 2.5e9 FROM feed_status") == "4|1")
    store.close(finally: true)
  }

  @Test func theColumnsAreTheDocumentedOnes() throws {
    let bench = try StoreBench()
    try bench.makeStore()
    let table = [
      "session_history": """
      id feed message tag anonymous state finished_after_verdict started finished duration open_at_least duration_source \
      clock_jump pid host app inferred call_site reason attempt retried user_time system_time max_memory
      """,
      "expectation": """
      pattern glob every cron timezone grace max_running max_failures anywhere note since paused paused_until
      """,
      "unbalanced": "id kind feed at evidence call_site likely acknowledged note",
    ]
    for (view, columns) in table {
      let found = try bench.sqlite3("SELECT group_concat(name, ' ') FROM pragma_table_info('\(view)')")
      #expect(found == columns)
    }
  }
}
