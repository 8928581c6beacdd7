import LoadLogCore
import LoadLogReports
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// Imports into and exports of stores with pruned loads.
@Suite struct SealedDayTests {
  private let bench: ImportBench
  private let text = """
    {"event":"start","at":"09:00:00","feed":"a","id":"@1"}
    {"event":"finish","at":"09:00:03","id":"@1"}
    {"event":"start","at":"10:00:00","feed":"a","id":"@2"}
    {"event":"finish","at":"10:00:09","id":"@2"}
    {"event":"start","at":"11:00:00","feed":"a","id":"@3"}
    {"event":"finish","at":"11:00:01","id":"@3"}
    {"event":"start","at":"12:00:00","feed":"a","id":"@4"}
    {"event":"push","at":"12:00:00","feed":"a"}

    """

  init() throws { bench = try ImportBench() }

  private func prune(_ bench: ImportBench, _ expected: Int = 2) throws {
    let noon = try ImportBench.wall("12:00:00")
    let count = try StoreDoctor.prune(
      at: bench.store.path, before: noon, processes: bench.store.processes, clock: bench.store.clock)
    #expect(count == expected)
  }

  @Test func importingAFileOfPrunedLoadsDoesNotCountThemAgain() throws {
    try bench.take(text)
    let before = try bench.status()
    try prune(bench)
    let finish =
      #"{"event":"finish","at":"10:00:09","id":"@2"}"# + "\n" + #"{"event":"pop","at":"12:00:01","feed":"a"}"#
    let result = try bench.take(text + finish)
    #expect(result.numbers == "1 5 0")
    #expect(result.others.map(\.count) == [2])
    let alone = try bench.take(#"{"event":"finish","at":"10:00:09","id":"@2"}"#)
    #expect(alone.numbers == "0 1 0", "without its start it is no orphan either")
    let numbers = try bench.numbers(of: "a")
    #expect(numbers.loads == before.totals.loads && numbers.succeeded == 3 && numbers.ended == 1)
    #expect(numbers.duration?.sum == 14_000_000_000 && numbers.unbalanced.total == 0)
    try bench.expectSound()
  }

  @Test func separateFinishesAndOldExportsRestoreNoPrunedLoad() throws {
    let finish = #"{"event":"finish","at":"10:00:09","id":"@2"}"# + "\n"
    let starts = text.replacing(#"{"event":"finish","at":"10:00:09","id":"@2"}"# + "\n", with: "")
    try bench.take(finish)
    var orphan = try bench.allItems()
    try bench.take(starts)
    #expect(try bench.status().totals.unbalanced.total == 0, "the two were joined")
    let before = try bench.lines()
    try prune(bench)
    for _ in 1...2 {
      let again = try bench.take(finish)
      #expect(again.numbers == "0 1 0")
    }
    #expect(try bench.take(&orphan).numbers == "0 1 0")
    #expect(try bench.status().totals.unbalanced.total == 0)
    let later = #"{"event":"finish","at":"2026-11-21T00:00:00Z","id":"@7"}"#
    #expect(try bench.take(later).numbers == "1 0 0", "on a day without pruned loads it is an orphan")
    #expect(try bench.take(finish + later).numbers == "0 2 0")
    #expect(before.count > (try bench.lines()).count)
    try bench.expectSound()
  }

  @Test func anOldAcknowledgementOfAPrunedLoadIsNotRejected() throws {
    let writer = try bench.store.open()
    let id = ImportBench.id(8)
    try bench.store.commit(
      .start(id, "a", message: nil, tag: nil), .abandon(id, .dropped),
      .acknowledge(nil, by: "ada", note: nil),
      .finish(id, .succeeded), .start(ImportBench.id(9), "a", message: nil, tag: nil),
      .finish(ImportBench.id(9), .succeeded), to: writer)
    writer.close(finally: true)
    var old = try bench.allItems()
    bench.store.clock.advance(by: .seconds(10))
    let count = try StoreDoctor.prune(
      at: bench.store.path, before: bench.store.clock.now().wall, processes: bench.store.processes,
      clock: bench.store.clock)
    #expect(count == 1)
    #expect(try bench.take(&old).numbers == "0 2 0")
    #expect(try bench.numbers(of: "a").loads == 2)
    try bench.expectSound()
  }

  @Test func numbersOfPrunedLoadsAreImportedOnce() throws {
    try bench.take(text)
    try prune(bench)
    let copy = try ImportBench()
    var items = try bench.allItems()
    #expect(try copy.take(&items).numbers == "4 0 0")
    #expect(try copy.lines() == bench.lines())
    #expect(try copy.status() == bench.status())
    try copy.expectSound()
    var again = try bench.allItems()
    #expect(try copy.take(&again).numbers == "0 4 0")
    #expect(try copy.status() == bench.status())

    let writer = try copy.store.open()
    try copy.store.commit(.push("a"), .pop("a", .succeeded), to: writer)
    #expect(try copy.numbers(of: "a").loads == 6 && copy.numbers(of: "a").isApproximate)
    writer.close(finally: true)
    try copy.expectSound()
  }

  @Test func aStoreWithTheLoadsKeepsThemAndAStoreWithOthersSaysSo() throws {
    try bench.take(text)
    let whole = try ImportBench()
    var items = try bench.allItems()
    _ = try whole.take(&items)
    let other = try ImportBench()
    try other.take(#"{"event":"start","at":"08:00:00","feed":"a","id":"@9"}"#)
    try prune(bench)

    items = try bench.allItems()
    #expect(try whole.take(&items).numbers == "0 4 0")
    #expect(try whole.numbers(of: "a").loads == 5 && !(whole.numbers(of: "a").isApproximate))
    items = try bench.allItems()
    let result = try other.take(&items)
    #expect(result.numbers == "3 1 0")
    #expect(result.others.map(\.cause).first?.contains("has other loads of these days") == true)
    #expect(try other.numbers(of: "a").loads == 4)
    try whole.expectSound()
    try other.expectSound()
  }

  /// It was exported for the last time in the middle of the day.
  @Test func aDayOfWhichACopyHasOnlyAPartDoesNotMakeItsImportsFail() throws {
    let morning = text.split(separator: "\n").prefix(2).joined(separator: "\n")
    let copy = try ImportBench()
    try bench.take(morning)
    var items = try bench.allItems()
    #expect(try copy.take(&items).numbers == "1 0 0")
    try bench.take(text)
    try prune(bench)
    for numbers in ["3 1 0", "0 4 0"] {
      items = try bench.allItems()
      let result = try copy.take(&items)
      #expect(result.isComplete && result.numbers == numbers && result.others.map(\.count) == [1])
    }
    try copy.expectSound()
  }

  @Test func prunedLoadsOfTwoStoresAreNotAddedUpAndThisIsSaid() throws {
    let (other, copy) = (try ImportBench(), try ImportBench())
    try bench.take(text)
    // The same numbers of loads, at other times.
    try other.take(
      text.replacing("09:00:00", with: "08:59:59").replacing(/@(\d)/) { "@\((Int($0.1) ?? 0) + 4)" })
    for bench in [bench, other] { try prune(bench) }
    var items = try bench.allItems()
    #expect(try copy.take(&items).numbers == "4 0 0")
    items = try other.allItems()
    let result = try copy.take(&items)
    #expect(result.numbers == "0 4 0")
    #expect(result.others.map(\.count) == [2, 1])
    #expect(result.others.last?.cause.hasPrefix("pruned days") == true)
    #expect(try copy.numbers(of: "a").loads == 5)
    items = try bench.allItems()
    let again = try copy.take(&items)
    #expect(again.numbers == "0 4 0" && again.others == [])
    try copy.expectSound()
  }

  /// A load over midnight seals two days, and the second may have lost no load.
  @Test func aDayThatAPrunedLoadReachedIntoIsSealedOnlyWhereThatLoadIsMissing() throws {
    let (before, after) = (try ImportBench.wall("23:50:00"), try ImportBench.wall("24:15:00"))
    let loads = """
      {"event":"start","at":"23:50:00","feed":"a","id":"@1"}
      {"event":"finish","at":"2026-11-21T00:10:00Z","id":"@1"}
      {"event":"start","at":"2026-11-21T00:20:00Z","feed":"a","id":"@2"}
      {"event":"finish","at":"2026-11-21T00:21:00Z","id":"@2"}
      """
    try bench.take(loads)
    let (whole, empty) = (try ImportBench(), try ImportBench())
    try whole.take(loads)
    #expect(try whole.take(#"{"event":"start","at":"2026-11-21T00:30:00Z","feed":"a","id":"@3"}"#).loads == 1)
    let status = try whole.status()
    let count = try StoreDoctor.prune(
      at: bench.store.path, before: after, processes: bench.store.processes, clock: bench.store.clock)
    #expect(count == 1)

    var items = try bench.allItems()
    let result = try whole.take(&items)
    #expect(result.numbers == "0 3 0" && result.others == [], "\(result.rejections)")
    #expect(try whole.status() == status && !status.totals.isApproximate)
    #expect(try whole.take(#"{"event":"start","at":"2026-11-21T00:40:00Z","feed":"a","id":"@4"}"#).loads == 1)

    for numbers in ["3 0 0", "0 3 0"] {
      items = try bench.allItems()
      #expect(try empty.take(&items).numbers == numbers)
      #expect(try empty.status() == bench.status())
      #expect(try empty.lines() == bench.lines())
    }
    let window = LoadFilter(since: before, until: after)
    #expect(try empty.store.reader().wholeStatus(window) == bench.store.reader().wholeStatus(window))
    for bench in [whole, empty] { try bench.expectSound() }
  }

  /// What a copy has as rows from an earlier import is not counted again when the record has pruned it.
  @Test(arguments: [true, false])
  func aFailureThatWasPrunedAfterItsImportIsCountedOnce(withSuccess: Bool) throws {
    func load(_ number: Int, _ hour: String, _ verdict: String) -> String {
      #"{"event":"start","at":"\#(hour):00:00","feed":"a","id":"@\#(number)"}"# + "\n"
        + #"{"event":"finish","at":"\#(hour):00:01","id":"@\#(number)","verdict":"\#(verdict)"}"# + "\n"
    }
    func failures(_ bench: ImportBench) throws -> Int? { try bench.status().feeds.first?.failures }
    let (copy, late) = (try ImportBench(), try ImportBench())
    if withSuccess { try bench.take(load(5, "08", "succeeded")) }
    try bench.take(load(1, "09", "failed") + load(2, "10", "failed"))
    var items = try bench.allItems()
    _ = try copy.take(&items)
    try bench.take(load(3, "11", "failed") + load(4, "12", "failed"))
    try prune(bench, 3)
    for copy in [copy, late] {
      for _ in 1...2 {
        items = try bench.allItems()
        _ = try copy.take(&items)
      }
    }
    #expect(try [bench, copy, late].map(failures) == [4, 4, 4])
  }

  @Test func impossibleNumbersAreRejected() throws {
    var lines = [SealedDayLine](repeating: SealedDayLine(feed: "a", day: UTCDay(number: 20_000)), count: 12)
    lines[0].day = UTCDay(number: -1)
    lines[1].busy = 86_400_000_000_001
    lines[2].loads = 3
    lines[3].verdicts = [.crashed: 1]
    lines[4].verdicts = [.failed: -1]
    (lines[5].loads, lines[5].verdicts) = (.max, [.failed: .max])
    func durations(
      zeros: Int = 0, _ buckets: [(Int, Int)] = [], sum: Int64 = 0, from least: Int64, to greatest: Int64
    ) throws -> DurationTally {
      let buckets = buckets.map { DurationHistogram.Bucket(index: $0, count: $1) }
      let histogram = try #require(DurationHistogram(zeroCount: zeros, buckets: buckets))
      return DurationTally(histogram: histogram, sum: sum, least: least, greatest: greatest)
    }
    for index in 6..<12 { (lines[index].loads, lines[index].verdicts) = (2, [.ended: 2]) }
    lines[6].otherDurations = try durations(sum: 1, from: .max, to: 0)
    lines[7].otherDurations = try durations(zeros: 2, sum: -1, from: 0, to: 0)
    lines[8].otherDurations = try durations([(0, .max), (1, .max), (100, 1)], from: 0, to: .max)
    lines[9].otherDurations = try durations(zeros: 3, from: 0, to: 0)
    lines[10].succeededDurations = try durations(zeros: 1, from: 0, to: 0)
    lines[11].otherDurations = try durations(zeros: 2, from: 5, to: 4)
    var items = lines.map {
      ImportedItem.line(PositionedLine(line: .sealedDay($0), identity: nil, position: .start))
    }
    #expect(try bench.take(&items).numbers == "0 0 12")
    #expect(try bench.status().totals.loads == 0)
  }

  @Test func aDamagedHistogramIsExportedWithoutATrap() throws {
    try bench.take(text)
    try prune(bench)
    // Two buckets with the greatest count.
    try bench.store.sqlite3(
      "UPDATE summary SET success_histogram = x'0000FFFFFFFFFFFFFFFF7F02FFFFFFFFFFFFFFFF7F' WHERE is_sealed")
    #expect(try bench.lines().joined().contains(#""succeeded_count":9223372036854775807,"#))
  }

  /// What is recorded during an export is not in it, also if that day is sealed already.
  @Test func anExportOfASealedDayThatGoesOnCanBeImported() throws {
    let writer = try bench.store.open()
    // The newest success stays when loads are pruned.
    try bench.store.commit(
      .push("a"), .pop("a", .succeeded), .push("a"), .pop("a", .succeeded), to: writer)
    bench.store.clock.advance(by: .seconds(10))
    let count = try StoreDoctor.prune(
      at: bench.store.path, before: bench.store.clock.now().wall, processes: bench.store.processes,
      clock: bench.store.clock)
    #expect(count == 1)
    try bench.store.commit(.push("a"), .pop("a", .succeeded), to: writer, from: 5)
    let export = try StoreExport(
      at: bench.store.path, processes: bench.store.processes, clock: bench.store.clock)
    try bench.store.commit(.push("a"), .pop("a", .succeeded), to: writer, from: 7)
    var bytes: [UInt8] = []
    var rows: [Int64] = []
    while let page = try export.nextLines() {
      for line in page {
        if case .sealedDay(let day) = line { rows.append(day.rows) }
        line.append(to: &bytes)
      }
    }
    writer.close(finally: true)
    #expect(rows == [2, 2], "those of the feed, and those of the store")
    let copy = try ImportBench()
    let result = try copy.take(bytes: bytes, .ndjson)
    #expect(result.rejected == 0, "\(result.rejections)")
    #expect(try copy.numbers(of: "a").succeeded == 3)
    try copy.expectSound()
  }

  @Test func anExportFailsIfLoadsArePrunedMeanwhile() throws {
    try bench.take(text)
    let export = try StoreExport(
      at: bench.store.path, processes: bench.store.processes, clock: bench.store.clock)
    _ = try export.nextLines()
    try prune(bench)
    let error = #expect(throws: LoadLogError.self) { while try export.nextLines() != nil {} }
    #expect(error?.code == .busy)
  }

  /// There are more sealed days than one page holds.
  @Test func anExportFailsIfLoadsArePrunedBetweenItsLastPages() throws {
    let first = try ImportBench.wall("09:00:00") - 300 * UTCDay.length
    var items = (Int64(0)..<300).map { number in
      let started = first + number * UTCDay.length
      let load = ForeignLoad(
        feed: "a", started: started, state: .succeeded, duration: 1,
        identity: .id(SessionID(milliseconds: started / 1000)), position: .start)
      return ImportedItem.load(load)
    }
    _ = try bench.take(&items)
    func prune(_ days: Int64) throws -> Int {
      try StoreDoctor.prune(
        at: bench.store.path, before: first + days * UTCDay.length, processes: bench.store.processes,
        clock: bench.store.clock)
    }
    #expect(try prune(290) == 290)
    let export = try StoreExport(
      at: bench.store.path, processes: bench.store.processes, clock: bench.store.clock)
    var days = 0
    while days == 0, let page = try export.nextLines() {
      for case .sealedDay in page { days += 1 }
    }
    #expect(days > 290 && days < 580, "the feed's days, and some of the store's")
    #expect(try prune(295) == 5)
    let error = #expect(throws: LoadLogError.self) { while try export.nextLines() != nil {} }
    #expect(error?.code == .busy)
  }

  @Test func filteredExportsContainOnlyWholeSealedDays() throws {
    try bench.take(text.replacing("\"a\"", with: "\"b\"").replacing(/@(\d)/) { "@\((Int($0.1) ?? 0) + 4)" })
    try bench.take(text)
    let noon = try ImportBench.wall("12:00:00")
    _ = try StoreDoctor.prune(
      at: bench.store.path, before: noon, processes: bench.store.processes, clock: bench.store.clock)
    func sealed(_ filter: LoadFilter) throws -> [String?] {
      let export = try StoreExport(at: bench.store.path, filter, clock: bench.store.clock)
      var feeds: [String?] = []
      while let page = try export.nextLines() {
        for case .sealedDay(let line) in page { feeds.append(line.feed?.name) }
      }
      return feeds
    }
    let day = try ImportBench.wall("00:00:00")
    #expect(try sealed(LoadFilter()) == ["b", "a", nil])
    #expect(try sealed(LoadFilter(feeds: ["a"])) == ["a"])
    #expect(try sealed(LoadFilter(since: day, until: day + UTCDay.length)) == ["b", "a", nil])
    #expect(try sealed(LoadFilter(since: day + 1)) == [])
    #expect(try sealed(LoadFilter(until: day + 1)) == [])
  }
}
