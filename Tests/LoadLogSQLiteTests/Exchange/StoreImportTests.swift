import Foundation
import LoadLogCore
import LoadLogReports
import LoadLogSQLite
import LoadLogTestSupport
import Synchronization
import TestProcesses
import Testing

/// Imports into a record that other owners write to.
@Suite struct StoreImportTests {
  private let bench: ImportBench

  init() throws { bench = try ImportBench() }

  private func load(_ number: Int, _ feed: String, _ start: String, _ end: String, _ more: String = "")
    -> String
  {
    """
    {"event":"start","at":"\(start)","feed":"\(feed)","id":"@\(number)"}
    {"event":"finish","at":"\(end)","id":"@\(number)"\(more)}

    """
  }

  @Test func datesOnlyMoveForwardByTheTimeOfTheFinish() throws {
    let writer = try bench.store.open()
    let id = SessionID()
    try bench.store.commit(
      .start(id, "a", message: nil, tag: nil), .finish(id, .succeeded), .push("b"),
      .pop("b", .failed("live")),
      to: writer)
    let live = (try bench.dates(of: "a"), try bench.dates(of: "b"))
    try bench.take(
      load(1, "a", "09:00:00", "09:00:01")
        + load(2, "b", "09:00:00", "09:00:01", #","verdict":"failed","reason":"old""#)
        + load(3, "b", "09:00:00", "09:00:02"))
    #expect(try bench.dates(of: "a") == live.0)
    #expect(try bench.dates(of: "b").lastFailure == "live" && bench.dates(of: "b").lastVerdict == .failed)
    #expect(try bench.dates(of: "b").lastUpdated == ImportBench.wall("09:00:02"), "there was none")

    try bench.take(
      load(4, "c", "10:00:00", "10:00:05", #","verdict":"failed","reason":"last""#)
        + load(5, "c", "10:00:00", "10:00:04") + load(6, "c", "10:00:01", "10:00:03", #","verdict":"failed""#)
    )
    let dates = try bench.dates(of: "c")
    #expect(dates.lastFailed == (try ImportBench.wall("10:00:05")) && dates.lastFailure == "last")
    #expect(dates.lastUpdated == (try ImportBench.wall("10:00:04")) && dates.lastVerdict == .failed)
    #expect(dates.lastAttempted == (try ImportBench.wall("10:00:01")))
    writer.close(finally: true)
  }

  @Test func onlyALaterSuccessReplacesAnAdoptedDate() throws {
    let writer = try bench.store.open()
    let (morning, evening) = (try ImportBench.wall("06:00:00"), try ImportBench.wall("18:00:00"))
    try bench.store.commit(.adopt("a", lastUpdated: morning), .adopt("b", lastUpdated: evening), to: writer)
    try bench.take(load(1, "a", "09:00:00", "09:00:01") + load(2, "b", "09:00:00", "09:00:01"))
    #expect(try bench.dates(of: "a").lastUpdated == ImportBench.wall("09:00:01"))
    #expect(try bench.dates(of: "b").lastUpdated == evening)
    try bench.store.commit(
      .adopt("a", lastUpdated: evening), .adopt("b", lastUpdated: morning), to: writer, from: 3)
    #expect(try bench.dates(of: "a").lastUpdated == ImportBench.wall("09:00:01"), "a real success stays")
    #expect(try bench.dates(of: "b").lastUpdated == morning, "the date is still an adopted one")
    writer.close(finally: true)
  }

  @Test func anAdoptedDateDoesNotReplaceASuccessInTheSameFile() throws {
    func feed(_ date: String, isAdopted: Bool) -> String {
      #"{"event":"feed","feed":"a","last_updated":"\#(date)","adopted":\#(isAdopted)}"# + "\n"
    }
    let files = [feed("09:00:00", isAdopted: false), feed("18:00:00", isAdopted: true)]
    for parts in [files, [files.joined()]] {
      let bench = try ImportBench()
      for part in parts { try bench.take(part) }
      #expect(try bench.dates(of: "a").lastUpdated == ImportBench.wall("09:00:00"), "\(parts.count)")
    }
  }

  @Test func openLoadsOfAnotherToolsFileAreAbandonedUntilACompleteFileEndsThem() throws {
    let begin = #"[{"ph":"B","pid":1,"tid":1,"ts":5,"name":"a"},"#
    let end = #"{"ph":"E","pid":1,"tid":1,"ts":8,"name":"a"},{"ph":"E","pid":1,"tid":1,"ts":9,"name":"z"}"#
    #expect(try bench.take(begin, .chromeTrace).numbers == "1 0 0")
    let open = try bench.loads()[0]
    #expect(open.state == .abandoned && open.reason == "import" && open.duration == nil)
    #expect(open.evidence == "the imported file does not contain its end")
    #expect(open.owner.owner.app == "import chrome-trace" && open.owner.owner.kind == .detached)
    #expect(try bench.dates(of: "a").lastUpdated == nil)
    #expect(try bench.take(begin, .chromeTrace).numbers == "0 1 0")
    #expect(try bench.take(begin + end, .chromeTrace).numbers == "2 0 0")
    let ended = try bench.loads()[0]
    #expect(ended.state == .ended && ended.isFinishedAfterVerdict && ended.duration == 3000)
    #expect(try bench.numbers(of: "z").unbalanced.orphanFinish == 1)
    #expect(try bench.take(begin + end, .chromeTrace).numbers == "0 2 0")
    #expect(try bench.take(begin, .chromeTrace).numbers == "0 1 0", "a finished load keeps its verdict")
    #expect(try bench.loads()[0].state == .ended)
    try bench.expectSound()
  }

  /// Collectors deliver a span at least once.
  @Test func aSpanThatAFileHasTwiceIsOneLoad() throws {
    func document(_ ids: String, _ end: String) -> String {
      #"{"resourceSpans":[{"scopeSpans":[{"spans":[{\#(ids)"name":"a","startTimeUnixNano":"1000"\#(end)}]}]}]}"#
        + "\n"
    }
    let ids = #""traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","#
    let (open, ended) = (document(ids, ""), document(ids, #","endTimeUnixNano":"3000""#))
    #expect(try bench.take(open + ended + ended, .otlp).numbers == "2 1 0")
    #expect(try bench.loads().map(\.state) == [.succeeded])
    let unnamed = document("", #","endTimeUnixNano":"3000""#)
    #expect(try bench.take(unnamed + unnamed, .otlp).numbers == "2 0 0")
    #expect(try bench.loads().count == 3)
    try bench.expectSound()
  }

  @Test func aRunningLoadGetsItsEndFromAnotherFormat() throws {
    let id = ImportBench.id(1)
    try bench.take(#"{"event":"start","at":"00:00:01","feed":"a","id":"@1"}"#)
    let trace =
      try #"[{"ph":"X","ts":\#(ImportBench.wall("00:00:01")),"dur":5,"name":"a","#
      + #""args":{"loadlog":{"id":"\#(id)","state":"failed","reason":"r"}}}]"#
    #expect(try bench.take(trace, .chromeTrace).numbers == "1 0 0")
    let load = try bench.loads()[0]
    #expect(
      load.state == .failed && load.reason == "r" && load.duration == 5000 && !load.isFinishedAfterVerdict)
    #expect(try bench.take(trace, .chromeTrace).numbers == "0 1 0")
    try bench.expectSound()
  }

  @Test(arguments: [
    (
      ImportFormat.chromeTrace, FeedSource.category,
      #"[{"ph":"X","ts":1,"dur":5,"name":"a","cat":"c"},{"ph":"X","ts":2,"dur":5,"name":"b","cat":"c"}]"#
    ),
    (
      .har, .url,
      #"{"log":{"entries":[{"startedDateTime":"2026-11-20T09:00:00Z","time":5,"request":{"url":"https://a.example/b"}}]}}"#
    ),
  ])
  func aLoadStaysInItsFeedIfItsFileIsImportedByAnother(
    format: ImportFormat, source: FeedSource, text: String
  ) throws {
    let loads = try bench.take(text, format).loads
    let before = try bench.lines()
    let result = try bench.take(text, format, by: source)
    #expect(loads > 0 && result.numbers == "0 \(loads) 0")
    #expect(result.others.map(\.count) == [loads])
    #expect(try bench.lines() == before)
    try bench.expectSound()
  }

  @Test func everythingBeforeAFaultIsImported() throws {
    let entry = #"{"startedDateTime":"2026-11-20T09:00:00Z","time":5,"request":{"url":"https://a.example/"}}"#
    let result = try bench.take(#"{"log":{"entries":[\#(entry),{"startedDateTime":"#, .har)
    #expect(result.imported == 1 && !result.isComplete)
    #expect(result.fault?.position.line == 1)
    #expect(try bench.loads().map(\.duration) == [5_000_000])
  }

  @Test func importingAFileByteByByteGivesTheSameRecord() throws {
    let text = """
      {"event":"start","at":"2026-11-20T09:00:00Z","feed":"a","message":"é"}
      {"event":"push","at":"2026-11-20T09:00:00Z","feed":"b","call_site":"A:1"}
      {"event":"start","at":"2026-11-20T09:00:01Z","feed":"a","id":"00000000-0000-4000-8000-000000000001"}
      {"event":"finish","at":"2026-11-20T09:00:05Z","id":"00000000-0000-4000-8000-000000000001","verdict":"failed"}
      {"event":"pop","at":"2026-11-20T09:00:06Z","feed":"b"}
      {"event":"pop","at":"2026-11-20T09:00:07Z","feed":"b"}

      """
    let whole = try ImportBench()
    #expect(try whole.take(text).numbers == "4 0 0")
    let bytes = Array(text.utf8)
    for count in stride(from: 0, through: bytes.count, by: 3) {
      let result = try bench.take(bytes: Array(bytes[..<count]), .ndjson)
      #expect(result.isComplete == (count > 0 && bytes[count - 1] == 0x0A) || result.fault == nil)
    }
    _ = try bench.take(bytes: bytes, .ndjson)
    let (mine, theirs) = (try bench.lines(), try whole.lines())
    #expect(mine == theirs, "\(mine.joined())\n\n\(theirs.joined())")
    try bench.expectSound()
  }

  @Test func exportsOfTwoStoresCanBeMerged() throws {
    let (one, two) = (try ImportBench(), try ImportBench())
    for (store, feed) in [(one.store, Feed("a")), (two.store, Feed("b"))] {
      let writer = try store.open()
      let id = SessionID()
      try store.commit(
        .start(id, feed, message: nil, tag: nil), .finish(id, .succeeded), .finish(id, .succeeded),
        .push("both"),
        .acknowledge(nil, by: "ada", note: "seen"), .close, to: writer)
      writer.close(finally: true)
    }
    for from in [one, two, one] {
      var items = try from.allItems()
      _ = try bench.take(&items)
    }
    let totals = try bench.status().totals
    #expect(totals.loads == 4 && totals.succeeded == 2 && totals.cancelled == 2)
    #expect(totals.unbalanced.duplicateFinish == 2 && totals.unbalanced.unacknowledged == 0)
    #expect(try bench.numbers(of: "both").loads == 2)
    try bench.expectSound()

    let before = try one.lines()
    var items = try one.allItems()
    #expect(try one.take(&items).numbers == "0 4 0")
    #expect(try one.lines() == before)
  }

  @Test func aRunningLoadKeepsItsOwnerAndIsCheckedInTheNewStore() throws {
    let app = bench.store.processes.another()
    let writer = try bench.store.open(in: app)
    try bench.store.commit(.push("a"), to: writer)
    let copy = try ImportBench()
    var items = try bench.allItems()
    _ = try copy.take(&items)
    func state() throws -> ShownState? {
      try SQLiteLoadReader(at: copy.store.path, processes: bench.store.processes, clock: bench.store.clock)
        .history(LoadFilter()).loads.first?.shownState
    }
    #expect(try state() == .running)
    app.kill()
    #expect(try state() == .crashed)
    #expect(try copy.loads()[0].owner.owner.process == app.current)
  }

  @Test func otherWritersCanRecordBetweenTransactions() throws {
    let writer = try bench.store.open()
    let target = try StoreImport(into: bench.store.place.url, source: "ndjson", clock: bench.store.clock)
    for round in Int64(1)...3 {
      var items = (0..<17_000).map { _ in
        ImportedItem.line(
          PositionedLine(
            line: .start(StartLine(at: 1, feed: "a", id: nil)), identity: .id(SessionID()), position: .start))
      }
      try target.add(&items)
      let isFree = try writer.begin(waiting: false)
      #expect(isFree)
      let push = NumberedEvent(number: round, event: LoadEvent(.push("live"), at: bench.store.clock.now()))
      if isFree { _ = try writer.commit([push], dropped: 0) }
    }
    var none: [ImportedItem] = []
    #expect(try target.finish(&none).imported == 51_000)
    #expect(try bench.numbers(of: "live").loads == 3 && bench.numbers(of: "a").loads == 51_000)
    writer.close(finally: true)
    try bench.expectSound()
  }

  @Test func anImportIntoALockedStoreIsBusyAtTheDeadline() throws {
    try bench.store.makeStore()
    let holder = try Child.holding(gate: bench.store.path + "-gate")
    let target = try StoreImport(into: bench.store.place.url, source: "ndjson", deadline: .milliseconds(50))
    var items = [
      ImportedItem.line(
        PositionedLine(
          line: .start(StartLine(at: 1, feed: "a", id: nil)), identity: .id(SessionID()), position: .start))
    ]
    let error = #expect(throws: LoadLogError.self) { try target.finish(&items) }
    #expect(error?.code == .busy)
    try holder.finish()
    #expect(try bench.store.reader().feeds() == ["network"])
  }

  /// Returns loads of three feeds in reverse order, one second each, with one second between them.
  private func backwards(_ numbers: Range<Int>) throws -> [ImportedItem] {
    let first = try ImportBench.wall("00:00:00") - 2 * 86_400_000_000
    return numbers.reversed().map { number in
      ImportedItem.load(
        ForeignLoad(
          feed: Feed("feed \(number % 3)"), started: first + Int64(number) * 2_000_000,
          state: .succeeded,
          duration: 1_000_000_000, identity: .id(SessionID(high: 1, low: UInt64(number))), position: .start))
    }
  }

  private func target(_ clock: any LoadClock) throws -> StoreImport {
    try StoreImport(
      into: bench.store.place.url, source: "test", processes: bench.store.processes, clock: clock)
  }

  @Test func loadsInReverseOrderAreCountedOnceAlsoDuringTheImport() throws {
    let target = try target(bench.store.clock)
    var items = try backwards(0..<35_000)
    try target.add(&items)
    let totals = try bench.store.reader().wholeStatus(LoadFilter()).totals
    #expect(totals.loads > 30_000 && totals.busy == Int64(totals.loads) * 1_000_000_000)
    #expect(try target.finish(&items).imported == 35_000)
    #expect(try bench.store.reader().wholeStatus(LoadFilter()).totals.busy == 35_000_000_000_000)
    try bench.expectSound()
  }

  /// The last commit with the old schema, whose stores this version refuses, exported the file.
  @Test func anExportFromBeforeTheFirstReleaseIsImportedAndReportsWhatItLacks() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "Fixtures/unreleased.ndjson")
    let result = try bench.take(bytes: Array(Data(contentsOf: file)), .ndjson)
    #expect(result.isComplete && result.others.map(\.count) == [2])
    #expect(result.others.first?.cause.hasPrefix("pops after a reset") == true)
    let totals = try bench.status().totals
    #expect(totals.loads == 7 && totals.succeeded == 3 && totals.failed == 1 && totals.unknown == 1)
    #expect(totals.unbalanced.total == 4 && totals.unbalanced.unacknowledged == 0)
    #expect(try bench.dates(of: "backup/db").lastFailure == "exit 2: refused")
    try bench.expectSound()
  }

  @Test func importingNothingCreatesNoStore() throws {
    var items: [ImportedItem] = [
      .rejected(ImportFault(at: .start, "no")), .fault(ImportFault(at: .start, "no")),
    ]
    #expect(try bench.take(&items).numbers == "0 0 1")
    #expect(!FileManager.default.fileExists(atPath: bench.store.path))
  }

  @Test func anImportDoesNotSubtractBootClocksOfDifferentOwners() throws {
    // An orphan of another store's owner is joined with a start in this one: their boot clocks cannot be
    // compared.
    let far = try ImportBench()
    let away = try far.store.open(in: ManualProcessTable(machineID: "far"))
    let id = ImportBench.id(1)
    try far.store.commit(.finish(id, .succeeded), to: away)
    let writer = try bench.store.open()
    try bench.store.commit(.start(id, "a", message: nil, tag: nil), to: writer)
    far.store.clock.advance(by: .seconds(1))
    var items = try far.allItems()
    #expect(try bench.take(&items).numbers == "1 0 0")
    let load = try bench.loads()[0]
    #expect(load.state == .succeeded && load.durationSource == .wall)
    #expect(try bench.status().totals.unbalanced.total == 0)
    try bench.expectSound()
    away.close(finally: true)
    writer.close(finally: true)
  }

  /// A load of another machine may have ended there. A detached one of this boot would have ended in this record.
  @Test func anUnknownLoadOfAnotherMachineIsOpenUntilItsOwnersLastCommit() throws {
    let far = try ImportBench()
    let machine = ManualProcessTable(machineID: "far")
    let (app, script) = (try far.store.open(in: machine), try far.store.open(in: machine, as: .detached))
    try far.store.commit(.start(ImportBench.id(1), "app", message: nil, tag: nil), to: app)
    try far.store.commit(.start(ImportBench.id(2), "script", message: nil, tag: nil), to: script)
    far.store.clock.advance(by: .seconds(7))
    try far.store.commit(.extraPop("app", .ended), to: app, from: 2)
    try far.store.commit(.extraPop("script", .ended), to: script, from: 2)
    var items = try far.allItems()
    #expect(try bench.take(&items).rejected == 0)
    let local = try bench.store.open(as: .detached)
    try bench.store.commit(.start(ImportBench.id(3), "local", message: nil, tag: nil), to: local)
    bench.store.clock.advance(by: .seconds(3600))
    let loads = try bench.loads()
    #expect(loads.count == 3 && loads.allSatisfy { $0.shownState == .unknown })
    func timeOpen(_ feed: Feed) -> Duration? { loads.first { $0.feed == feed }?.timeOpen }
    #expect(timeOpen("app") == .seconds(7) && timeOpen("script") == .zero)
    #expect(timeOpen("local") == .seconds(3600))
    let reader = try bench.store.reader()
    let long = LoadFilter(minimumDuration: 8_000_000_000)
    #expect(try reader.history(long).loads.map(\.feed) == ["local"])
    let now = bench.store.clock.now().wall
    #expect(try reader.history(LoadFilter(since: now - 1_000_000)).total == 3, "they may be open still")
    let busy = try reader.wholeStatus(LoadFilter()).feeds.map(\.numbers.timeBusy)
    #expect(busy == [.seconds(7), .seconds(3600), .zero])
    for store in [app, script, local] { store.close(finally: true) }
  }
}

extension ImportBench {
  /// Returns all lines of an export, including owners, as an importer would return them.
  func allItems() throws -> [ImportedItem] {
    let export = try StoreExport(at: store.path, processes: store.processes, clock: store.clock)
    var bytes: [UInt8] = []
    while let page = try export.nextLines() {
      for line in page { line.append(to: &bytes) }
    }
    var importer = try ImportFormat.ndjson.importer()
    return importer.items(of: bytes)
  }
}
