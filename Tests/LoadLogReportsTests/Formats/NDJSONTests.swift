import LoadLogCore
@testable import LoadLogReports
import LoadLogTestSupport
import Testing

@Suite struct NDJSONTests {
  private static let id = "01a1f90f-9824-7b1e-a0d2-55e9241b6c1e"

  private func written(_ line: RecordLine) -> String {
    var bytes: [UInt8] = []
    line.append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func lines(_ text: String) throws -> [RecordLine] {
    try Reading.items(.ndjson, text).compactMap(\.line)
  }

  private static let uid = "00112233445566778899aabbccddeeff"
  private static let session = SessionID(id) ?? SessionID()

  /// One line of each kind without and with its optional fields.
  private static let every: [RecordLine] = {
    let at = Reading.noon + 1
    var start = StartLine(at: at, feed: "a\"\\\u{1F600}é", id: session)
    var finish = FinishLine(at: at + 5, id: session, verdict: .crashed)
    var pop = CountLine(at: at, feed: "network")
    var reset = CountLine(at: at, feed: nil)
    var owner = OwnerLine(uid: uid, kind: "library")
    var feed = FeedLine(feed: "reviews")
    var unmatched = UnmatchedLine(id: session, kind: .extraPop, at: at, verdict: .ended)
    var day = SealedDayLine(feed: "reviews", day: UTCDay(number: 20_512))
    let bare: [RecordLine] = [
      .start(StartLine(at: at, feed: "a", id: session)),
      .finish(FinishLine(at: at, id: session, verdict: .succeeded)),
      .push(pop), .pop(pop), .reset(reset), .owner(OwnerLine(uid: "00", kind: "given")), .feed(feed),
      .unmatched(unmatched),
      .acknowledged(
        AcknowledgedLine(id: session, acknowledgement: Acknowledgement(at: at, by: "ada", note: nil))),
      .sealedDay(SealedDayLine(feed: nil, day: UTCDay(number: 0))), .sealedDay(day),
    ]
    start.message = "line\nbreak\u{202E}\u{7F}\u{0}\t"
    start.message = TextLimit.cut(start.message)
    (start.tag, start.callSite, start.isAnonymous, start.owner, start.boot) = (
      "t", "A.swift:1", true, Self.uid, 7
    )
    (finish.reason, finish.duration, finish.isUnseen, finish.isFinishedAfterVerdict, finish.durationSource) =
      (
        "r", 1, true, true, .wall
      )
    (finish.visible, finish.suppressed, finish.isForgiven) = (500, 2, true)
    var imported = FinishLine(at: at, id: session, verdict: .succeeded)
    (imported.duration, imported.durationSource) = (1, .imported)
    var unknown = FinishLine(at: at, id: session, verdict: .failed)
    unknown.isDurationUnknown = true
    (pop.verdict, pop.reason, pop.callSite, pop.owner) = (.failed, "r", "c", Self.uid)
    reset.callSite = "c"
    (owner.machineID, owner.bootID, owner.pid, owner.startTicks) = ("m", "b", 42, 9)
    (owner.pidNamespace, owner.timeNamespace, owner.lockName, owner.lockInode) = (1, 2, "lock", 3)
    (owner.host, owner.app, owner.openedAt, owner.openedBoot, owner.lastEvent) = ("h", "app", at, 5, 6)
    (owner.lastCommitAt, owner.lastCommitBoot, owner.closedAt) = (at + 1, 8, at + 2)
    (owner.verdict, owner.evidence, owner.dropped) = ("crashed", "pid 42 is gone", 3)
    (feed.dates.lastUpdated, feed.dates.lastChanged, feed.dates.lastAttempted) = (at, at, at)
    (feed.dates.lastFailed, feed.dates.lastFailure, feed.dates.lastVerdict) = (at, "f", .unchanged)
    feed.isAdopted = true
    (unmatched.feed, unmatched.session, unmatched.reason, unmatched.callSite) = ("f", session, "r", "c")
    (unmatched.owner, unmatched.boot) = (Self.uid, 11)
    (day.rows, day.firstStart, day.loads) = (2, at, 9)
    for (number, state) in SessionState.allCases.enumerated() { day.verdicts[state] = Int64(number + 1) }
    (day.busy, day.peakDepth) = (2, 4)
    for duration in [0, 1, 1, 3] as [Int64] {
      day.otherDurations.add(duration)
      day.succeededDurations.add(0)
    }
    let full: [RecordLine] = [
      .start(start), .finish(finish), .finish(unknown), .finish(imported), .pop(pop), .reset(reset),
      .owner(owner), .feed(feed),
      .unmatched(unmatched), .sealedDay(day),
      .acknowledged(
        AcknowledgedLine(id: session, acknowledgement: Acknowledgement(at: at, by: "ada", note: "n"))),
    ]
    return bare + full
  }()

  @Test func everyLineIsReadAsItWasWritten() throws {
    for line in Self.every {
      let text = written(line)
      #expect(text.hasSuffix("}\n") && !text.dropLast().contains("\n"))
      let found = try lines(text)
      #expect(found == [line], "\(text)")
      #expect(found.map(written) == [text])
    }
    #expect(try lines(Self.every.map(written).joined()) == Self.every)
  }

  @Test func linesMatchTheDocumentedFormat() {
    #expect(Snapshot("lines.ndjson").difference(from: Self.every.map(written).joined()) == nil)
  }

  @Test func pythonReadsTheSameJSON() throws {
    let found = try Script.output("ndjson_again.py", of: Array(Self.every.map(written).joined().utf8))
    #expect(try lines(found) == Self.every)
  }

  @Test func linesNeedOnlyTheirRequiredKeys() throws {
    let found = try Reading.items(.ndjson, Samples.ndjson)
    let lines = found.compactMap(\.line)
    #expect(lines.count == 6 && found.count == 7, "the last item names the unknown keys")
    guard case .start(let start) = lines[0], case .finish(let finish) = lines[1],
      case .pop(let pop) = lines[4]
    else {
      Issue.record("other lines")
      return
    }
    #expect(start.id == Self.session && start.at == 1_795_258_800_000_001 && start.feed == "reviews")
    #expect(finish.verdict == .succeeded && finish.duration == nil && !finish.isDurationUnknown)
    #expect(pop.verdict == .failed)
    if case .start(let start) = lines[2] { #expect(start.feed == "by hand" && start.id == nil) }
  }

  @Test func linesThatMakeARowHaveAnIdentity() throws {
    func identities(_ text: String) throws -> [LoadIdentity?] {
      try Reading.items(.ndjson, text).compactMap {
        if case .line(let line) = $0 { line.identity } else { nil }
      }
    }
    let found = try identities(Samples.ndjson)
    #expect(found[0] == .id(Self.session))
    let own = found.compactMap(\.self)
    #expect(own.count == 4 && Set(own).count == 4, "finish and reset make no row")
    #expect(try identities(Samples.ndjson) == found)
  }

  @Test(
    arguments: [
      ("{", "the text ends inside a value"), ("}", "found '}'"), (#"{"event":"start"}"#, "at is missing"),
      ("[]", "an object"),
      ("5", "an object"), ("{}", "event is missing"), (#"{"event":5}"#, "event is missing"),
      (#"{"event":"start","at":"AT"}"#, "feed is missing"),
      (#"{"event":"start","feed":"","at":"AT"}"#, "it is empty"),
      (#"{"event":"start","feed":"a","at":5}"#, "at is not a time"),
      (#"{"event":"push","at":"AT"}"#, "feed is missing"),
      (#"{"event":"start","feed":"a","at":"1969-12-31T23:59:59Z"}"#, "is before 1970"),
      (#"{"event":"start","feed":"a","at":"AT","id":"x"}"#, #"id "x" is not a load id"#),
      (#"{"event":"start","feed":"a","at":"AT","message":5}"#, #"message "5" is not a string"#),
      (#"{"event":"start","feed":"a","at":"AT","anonymous":"yes"}"#, "is not true or false"),
      (#"{"event":"start","feed":"a","at":"AT","owner":"xyz"}"#, "is not the uid of an owner"),
      (#"{"event":"start","feed":"a","at":"AT","boot_ns":1.5}"#, "is not an integer"),
      (#"{"event":"start","feed":"a","at":"AT","boot_ns":"1"}"#, "is not an integer"),
      (#"{"event":"finish","at":"AT"}"#, "id is missing"),
      (
        #"{"event":"finish","at":"AT","id":"ID","verdict":"running"}"#,
        #"verdict "running" is not a verdict that a finish can have; use succeeded, "#
      ),
      (
        #"{"event":"finish","at":"AT","id":"ID","verdict":"fine"}"#, #"verdict "fine" is not a verdict"#
      ),
      (#"{"event":"finish","at":"AT","id":"ID","duration_ns":-1}"#, "is negative"),
      (#"{"event":"finish","at":"AT","id":"ID","duration_ns":9223372036854775807}"#, "is too long"),
      (#"{"event":"finish","at":"AT","id":"ID","duration_ns":NaN}"#, "is not an integer"),
      (#"{"event":"pop","at":"AT","feed":"a","verdict":"crashed"}"#, "is not a verdict that a pop can have"),
      (#"{"event":"sealed_day","day":"2026-02-30"}"#, "names a day that does not exist"),
      (#"{"event":"sealed_day"}"#, "day is missing"),
      (
        #"{"event":"sealed_day","day":"DAY","other_buckets":[[1,1],[1,1]]}"#,
        "has pairs that are out of order"
      ),
      (#"{"event":"sealed_day","day":"DAY","other_buckets":[[9999,1]]}"#, "out of range"),
      (#"{"event":"sealed_day","day":"DAY","other_buckets":[[1,0]]}"#, "out of range"),
      (
        #"{"event":"sealed_day","day":"DAY","other_count":3,"other_zeros":1,"other_buckets":[[1,1]]}"#,
        "other_count is not the number of durations"
      ),
      (#"{"event":"sealed_day","day":"DAY","other_buckets":[[1]]}"#, "is not an array of pairs"),
      (#"{"event":"sealed_day","day":"DAY","other_buckets":[["1",2]]}"#, "is not an array of integers"),
      (
        #"{"event":"sealed_day","day":"DAY","other_buckets":[DEEP,[5,2]]}"#,
        "is not an array of integers"
      ),
      (#"{"event":"sealed_day","day":"DAY","loads":-2}"#, "is negative"),
      (#"{"event":"owner","uid":"00"}"#, "kind is missing"),
    ])
  func anInvalidLineIsRejectedAndTheNextIsRead(line: String, cause: String) throws {
    let line = line.replacing("AT", with: "2026-11-21T12:00:00Z").replacing("ID", with: Self.id)
      .replacing("DAY", with: "2026-02-28").replacing("DEEP", with: Self.deep)
    let good = #"{"event":"push","at":"2026-11-21T12:00:00Z","feed":"a"}"#
    let items = try Reading.items(.ndjson, "\(good)\n\(line)\n\(good)\n")
    #expect(items.count == 3 && items[0].line != nil && items[2].line != nil)
    #expect(items[1].rejection?.cause.contains(cause) == true, "\(items[1].printed)")
    #expect(items[1].rejection?.position.line == 2)
  }

  /// A list in 40 others.
  private static let deep = String(repeating: "[", count: 40) + "[1,2]" + String(repeating: "]", count: 40)

  /// A later version may write them.
  @Test func linesWithUnknownEventsAreSkippedAndNamed() throws {
    let good = #"{"event":"push","at":"2026-11-21T12:00:00Z","feed":"a"}"# + "\n"
    func line(_ event: String) -> String { #"{"event":"\#(event)","colour":"red"}"# + "\n" }
    let items = try Reading.items(.ndjson, line("incident") + good + line("merge") + line("incident"))
    #expect(items.count == 2 && items[0].line != nil)
    #expect(items[1] == .skipped(cause: "lines with unknown events (incident, merge)", count: 3))
    let long = String(repeating: "n", count: 1000)
    let many = try Reading.items(.ndjson, line(long) + (0..<12).map { line("e\($0)") }.joined())
    guard case .skipped(let cause, 13)? = many.first, many.count == 1 else {
      Issue.record("\(many)")
      return
    }
    #expect(cause.hasSuffix("n, e0, e1, e2, e3, e4, e5, e6, e7, e8, others)") && cause.count < 200)
  }

  @Test func longTextsAreTruncatedOrRefused() throws {
    func start(_ key: String, _ count: Int) throws -> [ImportedItem] {
      let text = String(repeating: "é", count: count)
      return try Reading.items(
        .ndjson, #"{"event":"start","at":"2026-11-21T12:00:00Z","feed":"a","\#(key)":"\#(text)"}"#)
    }
    guard case .start(let line)? = try start("message", 5000).first?.line else {
      Issue.record("no line")
      return
    }
    #expect(line.message?.unicodeScalars.count == 2000 && line.message?.hasSuffix("…") == true)
    #expect(try start("tag", 200).first?.line != nil && start("tag", 201).first?.rejection != nil)
    #expect(
      try start("call_site", 2000).first?.line != nil && start("call_site", 2001).first?.rejection != nil)
    #expect(try start("feed", 200).first?.line != nil && start("feed", 201).first?.rejection != nil)
  }

  @Test func aHugeLineIsSkippedInPieces() throws {
    var bytes = Array(#"{"event":"start","junk":""#.utf8) + [UInt8](repeating: 0x78, count: 2_000_000)
    bytes += Array("\u{1}\n".utf8) + [UInt8](repeating: 0x5B, count: 2_000_000)
    bytes += Array("\n{\"event\":\"push\",\"at\":\"2026-11-21T12:00:00Z\",\"feed\":\"a\"}".utf8)
    let items = try Reading.items(.ndjson, bytes, pieces: 65_536)
    #expect(
      items.count == 3 && items[0].rejection != nil && items[1].rejection != nil && items[2].line != nil)
  }
}
