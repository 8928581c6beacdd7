import Foundation
import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// Imports of handwritten lines and of lines from other stores.
@Suite struct LineImportTests {
  private let bench: ImportBench

  init() throws { bench = try ImportBench() }

  @Test func aStartAndAFinishBecomeALoad() throws {
    let text = """
      {"event":"start","at":"09:00:00","feed":"reviews","id":"@1","message":"Loading…","tag":"t","call_site":"A.swift:1"}
      {"event":"start","at":"09:00:01","feed":"reviews","id":"@2"}
      {"event":"finish","at":"09:00:04","id":"@1","verdict":"unchanged","reason":"304"}
      {"event":"finish","at":"09:00:03","id":"@2"}
      """
    #expect(try bench.take(text).numbers == "2 0 0")
    let loads = try bench.loads()
    let first = try #require(loads.first)
    #expect(first.id == ImportBench.id(1) && first.feed == "reviews" && first.state == .unchanged)
    #expect(first.message == "Loading…" && first.tag == "t" && first.callSite == "A.swift:1")
    #expect(first.reason == "304" && first.duration == 4_000_000_000 && first.durationSource == .wall)
    #expect(try first.started.wall == ImportBench.wall("09:00:00"))
    #expect(try first.finished == ImportBench.wall("09:00:04"))
    #expect(loads.last?.state == .succeeded && loads.last?.duration == 2_000_000_000)
    #expect(
      try bench.dates(of: "reviews").lastUpdated == ImportBench.wall("09:00:04"), "the latest, not the last")
    #expect(try bench.dates(of: "reviews").lastChanged == ImportBench.wall("09:00:03"))
    #expect(try bench.dates(of: "reviews").lastAttempted == ImportBench.wall("09:00:01"))
    try bench.expectSound()
    let before = try bench.lines()
    #expect(try bench.take(text).numbers == "0 2 0")
    #expect(try bench.lines() == before)
  }

  /// Counting further would overflow.
  @Test(arguments: [
    #"{"event":"feed","feed":"a","pruned_failures":1099511627777}"#,
    #"{"event":"feed","feed":"a","overlaps":1099511627777}"#,
    #"{"event":"owner","uid":"0123456789abcdef0123456789abcdef","kind":"detached","opened_at":"09:00:00","dropped":1099511627777}"#,
  ])
  func aCountThatNoStoreReachesIsRejected(_ line: String) throws {
    #expect(try bench.take(line).numbers == "0 0 1")
    try bench.expectSound()
  }

  /// Feed lines of two records in one file: the start of the last success, with its number of pruned failures.
  @Test(arguments: [
    ("09:00:00", 0, "08:00:00", 3, 0), ("08:00:00", 3, "09:00:00", 0, 0), ("08:00:00", 0, "09:00:00", 3, 3),
    ("09:00:00", 3, "09:00:00", 1, 3), ("09:00:00", 1, "09:00:00", 3, 3),
  ])
  func prunedFailuresBelongToTheLastSuccess(
    first: String, pruned: Int, second: String, alsoPruned: Int, kept: Int
  ) throws {
    func line(_ started: String, _ pruned: Int) -> String {
      #"{"event":"feed","feed":"a","last_updated":"10:00:00","last_success_started":"\#(started)","pruned_failures":\#(pruned)}"#
        + "\n"
    }
    #expect(try bench.take(line(first, pruned) + line(second, alsoPruned)).rejected == 0)
    #expect(try bench.store.sqlite3("SELECT pruned_failures FROM feed") == "\(kept)")
  }

  /// Whether one file has both, or two.
  @Test func aSuccessBehindAnExportEndsThePrunedFailures() throws {
    let exported =
      #"{"event":"feed","feed":"a","last_updated":"08:00:00","last_success_started":"07:59:00","pruned_failures":3}"#
      + "\n"
    let own = """
      {"event":"start","at":"09:00:00","feed":"a","id":"@1"}
      {"event":"finish","at":"09:00:05","id":"@1"}
      {"event":"start","at":"10:00:00","feed":"a","id":"@2"}
      {"event":"finish","at":"10:00:05","id":"@2","verdict":"failed"}
      """
    let parts = try ImportBench()
    try bench.take(exported + own)
    for part in [exported, own, exported] { try parts.take(part) }
    for bench in [bench, parts] { #expect(try bench.status().feeds.map(\.failures) == [1]) }
  }

  @Test func anOrphanIsCountedForItsFeedUntilItsStartArrives() throws {
    try bench.take(
      #"{"event":"unmatched","kind":"orphan_finish","id":"@9","feed":"a","load":"@1","at":"09:00:05"}"#)
    try bench.take(#"{"event":"start","at":"09:00:00","feed":"a","id":"@1"}"#)
    #expect(try bench.loads("a")[0].state == .ended)
    #expect(try bench.numbers(of: "a").unbalanced.total == 0)
    try bench.expectSound()
  }

  /// Neither is its acknowledgement rejected, after its load was pruned, too.
  @Test func anAcknowledgedOrphanWhoseStartHasArrivedCanBeImportedAgain() throws {
    let orphan = """
      {"event":"unmatched","kind":"orphan_finish","id":"@9","load":"@1","at":"09:00:05"}
      {"event":"acknowledged","id":"@9","at":"10:00:00","by":"ada","note":null}
      """
    let start = #"{"event":"start","at":"09:00:00","feed":"a","id":"@1"}"#
    #expect(try bench.take(orphan).numbers == "2 0 0")
    #expect(try bench.take(start).numbers == "1 0 0")
    let before = try bench.lines()
    #expect(try bench.take(orphan).numbers == "0 1 0")
    #expect(try bench.lines() == before)
    let fresh = try ImportBench()
    try fresh.take(start)
    #expect(try fresh.take(orphan).numbers == "1 0 0", "its load ends")
    #expect(try fresh.lines() == before)

    try bench.take(#"{"event":"start","at":"11:00:00","feed":"a","id":"@2"}"#)
    let count = try StoreDoctor.prune(
      at: bench.store.path, before: ImportBench.wall("12:00:00"), processes: bench.store.processes,
      clock: bench.store.clock)
    #expect(count == 1)
    #expect(try bench.take(orphan).numbers == "0 1 0")
    try bench.expectSound()
  }

  @Test func aGivenDurationIsUsedAndAnEarlyFinishHasNone() throws {
    try bench.take(
      """
      {"event":"start","at":"09:00:00","feed":"a","id":"@1"}
      {"event":"finish","at":"09:00:10","id":"@1","duration_ns":1500000000}
      {"event":"start","at":"09:00:00","feed":"b","id":"@2"}
      {"event":"finish","at":"08:59:59","id":"@2"}
      {"event":"start","at":"09:00:00","feed":"c","id":"@3"}
      {"event":"finish","at":"09:00:05","id":"@3","duration_ns":null}
      """)
    let (a, b, c) = (try bench.loads("a")[0], try bench.loads("b")[0], try bench.loads("c")[0])
    #expect(a.duration == 1_500_000_000 && a.durationSource == .boot && a.clockJump == 8_500_000)
    #expect(try a.finished == ImportBench.wall("09:00:10"))
    #expect(b.state == .succeeded && b.duration == nil)
    #expect(c.state == .succeeded && c.duration == nil)
    try bench.expectSound()
  }

  @Test func aLoadWithoutAFinishKeepsRunningAndItsOwnerIsNeverChecked() throws {
    #expect(
      try bench.take(
        """
        {"event":"start","at":"09:00:00","feed":"a"}
        {"event":"push","at":"09:00:00","feed":"b"}
        """
      ).numbers == "2 0 0")
    let writer = try bench.store.open()
    #expect(writer.verdictsAtOpen == [:])
    #expect(try writer.judgeDeadOwners() == [:])
    #expect(try bench.loads().map(\.shownState) == [.unknown, .unknown])
    bench.store.processes.reboot()
    #expect(try writer.judgeDeadOwners() == [:])
    #expect(try bench.loads().map(\.shownState) == [.unknown, .unknown])
    #expect(try bench.loads()[0].owner.owner.kind == .detached)
    #expect(try bench.loads()[0].owner.owner.app == "import ndjson")
    writer.close(finally: true)
  }

  @Test func aFinishInALaterFileReplacesAnInferredVerdict() throws {
    let start = #"{"event":"start","at":"09:00:00","feed":"a","id":"@1"}"#
    #expect(try bench.take(start).numbers == "1 0 0")
    #expect(
      try bench.take(start + "\n" + #"{"event":"finish","at":"09:00:03","id":"@1"}"#).numbers == "1 0 0")
    #expect(try bench.loads()[0].state == .succeeded && !(bench.loads()[0].isFinishedAfterVerdict))

    let app = bench.store.processes.another()
    let writer = try bench.store.open(in: app)
    try bench.store.commit(.start(ImportBench.id(2), "b", message: nil, tag: nil), to: writer)
    app.kill()
    let other = try bench.store.open()
    _ = try other.judgeDeadOwners()
    other.close(finally: true)
    #expect(try bench.loads("b")[0].state == .crashed)
    #expect(
      try bench.take(#"{"event":"finish","at":"09:00:03","id":"@2","verdict":"failed"}"#).numbers == "1 0 0")
    #expect(try bench.loads("b")[0].state == .failed && bench.loads("b")[0].isFinishedAfterVerdict)
    #expect(
      try bench.take(#"{"event":"finish","at":"09:00:03","id":"@2","verdict":"crashed"}"#).numbers == "0 0 0")
    #expect(try bench.loads("b")[0].state == .failed)
    try bench.expectSound()
  }

  @Test func aSecondFinishIsUnbalancedButARepeatedOneIsNot() throws {
    let load = """
      {"event":"start","at":"09:00:00","feed":"a","id":"@1"}
      {"event":"finish","at":"09:00:03","id":"@1"}

      """
    let second = #"{"event":"finish","at":"09:00:09","id":"@1","verdict":"failed"}"# + "\n"
    let first = try bench.take(load + load + second + second)
    #expect(first.numbers == "2 1 0" && first.loads == 1 && first.unmatched == 1)
    #expect(try bench.numbers(of: "a").unbalanced.duplicateFinish == 1)
    let before = try bench.lines()
    #expect(try bench.take(load + load + second + second).numbers == "0 2 0")
    #expect(try bench.lines() == before)
    try bench.expectSound()
  }

  @Test func aFinishOfAnUnknownLoadIsUnbalancedUntilItsStartArrives() throws {
    let finish = #"{"event":"finish","at":"09:00:03","id":"@1","verdict":"failed","reason":"r"}"# + "\n"
    let other = #"{"event":"finish","at":"09:00:05","id":"@1"}"# + "\n"
    let start = #"{"event":"start","at":"09:00:00","feed":"a","id":"@1"}"# + "\n"
    #expect(try bench.take(finish + other).numbers == "2 0 0")
    #expect(try bench.status().totals.unbalanced.orphanFinish == 2)
    #expect(try bench.take(finish + other).numbers == "0 2 0")
    #expect(try bench.take(start).numbers == "1 0 0")
    let load = try bench.loads()[0]
    #expect(
      load.state == .failed && load.reason == "r" && load.duration == 3_000_000_000
        && !load.isFinishedAfterVerdict)
    let totals = try bench.status().totals.unbalanced
    #expect(totals.orphanFinish == 0 && totals.duplicateFinish == 1)
    #expect(try bench.dates(of: "a").lastFailed == ImportBench.wall("09:00:03"))
    let before = try bench.lines()
    #expect(try bench.take(finish + other + start).numbers == "0 1 0")
    #expect(try bench.lines() == before)
    try bench.expectSound()
  }

  @Test func aVerdictThatArrivesWithItsStartWithdrawsAnEqualFinish() throws {
    try bench.take(
      #"{"event":"finish","at":"09:00:03","id":"@1"}"# + "\n"
        + #"{"event":"finish","at":"09:00:04","id":"@1"}"#)
    try bench.take(
      #"{"event":"start","at":"09:00:00","feed":"a","id":"@1"}"# + "\n"
        + #"{"event":"finish","at":"09:00:04","id":"@1"}"#)
    #expect(try bench.loads()[0].duration == 4_000_000_000)
    #expect(try bench.numbers(of: "a").unbalanced.duplicateFinish == 1)
    #expect(try bench.status().totals.unbalanced.total == 1)
    try bench.expectSound()
  }

  /// The dates of an export are those of its own loads.
  @Test func linesBehindAnExportMoveTheDatesOfItsFeeds() throws {
    let owner = "0123456789abcdef0123456789abcdef"
    let exported = """
      {"event":"feed","feed":"a","last_attempted":"08:00:00","last_failed":"08:00:05","last_verdict":"failed"}
      {"event":"owner","uid":"\(owner)","kind":"detached","opened_at":"08:00:00","last_commit_at":"08:00:00"}
      {"event":"start","at":"09:00:00","feed":"a","id":"@1","owner":"\(owner)"}
      {"event":"finish","at":"09:00:05","id":"@1"}
      {"event":"start","at":"07:00:00","feed":"a","id":"@2","owner":"\(owner)"}

      """
    try bench.take(exported)
    let dates = try bench.dates(of: "a")
    #expect(try dates.lastUpdated == nil && dates.lastAttempted == ImportBench.wall("08:00:00"))
    let own = """
      {"event":"start","at":"10:00:00","feed":"a","id":"@3"}
      {"event":"finish","at":"10:00:05","id":"@3"}
      {"event":"finish","at":"10:00:07","id":"@2","verdict":"failed"}
      """
    let fresh = try ImportBench()
    #expect(try fresh.take(exported + own).numbers == "3 0 0")
    try bench.take(own)
    for bench in [bench, fresh] {
      let dates = try bench.dates(of: "a")
      #expect(try dates.lastUpdated == ImportBench.wall("10:00:05"))
      #expect(try dates.lastAttempted == ImportBench.wall("10:00:00"))
      #expect(try dates.lastFailed == ImportBench.wall("10:00:07") && dates.lastVerdict == .failed)
    }
  }

  /// `loadlog run` says only when it ends that no further attempt followed.
  @Test func aLaterFileSaysThatAFailureIsNotRetriedAfterAll() throws {
    func file(_ verdict: String, _ more: String) -> String {
      #"{"event":"start","at":"09:00:00","feed":"a","id":"@1"}"# + "\n"
        + #"{"event":"finish","at":"09:00:05","id":"@1","verdict":"\#(verdict)","attempt":1\#(more)}"#
    }
    let retried = file("failed", #","retried":true"#)
    func problems() throws -> [FeedProblem]? { try bench.status().feeds.first?.problems }
    try bench.take(retried)
    #expect(try bench.take(file("crashed", "")).numbers == "0 1 0")
    #expect(try problems() == [] && bench.dates(of: "a").lastFailed == nil)
    #expect(try bench.take(file("failed", "")).numbers == "1 0 0")
    #expect(try problems() == [.failing])
    #expect(try bench.dates(of: "a").lastFailed == ImportBench.wall("09:00:05"))
    #expect(try bench.take(retried).numbers == "0 1 0")
    #expect(try problems() == [.failing])
    try bench.expectSound()
  }

  @Test func equalStartsAreSeparateLoadsAndImportedOnce() throws {
    let start = #"{"event":"start","at":"09:00:00","feed":"a","message":"m"}"# + "\n"
    #expect(try bench.take(start + start).numbers == "2 0 0")
    #expect(try bench.take(start + start + start).numbers == "1 2 0")
    #expect(try bench.take(start + start + start).numbers == "0 3 0")
    #expect(try bench.loads().count == 3)
  }

  @Test func invalidLinesAreRejectedWithTheirPositionAndTheOthersImported() throws {
    let result = try bench.take(
      """
      {"event":"start","at":"09:00:00","feed":"a","id":"@1"}
      {"event":"start","at":"09:00:00","feed":"b","id":"@1"}
      {"event":"finish","at":"09:00:01","id":"@1"}
      {"event":"start","at":"09:00:00","feed":"a","id":"@2","owner":"00000000000000000000000000000000"}
      {"event":"acknowledged","id":"@7","at":"09:00:00","by":"ada","note":null}
      {"event":"owner","uid":"00","kind":"library","opened_at":"09:00:00","last_commit_at":"09:00:00"}
      {"event":"owner","uid":"00000000000000000000000000000001","kind":"robot","opened_at":"09:00:00","last_commit_at":"09:00:00"}
      {"event":"finish","at":"09:00:01","id":"@8","verdict":"crashed"}
      {"event":"start","at":"09:00:00","feed":"a","id":"@3"}
      """)
    #expect(result.numbers == "2 0 6")
    #expect(!result.isComplete)
    #expect(result.rejections.map(\.position.line) == [2, 4, 5, 6, 7, 8])
    for (cause, words) in zip(
      result.rejections.map(\.cause),
      ["another load has this id", "owner", "no earlier line", "uid", "kind", "no start"])
    { #expect(cause.contains(words)) }
    #expect(try bench.loads().map(\.id) == [ImportBench.id(1), ImportBench.id(3)])
    #expect(try bench.store.reader().feeds() == ["a"], "a rejected line adds no feed")
    try bench.expectSound()
  }

  @Test func aRejectedItemAddsNoFeed() throws {
    let (at, long) = (try ImportBench.wall("09:00:00"), String(repeating: "x", count: 2001))
    var tagged = StartLine(at: at, feed: "a", id: ImportBench.id(1))
    tagged.tag = long
    var called = StartLine(at: at, feed: "b", id: ImportBench.id(2))
    called.callSite = long
    var unowned = StartLine(at: at, feed: "c", id: ImportBench.id(3))
    unowned.owner = "00000000000000000000000000000000"
    var count = CountLine(at: at, feed: "d")
    count.callSite = long
    var day = SealedDayLine(feed: "e", day: UTCDay(number: 20_000))
    (day.rows, day.loads, day.verdicts) = (1, 1, [.ended: 1])
    let lines: [(RecordLine, SessionID?)] = [
      (.start(tagged), tagged.id), (.start(called), called.id), (.start(unowned), unowned.id),
      (.push(count), ImportBench.id(4)), (.pop(count), ImportBench.id(5)), (.sealedDay(day), nil),
    ]
    var items = lines.map { line, id in
      ImportedItem.line(PositionedLine(line: line, identity: id.map(LoadIdentity.id), position: .start))
    }
    items.append(
      .load(
        ForeignLoad(
          feed: "f", started: at, state: .succeeded, duration: 1, tag: long,
          identity: .id(ImportBench.id(6)), position: .start)))
    items.append(
      .orphan(
        ForeignFinish(
          feed: "g", at: at, callSite: long, identity: .id(ImportBench.id(7)), position: .start)))
    #expect(try bench.take(&items).numbers == "0 1 7")
    #expect(try bench.store.reader().feeds() == [])
  }

  /// The file has its start; a corrected file brings both.
  @Test func aFinishWhoseStartWasRejectedIsNoImbalance() throws {
    func file(_ feed: String, _ tag: String, _ owner: String) -> String {
      """
      {"event":"start","at":"09:00:00","feed":"\(feed)","id":"@1"}
      {"event":"finish","at":"09:00:03","id":"@1"}
      {"event":"start","at":"09:00:00","feed":"b","id":"@2","tag":"\(tag)"}
      {"event":"start","at":"09:00:00","feed":"c","id":"@3"\(owner)}
      {"event":"finish","at":"09:00:03","id":"@2"}
      {"event":"finish","at":"09:00:04","id":"@3"}

      """
    }
    let unknown = #","owner":"00000000000000000000000000000000""#
    let broken = file("a ", String(repeating: "x", count: 201), unknown)
    #expect(try bench.take(broken).numbers == "0 0 3")
    #expect(try bench.status().totals.unbalanced.total == 0)
    #expect(try bench.take(file("a", "t", "")).numbers == "3 0 0")
    #expect(try bench.loads().map(\.state) == [.succeeded, .succeeded, .succeeded])
    try bench.expectSound()
  }

  @Test func aFinishOfALoadWithAnImpossibleStartIsItsVerdict() throws {
    try bench.take(#"{"event":"start","at":"09:00:00","feed":"a","id":"@1"}"#)
    try bench.store.sqlite3("UPDATE session SET started_at = -9223372036854775808")
    try bench.take(#"{"event":"finish","at":"09:00:03","id":"@1","duration_ns":5}"#)
    #expect(try bench.loads("a").map(\.state) == [.succeeded])
  }

  @Test func impossibleItemsAreRejected() throws {
    let times: [Int64] = [-1, .min, 7_258_118_400_000_000, .max]
    var starts = times.map { StartLine(at: $0, feed: "a", id: SessionID()) }
    let feeds: [Feed] = ["", "a\u{1B}b", " a", Feed(String(repeating: "x", count: 201))]
    starts += feeds.map { StartLine(at: 1, feed: $0, id: SessionID()) }
    var tagged = StartLine(at: 1, feed: "a", id: SessionID())
    tagged.tag = String(repeating: "x", count: 201)
    var called = StartLine(at: 1, feed: "a", id: SessionID())
    called.callSite = String(repeating: "x", count: 2001)
    starts += [tagged, called]
    var long = StartLine(at: 1, feed: "a", id: ImportBench.id(1))
    long.message = String(repeating: "x", count: 5000)
    starts.append(long)
    var items = starts.map { start in
      ImportedItem.line(
        PositionedLine(line: .start(start), identity: start.id.map(LoadIdentity.id), position: .start))
    }
    var negative = FinishLine(at: 1, id: ImportBench.id(1), verdict: .succeeded)
    negative.duration = -5
    items.append(.line(PositionedLine(line: .finish(negative), identity: nil, position: .start)))
    #expect(try bench.take(&items).numbers == "1 0 11")
    #expect(try bench.loads().map { $0.message?.count } == [2000])
  }
}
