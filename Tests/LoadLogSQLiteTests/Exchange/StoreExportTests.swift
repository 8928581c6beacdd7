import Foundation
import LoadLogCore
import LoadLogLibC
import LoadLogReports
import LoadLogSQLite
import LoadLogTestSupport
import Synchronization
import TestProcesses
import Testing

/// The contents and the order of exports.
@Suite struct StoreExportTests {
  private let bench: ImportBench

  init() throws { bench = try ImportBench() }

  /// Creates a store with every kind of row. Its owner lives as long as the returned store.
  private func makeStore() throws -> SQLiteLoadStore {
    let (store, clock) = (bench.store, bench.store.clock)
    let (app, doomed) = (store.processes.another(), store.processes.another())
    let writer = try store.open(in: app)
    let other = try store.open(in: doomed)
    let ids = (1...6).map(ImportBench.id)
    try store.commit(
      .adopt("adopted", lastUpdated: 1_700_000_000_000_000),
      .start(ids[0], "a", message: "m\n\u{202E}", tag: "t"),
      .start(ids[1], "a", message: nil, tag: nil), .finish(ids[3], .failed("early")), .push("net"),
      .push("net"),
      to: writer)
    try store.commit(.start(ids[4], "b", message: nil, tag: nil), .push("b"), to: other)
    clock.advance(by: .seconds(2))
    try store.commit(
      .finish(ids[0], .succeeded("fine")), .finish(ids[0], .cancelled), .pop("net", .ended), .reset(["net"]),
      .pop("net", .ended), .pop("net", .ended), .start(ids[3], "late", message: nil, tag: nil),
      .abandon(ids[1], .dropped), .finish(ids[5], .ended),
      .shown(ids[0], "a", visible: 1_500_000_000, suppressed: 2), to: writer, from: 7)
    doomed.kill()
    _ = try writer.judgeDeadOwners()
    try store.commit(
      .acknowledge(nil, by: "ada", note: "seen"), .finish(ids[4], .unchanged), .push("open"), to: writer,
      from: 17)
    clock.stepWall(by: .seconds(-3600))
    try store.commit(
      .start(ids[2], "a", message: nil, tag: nil), .finish(ids[2], .succeeded), to: writer, from: 20)
    return writer
  }

  @Test func aStoreWithEveryKindOfRowSurvivesNdjsonUnchanged() throws {
    let owner = try makeStore()
    defer { owner.close(finally: true) }
    let copy = try ImportBench()
    var items = try bench.allItems()
    let result = try copy.take(&items)
    #expect(result.isComplete && result.skipped == 0)
    #expect(try copy.lines() == bench.lines())
    func status(_ path: String) throws -> StatusSummary {
      try SQLiteLoadReader(at: path, processes: bench.store.processes, clock: bench.store.clock)
        .status(LoadFilter(), runningLimit: nil)
    }
    let (mine, theirs) = (try status(bench.store.path), try status(copy.store.path))
    #expect(mine.totals == theirs.totals && mine.callSites == theirs.callSites)
    for (mine, theirs) in zip(mine.feeds, theirs.feeds) { #expect(mine == theirs) }
    try copy.expectSound()
    let words = try bench.lines().joined()
    for word in [
      #""verdict":"crashed""#, #""finished_after_verdict":true"#, #""event":"acknowledged""#,
      #""kind":"duplicate_finish""#,
      #""kind":"orphan_finish""#, #""kind":"extra_pop""#, #""anonymous":true"#, #""adopted":true"#,
      #""visible_ns":1500000000,"suppressed":2"#, #""kind":"pop_after_reset""#, #""unseen":true"#,
    ] { #expect(words.contains(word), "\(word) is not among the lines") }
  }

  /// Each time, whatever an earlier export has brought already.
  @Test func aStoreThatImportsLaterExportsIsTheSameAsOneThatImportsTheLast() throws {
    let (store, copy, fresh) = (bench.store, try ImportBench(), try ImportBench())
    let (app, command) = (try store.open(), try store.open(as: .detached))
    func export(to other: ImportBench) throws {
      store.clock.advance(by: .seconds(1))
      var items = try bench.allItems()
      #expect(try other.take(&items).isComplete)
    }
    let (load, attempt) = (ImportBench.id(1), ImportBench.id(2))
    try store.commit(
      .start(load, "a", message: "step 1", tag: nil), .start(attempt, "b", message: nil, tag: nil),
      .push("net"), .push("net"), .push("net"), .reset(["net"]), .push("other"), .reset(["other"]), to: app)
    try store.commit(.finish(attempt, .failed("exit 1")), to: app, from: 9, isRetried: true)
    try export(to: copy)
    try store.commit(.update(load, message: "step 9"), .finish(load, .succeeded), to: app, from: 10)
    try store.commit(.ran(attempt), to: app, from: 12, isRetried: false)
    try store.commit(.pop("net", .ended), to: command)
    try export(to: copy)
    try export(to: copy)
    try export(to: fresh)
    for other in [copy, fresh] {
      #expect(try other.lines() == bench.lines())
      try other.expectSound()
    }
    // Two pops are forgiven still.
    try store.commit(.pop("net", .ended), to: command, from: 2)
    try export(to: copy)
    #expect(try copy.lines() == bench.lines())
    try store.commit(.pop("net", .ended), .pop("net", .ended), .pop("other", .ended), to: command, from: 3)
    try export(to: copy)
    #expect(try copy.lines() == bench.lines())
    let writer = try copy.store.open(as: .detached)
    #expect(
      try copy.store.commit(.pop("net", .ended), .pop("other", .ended), to: writer).map(\.outcome)
        == [.unmatched(.extraPop), .unmatched(.extraPop)])
    for store in [app, command, writer] { store.close(finally: true) }
  }

  @Test func laterExportsBringWhatChangedWhileALoadRanAndAfterItsEnd() throws {
    let (store, copy) = (bench.store, try ImportBench())
    let app = try store.open()
    let (running, ended) = (ImportBench.id(1), ImportBench.id(2))
    try store.commit(
      .start(running, "a", message: "step 1", tag: nil), .start(ended, "b", message: nil, tag: nil),
      .shown(ended, "b", visible: 5, suppressed: 0), .finish(ended, .succeeded), to: app)
    let first = try bench.allItems()
    var items = first
    #expect(try copy.take(&items).numbers == "2 0 0")
    store.clock.advance(by: .seconds(1))
    try store.commit(
      .update(running, message: "step 2"), .shown(ended, "b", visible: 2, suppressed: 1), to: app, from: 5)
    for numbers in ["2 0 0", "0 2 0"] {
      items = try bench.allItems()
      #expect(try copy.take(&items).numbers == numbers)
      #expect(try copy.lines() == bench.lines())
    }
    for bench in [copy, bench] {
      items = first
      #expect(try bench.take(&items).numbers == "0 2 0", "the record is newer")
      #expect(try bench.loads("a").map(\.message) == ["step 2"])
      #expect(try bench.loads("b").map(\.visibleTime) == [7])
    }
    app.close(finally: true)
    try copy.expectSound()
  }

  @Test func recordingContinuesInTheImportedStore() throws {
    let owner = try makeStore()
    defer { owner.close(finally: true) }
    let copy = try ImportBench()
    var items = try bench.allItems()
    _ = try copy.take(&items)
    let writer = try copy.store.open()
    let crashed = try copy.loads("b").first { $0.state == .crashed }
    try copy.store.commit(.finish(try #require(crashed).id, .succeeded), to: writer)
    #expect(try copy.loads("b").allSatisfy { $0.state.isFinished && $0.isFinishedAfterVerdict })
    writer.close(finally: true)
    try copy.expectSound()
  }

  @Test func filtersSelectLoadsByStartAndIncludeTheirOwners() throws {
    try bench.take(
      """
      {"event":"start","at":"09:00:00","feed":"a","id":"@1"}
      {"event":"finish","at":"11:00:00","id":"@1"}
      {"event":"start","at":"10:00:00","feed":"b","id":"@2"}
      {"event":"pop","at":"10:00:00","feed":"b"}
      {"event":"finish","at":"10:00:00","id":"@9"}
      """)
    func words(_ filter: LoadFilter) throws -> [String] {
      let export = try StoreExport(at: bench.store.path, filter, clock: bench.store.clock)
      var words: [String] = []
      while let page = try export.nextLines() {
        for line in page {
          switch line {
          case .feed(let line): words.append("feed \(line.feed)")
          case .owner: words.append("owner")
          case .start(let line): words.append("start \(line.feed)")
          case .finish: words.append("finish")
          case .unmatched(let line): words.append(line.kind.rawValue)
          default: words.append("?")
          }
        }
      }
      return words
    }
    let ten = try ImportBench.wall("10:00:00")
    #expect(
      try words(LoadFilter()) == [
        "feed a", "feed b", "owner", "start a", "finish", "start b", "extra_pop", "orphan_finish",
      ])
    #expect(try words(LoadFilter(feeds: ["b"])) == ["feed b", "owner", "start b", "extra_pop"])
    #expect(try words(LoadFilter(until: ten)) == ["feed a", "feed b", "owner", "start a", "finish"])
    #expect(
      try words(LoadFilter(since: ten)) == [
        "feed a", "feed b", "owner", "start b", "extra_pop", "orphan_finish",
      ])
    #expect(try words(LoadFilter(feeds: ["none"])) == [])
  }

  @Test func anExportOfManyPagesIsOneSnapshot() throws {
    let writer = try bench.store.open()
    var number: Int64 = 0
    func push(_ count: Int) throws {
      let events = (0..<count).map { _ -> NumberedEvent in
        number += 1
        return NumberedEvent(number: number, event: LoadEvent(.push("a"), at: bench.store.clock.now()))
      }
      try #require(try writer.begin(waiting: true))
      _ = try writer.commit(events, dropped: 0)
    }
    try push(2500)
    let lines = try StoreExport(
      at: bench.store.path, processes: bench.store.processes, clock: bench.store.clock)
    let rows = try StoreExport(
      at: bench.store.path, processes: bench.store.processes, clock: bench.store.clock)
    var (starts, owners, loads) = (0, 0, 0)
    while let page = try lines.nextLines() {
      for line in page {
        if case .start = line { starts += 1 }
        if case .owner = line { owners += 1 }
      }
      if starts == 1000 { try push(10) }
    }
    while let page = try rows.nextRows() { loads += page.count }
    #expect(starts == 2500 && owners == 1 && loads == 2500)
    #expect(lines.progress.done == lines.progress.of)
    writer.close(finally: true)
  }

  /// However many loads have kept output, an export holds little of it at a time.
  @Test func aPageEndsWithItsShareOfKeptOutput() throws {
    let writer = try bench.store.open()
    let output = KeptOutput(total: 1_500_000, bytes: [UInt8](repeating: 7, count: 1_500_000))
    let ids = (0..<8).map { _ in SessionID() }
    for (number, id) in zip(Int64(1)..., ids) {
      var event = LoadEvent(.start(id, "backup", message: nil, tag: nil), at: bench.store.clock.now())
      event.run = RunDetails(output: output)
      try #require(try writer.begin(waiting: true))
      _ = try writer.commit([NumberedEvent(number: number, event: event)], dropped: 0)
    }
    let export = try StoreExport(
      at: bench.store.path, withOutput: true, processes: bench.store.processes, clock: bench.store.clock)
    var starts: [SessionID] = []
    while let page = try export.nextLines() {
      var bytes = 0
      for line in page {
        if case .start(let line) = line, let id = line.id { starts.append(id) }
        if case .output(let line) = line { bytes += line.bytes.count }
      }
      #expect(bytes < 6_000_000)
    }
    #expect(starts == ids)
    writer.close(finally: true)
  }

  @Test func otherFormatsGetReportedLoadsThenUnmatchedFinishes() throws {
    let owner = try makeStore()
    defer { owner.close(finally: true) }
    let export = try StoreExport(
      at: bench.store.path, processes: bench.store.processes, clock: bench.store.clock)
    var (loads, unmatched): ([LoadingSession], [Imbalance]) = ([], [])
    while let page = try export.nextRows() {
      for row in page {
        switch row {
        case .load(let load):
          loads.append(load)
          #expect(unmatched.isEmpty)
        case .unmatched(let finish): unmatched.append(finish)
        }
      }
    }
    let all = try bench.loads()
    #expect(Set(loads) == Set(all) && loads.count == all.count)
    #expect(unmatched.map(\.kind.word) == ["duplicate_finish", "extra_pop", "orphan_finish"])
  }

  #if os(Linux)
    /// A clock for which something happens whenever a page is read, but not when it is read again.
    private final class BusyClock: LoadClock {
      private let base = ManualClock()
      private let event: @Sendable () -> Void
      private let isAgain = Mutex(false)

      init(event: @escaping @Sendable () -> Void) { self.event = event }

      func now() -> LoadInstant { base.now() }

      func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm {
        isAgain.withLock { isAgain in
          if !isAgain { event() }
          isAgain.toggle()
        }
        return base.schedule(at: boot, action)
      }
    }

    /// Where a reader may not write, it takes the file for one that never changes, and reads again if it did change.
    @Test(.enabled("becoming another user needs root") { getuid() == 0 })
    func anExportIsWholeIfOthersWriteWhileItsPagesAreRead() async {
      await #expect(processExitsWith: .success) {
        let bench = try StoreBench()
        try ReleaseStore.recorded().write(to: bench.place.url)
        #expect(chmod(bench.path, 0o644) == 0 && chmod(bench.place.folder.path, 0o555) == 0)
        nonisolated(unsafe) let writer = try Child(["/usr/bin/env", "sqlite3", bench.path])
        let write =
          "INSERT INTO text (value) VALUES (hex(randomblob(9999))); PRAGMA wal_checkpoint(TRUNCATE);"
        let commits = Mutex(0)
        let busy = BusyClock {
          let result = Result {
            try writer.write(write)
            return try writer.line()
          }
          commits.withLock { $0 += (try? result.get()) == "0|0|0" ? 1 : 0 }
        }
        func export(_ clock: any LoadClock) throws -> StoreExport {
          try StoreExport(at: bench.path, withOutput: true, processes: bench.processes, clock: clock)
        }
        func lines(_ clock: any LoadClock) throws -> String {
          let export = try export(clock)
          var bytes: [UInt8] = []
          while let page = try export.nextLines() { page.forEach { $0.append(to: &bytes) } }
          return String(decoding: bytes, as: UTF8.self)
        }
        func rows(_ clock: any LoadClock) throws -> [String] {
          let export = try export(clock)
          var rows: [String] = []
          while let page = try export.nextRows() { rows += page.map { "\($0)" } }
          return rows
        }
        let isTried = try SystemCalls.asUser(65_534) {
          let (calmLines, calmRows) = (try lines(ManualClock()), try rows(ManualClock()))
          let (busyLines, busyRows) = (try lines(busy), try rows(busy))
          #expect(busyLines == calmLines && busyRows == calmRows)
        }
        #expect(isTried)
        #expect(commits.withLock { $0 } > 8)
        #expect(try writer.finish() == 0)
      }
    }
  #endif
}
