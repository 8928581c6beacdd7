import LoadLogCore
import LoadLogSQLite
import Testing

/// Lines about what is expected of feeds.
@Suite struct ExpectationImportTests {
  private let bench: ImportBench

  init() throws { bench = try ImportBench() }

  private func line(_ fields: String, since time: String = "10:00:00") -> String {
    #"{"event":"expectation",\#(fields),"since":"\#(time)"}"# + "\n"
  }

  @Test func aLineSetsAnExpectationOnce() throws {
    let lines =
      line(#""feed":"a/*","every_ns":3600000000000,"grace_ns":60000000000,"max_failures":3,"note":"n""#)
      + line(
        #""feed":"a?","exact":true,"cron":"10 2 * * *","timezone":"Europe/Berlin","max_running_ns":7200000000000"#
      )
    let first = try bench.take(lines)
    #expect(first.expectations == 2 && first.imported == 2 && first.rejected == 0)
    let all = try bench.store.reader().expectations()
    #expect(all.map(\.pattern.isGlob) == [true, false])
    #expect(
      all.first?.expectation
        == Expectation(.every(3_600_000_000_000), grace: 60_000_000_000, maxFailures: 3, note: "n"))
    #expect(try bench.store.reader().feeds() == ["a?"])
    let exported = try bench.lines()
    let again = try bench.take(lines)
    #expect(again.expectations == 0 && again.skipped == 2)
    #expect(try bench.lines() == exported)
    // A line of an export sets the same expectation in another store.
    let other = try ImportBench()
    try other.take(exported.joined(separator: "\n") + "\n")
    #expect(try other.lines() == exported)
    #expect(try other.store.reader().expectations() == all)
  }

  @Test func withoutTheKeyNoSuccessOfAnotherHostIsEnough() throws {
    func anywhere() throws -> Bool? { try bench.store.reader().expectations().first?.expectation.anywhere }
    try bench.take(line(#""feed":"f","every_ns":5000000000,"anywhere":true"#))
    #expect(try anywhere() == true)
    #expect(try bench.lines().contains { $0.contains(#""anywhere":true"#) })
    #expect(try bench.store.sqlite3("SELECT pattern FROM expectation WHERE anywhere") == "f")
    try bench.take(line(#""feed":"f","every_ns":5000000000"#, since: "11:00:00"))
    #expect(try anywhere() == nil)
  }

  @Test func theExpectationThatWasSetLaterWins() throws {
    try bench.take(line(#""feed":"f","every_ns":5000000000"#))
    try bench.take(line(#""feed":"f","every_ns":6000000000"#, since: "09:00:00"))
    #expect(try bench.store.reader().expectations().first?.expectation.schedule == .every(5_000_000_000))
    try bench.take(line(#""feed":"f","every_ns":7000000000"#, since: "11:00:00"))
    #expect(try bench.store.reader().expectations().first?.expectation.schedule == .every(7_000_000_000))
  }

  @Test func anOldExportDoesNotPauseAgain() throws {
    let store = try bench.store.open()
    try bench.store.commit(
      .expect(Expectation(.every(5_000_000_000)), "f"), .pauseExpectation("f", duration: nil), to: store)
    let paused = try bench.lines().joined(separator: "\n") + "\n"
    try bench.store.commit(
      .resumeExpectation("f"), .expect(Expectation(maxFailures: 3), "f"), to: store, from: 3)
    store.close(finally: true)
    let before = try bench.lines()
    #expect(try bench.take(paused).expectations == 0)
    #expect(try bench.lines() == before && !before.joined().contains("paused_at"))
  }

  /// Nothing says which of the two is newer.
  @Test func anImportSaysThatItSkipsAnExpectationThatDiffers() throws {
    let first = line(#""feed":"f","every_ns":5000000000"#)
    try bench.take(first)
    let result = try bench.take(line(#""feed":"f","every_ns":5000000000,"grace_ns":60000000000"#))
    #expect(result.numbers == "0 1 0" && result.others.map(\.count) == [1])
    #expect(try bench.store.reader().expectations().first?.expectation.grace == nil)
    #expect(try bench.take(first).others == [])
  }

  @Test func aFeedThatOnlyAnExpectationMadeGoesWithIt() throws {
    let store = try bench.store.open()
    try bench.store.commit(.expect(Expectation(.every(5_000_000_000)), "f"), to: store)
    let copy = try ImportBench()
    try copy.take(bench.lines().joined(separator: "\n"))
    let other = try copy.store.open()
    #expect(try copy.store.reader().feeds() == ["f"])
    for (bench, store) in [(bench, store), (copy, other)] {
      try bench.store.commit(.clearExpectation("f"), to: store, from: 2)
      #expect(try bench.store.reader().feeds() == [] && bench.lines() == [])
      store.close(finally: true)
    }
  }

  @Test(arguments: [
    (#""feed":"f","every_ns":999999999"#, "shorter than one second"),
    (#""feed":"f","every_ns":400000000000000000"#, "longer than ten years"),
    (#""feed":"f","every_ns":5000000000,"cron":"@daily","timezone":"UTC""#, "interval and a cron expression"),
    (#""feed":"f","cron":"0 0 30 2 *","timezone":"UTC""#, "never due"),
    (#""feed":"f","cron":"@daily","timezone":"Mars/Phobos""#, "no such time zone"),
    (#""feed":" f","every_ns":5000000000"#, "white space"), (#""every_ns":5000000000"#, "feed is missing"),
    (#""feed":"f","max_failures":0"#, "not between 1 and"),
    (#""feed":"f","grace_ns":-1"#, "not between 0 and"),
    (#""feed":"f","every_ns":"1d""#, "is not an integer"),
  ])
  func anInvalidLineIsRejectedWithItsPosition(fields: String, why: String) throws {
    let result = try bench.take(line(#""feed":"ok","every_ns":5000000000"#) + line(fields))
    #expect(result.rejected == 1 && result.expectations == 1)
    let fault = try #require(result.rejections.first)
    #expect(fault.position.line == 2 && fault.cause.contains(why), "\(fault)")
    #expect(try bench.store.reader().expectations().map(\.pattern.text) == ["ok"])
  }

  @Test func anUnreadableScheduleIsLateAndSurvives() throws {
    try bench.take(line(#""feed":"f","cron":"@daily","timezone":"UTC""#))
    _ = try bench.store.sqlite3("UPDATE expected SET timezone = 'Mars/Phobos'")
    let status = try #require(try bench.status().feeds.first)
    #expect(status.problems == [.late] && status.expectation?.fault?.contains("Mars/Phobos") == true)
    let store = try bench.store.open()
    try bench.store.commit(.expect(Expectation(maxFailures: 2), "f"), to: store)
    #expect(
      try bench.store.sqlite3("SELECT cron, timezone, max_failures FROM expectation")
        == "@daily|Mars/Phobos|2")
    store.close(finally: true)
    let diagnosis = try StoreDoctor.examine(at: bench.store.path, clock: bench.store.clock)
    #expect(diagnosis.findings.contains { $0.topic == .expectations && $0.severity == .warning })
  }
}
