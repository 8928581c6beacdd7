import Foundation
import LoadLogCore
import LoadLogReports
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// Records a store in which every table has rows, and every state and kind of imbalance occurs.
struct ReleaseStore {
  private let bench: StoreBench
  private let app: SQLiteLoadStore
  private var last: Int64 = 0

  private init(_ bench: StoreBench) throws {
    self.bench = bench
    app = try bench.open()
  }

  /// Returns the file of such a store.
  static func recorded() throws -> Data {
    let bench = try StoreBench()
    var store = try ReleaseStore(bench)
    try store.recordOldDays()
    bench.clock.advance(by: .seconds(20 * 86_400))
    try store.recordVerdicts()
    try store.recordCommands()
    try store.recordCounts()
    try store.recordUnmatched()
    try store.recordDeaths()
    try store.recordExpectations()
    try store.recordOtherWriters()
    try store.ship()
    store.app.close(finally: false)
    try bench.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
    return try Data(contentsOf: bench.place.url)
  }

  private mutating func record(_ kinds: LoadEvent.Kind..., run: RunDetails? = nil) throws {
    let events = kinds.map { kind in
      last += 1
      var event = LoadEvent(kind, at: bench.clock.now(), callSite: CallSite("Reader/Feeds.swift:\(last)"))
      event.run = run
      return NumberedEvent(number: last, event: event)
    }
    try #require(try app.begin(waiting: true))
    _ = try app.commit(events, dropped: 0)
  }

  @discardableResult
  private mutating func load(
    _ feed: Feed, _ verdict: Verdict = .succeeded, taking time: Duration = .milliseconds(700)
  ) throws -> SessionID {
    let id = SessionID(milliseconds: bench.clock.now().wall / 1000)
    try record(.start(id, feed, message: "Loading \(feed)…", tag: "tag"))
    bench.clock.advance(by: time)
    try record(.finish(id, verdict))
    return id
  }

  /// Makes a batch for a fleet, which never arrives.
  private func ship() throws {
    let outbox = try StoreOutbox(at: bench.path, processes: bench.processes.another(), clock: bench.clock)
    var settings = StoreOutbox.Settings()
    settings.name = "box"
    _ = try outbox.prepare(settings)
    _ = try outbox.nextBatch(ShippedRemains())
  }

  /// Loads that ``recordOtherWriters()`` prunes.
  private mutating func recordOldDays() throws {
    for day in 1...3 {
      for seconds in 1...4 { try load("reviews", taking: .seconds(seconds * day)) }
      try load("reviews", .failed("timed out"))
      try record(.push("network"))
      bench.clock.advance(by: .seconds(86_400))
      try record(.pop("network", .ended))
    }
    try record(.adopt("adopted", lastUpdated: 1_700_000_000_000_000))
  }

  private mutating func recordVerdicts() throws {
    let verdicts: [Verdict] = [
      .succeeded("fine"), .unchanged, .failed("HTTP 503"), .cancelled, .ended, .succeeded,
    ]
    for verdict in verdicts { try load("reviews", verdict) }
    let shown = try load("reviews")
    try record(.shown(shown, "reviews", visible: 600_000_000, suppressed: 1))
    let jumped = SessionID()
    try record(.start(jumped, "reviews", message: nil, tag: nil))
    bench.clock.stepWall(by: .seconds(-3600))
    try record(.finish(jumped, .succeeded))
    bench.clock.stepWall(by: .seconds(3600))
    try record(.start(SessionID(), "images", message: "runs on", tag: nil))
  }

  /// What only `loadlog run` and pings record.
  private mutating func recordCommands() throws {
    let id = SessionID()
    try record(.start(id, "backup/db", message: nil, tag: nil))
    bench.clock.advance(by: .seconds(3))
    let facts = RunFacts(
      attempt: 1, isRetried: true, userTime: 2_000_000, systemTime: 1_000_000, maxMemory: 4096)
    let output = KeptOutput(total: 30, bytes: Array("no space left\n".utf8))
    try record(.finish(id, .failed("exit 1")), run: RunDetails(facts: facts, output: output))
    try record(
      .start(SessionID(), "images", message: nil, tag: nil), run: RunDetails(refusesOverlap: true))
    let book = PingBook(at: bench.path, processes: bench.processes, clock: bench.clock)
    let pings = [
      Ping(.failure(exitCode: 3), of: "router/backup", line: "no route"), Ping(.start, of: "router/backup"),
    ]
    for ping in pings {
      let entry = PingBook.Entry(ping, from: "192.0.2.7", "runitor/1.4", creates: true)
      _ = try book.record([entry])[0].get()
    }
  }

  private mutating func recordCounts() throws {
    try record(.push("network"), .push("network"), .push("network"), .pop("network", .succeeded))
    bench.clock.advance(by: .seconds(1))
    try record(.reset(["network"]), .pop("network", .ended))
    try record(.push("spinner"))
  }

  private mutating func recordUnmatched() throws {
    let late = SessionID()
    try record(.finish(SessionID(), .failed("whose?")), .finish(late, .succeeded))
    try record(.start(late, "late", message: nil, tag: nil))
    try record(.finish(try load("reviews"), .cancelled), .pop("extra", .ended), .extraPop("extra", .ended))
  }

  /// Loads that are crashed, rebooted and abandoned, one that finished after that, and an acknowledgement.
  private mutating func recordDeaths() throws {
    let dropped = SessionID()
    try record(.start(dropped, "images", message: nil, tag: nil))
    try record(.abandon(dropped, .dropped))
    let doomed = bench.processes.another()
    let other = try bench.open(in: doomed)
    let ids = (1...3).map { _ in SessionID() }
    for (number, id) in zip(Int64(1)..., ids) {
      try bench.commit(.start(id, "sync", message: nil, tag: nil), to: other, from: number)
    }
    doomed.kill()
    other.close(finally: false)
    _ = try app.judgeDeadOwners()
    try record(.finish(ids[0], .unchanged), .acknowledge([ids[1]], by: "ada", note: "killed by hand"))
  }

  private mutating func recordExpectations() throws {
    try record(
      .expect(
        Expectation(
          .every(3_600_000_000_000), grace: 60_000_000_000, maxRunning: 5_000_000_000, maxFailures: 2,
          note: "Ask Ada."), "reviews"),
      .expect(
        Expectation(.cron(try CronSchedule("10 2 * * *", timezone: "Europe/Berlin")), anywhere: true),
        "backup/*"),
      .expect(Expectation(.every(60_000_000_000)), "planned"), .pauseExpectation("planned", duration: nil))
    bench.clock.advance(by: .seconds(7200))
    let reader = try bench.reader()
    let book = FlipBook(at: bench.path, reader, processes: bench.processes, clock: bench.clock)
    let check = AlarmCheck(reader, LoadFilter(), book) { summary, gap, _ in
      AlarmReport.found(in: summary, gap: gap, zone: .fixed(hours: 0, "UTC"))
    }
    _ = try check.note(check.look(after: nil, nil))
    bench.clock.advance(by: .seconds(60))
    try load("reviews")
    let flips = try check.note(check.look(after: nil, nil))
    let now = bench.clock.now().wall
    var record = NotifierRecord(lastCheck: now)
    record.state.succeed(flips, at: now)
    record.state.fail(at: now)
    record.gap = CheckGap(from: now - 900_000_000, until: now - 60_000_000)
    try book.set(record, of: "mail")
  }

  /// An import, a pruning, a setting, and another boot, at whose beginning the loads of this owner are rebooted.
  private mutating func recordOtherWriters() throws {
    let trace = #"[{"name":"compile","ph":"X","ts":1000,"dur":250000,"pid":1,"tid":1}]"#
    try ImportBench(bench).take(trace, .chromeTrace)
    let (path, processes, clock) = (bench.path, bench.processes, bench.clock)
    try StoreDoctor.keep(.microseconds(30 * 86_400_000_000), at: path, processes: processes, clock: clock)
    let cutoff = bench.clock.now().wall - 10 * 86_400_000_000
    let pruned = try StoreDoctor.prune(at: path, before: cutoff, processes: processes, clock: clock)
    #expect(pruned > 0)
    bench.processes.reboot()
    bench.clock.reboot()
    let next = try bench.open(in: bench.processes.another())
    try bench.commit(.start(SessionID(), "images", message: nil, tag: nil), .push("spinner"), to: next)
    next.close(finally: false)
  }
}
