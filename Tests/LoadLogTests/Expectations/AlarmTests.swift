import Foundation
import LoadLog
import LoadLogTestSupport
import Testing

/// The alarm of an app.
@Suite(.timeLimit(.minutes(10))) struct AlarmTests {
  private let place: TemporaryStore
  private let loads: LoadingController

  init() throws {
    place = try TemporaryStore()
    var options = LoadingController.Options()
    options.deadline = .seconds(300)
    loads = try LoadingController(storeAt: place.url, options: options)
  }

  private func alarm(_ feeds: [FeedPattern] = []) throws -> LoadAlarm.Iterator {
    try LoadAlarm(storeAt: place.url, feeds: feeds, interval: .milliseconds(5)).makeAsyncIterator()
  }

  private func load(_ feed: Feed, _ verdict: Verdict) async throws {
    let token = try await loads.startLoading(feed)
    try await loads.finishLoading(token, verdict)
  }

  @Test func presentProblemsComeFirstThenChanges() async throws {
    try await load("bad", .failed("no answer"))
    try await load("good", .succeeded)
    var alarm = try alarm()
    let first = try #require(await alarm.next())
    #expect((first.feed, first.from, first.to) == ("bad", .fine, .failing))
    #expect(first.reason == "no answer")
    try await load("good", .failed("late"))
    #expect(await alarm.next()?.feed == "good")
    try await load("bad", .succeeded)
    let last = try #require(await alarm.next())
    #expect((last.feed, last.from, last.to) == ("bad", .failing, .fine))
    #expect(try #require(last.down) > 0)
  }

  /// Why a load failed before is not why this one never finished.
  @Test(arguments: [true, false])
  func aLostLoadHasItsOwnReason(isCleared: Bool) async throws {
    try await load("bad", .failed("no answer"))
    if isCleared { try await load("bad", .succeeded) }
    _ = try await loads.startLoading("bad")
    try await loads.flush()
    var alarm = try alarm()
    let flip = try #require(await alarm.next())
    #expect(flip.to == .failing && flip.reason?.hasPrefix("token dropped unfinished") == true, "\(flip)")
  }

  @Test func anotherAlarmYieldsTheSameFlips() async throws {
    try await load("bad", .failed("no answer"))
    var (one, other) = (try alarm(), try alarm())
    #expect(await one.next() == other.next())
    try await load("bad", .succeeded)
    #expect(await other.next() == one.next())
    #expect(try await loads.ask { try $0.flips(LoadFilter()) }.map(\.to) == [.failing, .fine])
  }

  @Test func chosenFeedsAreWatchedAlone() async throws {
    try await load("other", .failed("x"))
    try await load("sync/a", .failed("x"))
    var alarm = try alarm(["sync/*"])
    #expect(await alarm.next()?.feed == "sync/a")
  }

  /// Lateness that arises between two checks is reported by the second.
  @Test func aLongIntervalIsNoGap() async throws {
    let (clock, log) = (ManualClock(), CapturedLog(keeping: place))
    var options = LoadingController.Options()
    options.clock = clock
    let loads = try LoadingController(storeAt: place.url, options: options)
    try await loads.expect(Expectation(.every(.seconds(3600)), grace: .seconds(30)), of: "rare")
    let source = AlarmSource(
      path: place.path, filter: LoadFilter(), interval: .seconds(300), logger: log.logger, clock: clock)
    for minutes in stride(from: 0, through: 65, by: 5) {
      if minutes > 0 { await clock.advance(by: .seconds(300)) }
      #expect(await source.check().map(\.to) == (minutes == 65 ? [.late] : []), "after \(minutes) minutes")
    }
    try await loads.close()
    #expect(log.messages == [])
  }

  /// A load does no harm while it runs.
  @Test func aCrashIsAnOutageFromTheCheckBefore() async throws {
    let (clock, log) = (ManualClock(), CapturedLog(keeping: place))
    var options = LoadingController.Options()
    options.clock = clock
    let loads = try LoadingController(storeAt: place.url, options: options)
    let source = AlarmSource(
      path: place.path, filter: LoadFilter(), interval: .seconds(60), logger: log.logger, clock: clock)
    var token: LoadingToken? = try await loads.startLoading("long")
    await clock.advance(by: .seconds(3600))
    #expect(await source.check() == [] && token != nil)
    let checked = clock.now().wall
    await clock.advance(by: .seconds(60))
    token = nil
    try await loads.flush()
    let flips = await source.check()
    #expect(flips.map(\.to) == [.failing] && flips.first?.since == checked, "\(flips)")
    try await loads.close()
  }

  @Test func itWaitsForAStore() async throws {
    var alarm = try alarm()
    async let flip = alarm.next()
    try await load("bad", .failed("x"))
    #expect(await flip?.feed == "bad")
  }

  @Test func cancellationEndsIt() async throws {
    try await load("good", .succeeded)
    let task = Task { [alarm = try alarm()] in
      var alarm = alarm
      return await alarm.next()
    }
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test func cancellationEndsItAlsoWhileChangesWait() async throws {
    for feed: Feed in ["a", "b"] { try await load(feed, .failed("x")) }
    let task = Task { [alarm = try alarm()] in
      var alarm = alarm
      let first = await alarm.next()
      withUnsafeCurrentTask { $0?.cancel() }
      return (first, await alarm.next())
    }
    let (first, second) = await task.value
    #expect(first?.feed == "a" && second == nil)
  }

  @Test func aURLThatNamesNoFileIsRefused() throws {
    let url = try #require(URL(string: "https://example.com/store"))
    #expect(throws: LoadLogError.self) { try LoadAlarm(storeAt: url) }
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func anIntervalThatIsNotLongerThanZeroIsRefused(interval: Duration) throws {
    let error = #expect(throws: LoadLogError.self) { try LoadAlarm(storeAt: place.url, interval: interval) }
    #expect(error?.code == .invalidInput)
  }

  @Test func aStoreThatCannotBeReadIsLoggedOnceAndTriedAgain() async throws {
    try Data("no store".utf8).write(to: place.url)
    let log = CapturedLog(keeping: place)
    var alarm = try LoadAlarm(storeAt: place.url, interval: .milliseconds(5), logger: log.logger)
      .makeAsyncIterator()
    async let flip = alarm.next()
    while log.messages.isEmpty {
      try Task.checkCancellation()
      await Task.yield()
    }
    try FileManager.default.removeItem(at: place.url)
    try await load("bad", .failed("x"))
    #expect(await flip?.feed == "bad")
    #expect(log.messages.count == 1 && log.text.contains("not_loadlog"))
  }

  @Test func changesOfAStoreThatItMayNotWriteToAreYielded() async throws {
    try await load("bad", .failed("no answer"))
    try await loads.close()
    let (files, gate) = (FileManager.default, place.path + "-gate")
    func block() throws {
      try files.moveItem(atPath: gate, toPath: gate + ".aside")
      try files.createDirectory(atPath: gate, withIntermediateDirectories: false)
    }
    let log = CapturedLog(keeping: place)
    var alarm = try LoadAlarm(storeAt: place.url, interval: .milliseconds(5), logger: log.logger)
      .makeAsyncIterator()
    try block()
    let first = try #require(await alarm.next())
    #expect((first.feed, first.from, first.to) == ("bad", .fine, .failing) && first.reason == "no answer")
    try files.removeItem(atPath: gate)
    try files.moveItem(atPath: gate + ".aside", toPath: gate)
    loads.reopen()
    try await load("bad", .succeeded)
    try await loads.close()
    try block()
    let last = try #require(await alarm.next())
    #expect((last.feed, last.from, last.to) == ("bad", .failing, .fine))
    #expect(log.messages.count == 1 && log.text.contains("store_unusable"))
  }
}
