import Foundation
import LoadLog
import LoadLogTestSupport
import Testing

/// When outages begin and end, as an alarm finds it.
@Suite(.timeLimit(.minutes(10))) struct OutageTests {
  private let place: TemporaryStore
  private let clock = ManualClock()
  private let log: CapturedLog
  private let loads: LoadingController

  init() throws {
    place = try TemporaryStore()
    log = CapturedLog(keeping: place)
    var options = LoadingController.Options()
    options.clock = clock
    loads = try LoadingController(storeAt: place.url, options: options)
  }

  /// An alarm that finds no gap between checks that are less than three intervals apart.
  private func alarm(interval: Duration = .seconds(86_400)) -> AlarmSource {
    AlarmSource(path: place.path, filter: LoadFilter(), interval: interval, logger: log.logger, clock: clock)
  }

  private func pass(hours: Int = 0, minutes: Int = 0, seconds: Int = 0) async {
    await clock.advance(by: .seconds((hours * 60 + minutes) * 60 + seconds))
  }

  private func load(_ verdict: Verdict) async throws {
    try await loads.finishLoading(loads.startLoading("f"), verdict)
  }

  private static let minute: Int64 = 60_000_000_000

  /// The pause may be noticed late, because no notification is wanted during it.
  @Test(arguments: [false, true]) func aPauseEndsAnOutageWhenItBegins(isSuccessful: Bool) async throws {
    let alarm = alarm()
    try await loads.expect(Expectation(.every(.seconds(3600)), grace: .seconds(300)), of: "f")
    try await load(.failed("no answer"))
    #expect(await alarm.check().map(\.to) == [.failing])
    await pass(minutes: 30)
    try await loads.pauseExpectation(of: "f")
    await pass(hours: 8)
    if isSuccessful { try await load(.succeeded) }
    await pass(hours: 40)
    let flips = await alarm.check()
    #expect(flips.map(\.to) == [.paused] && flips[0].down == 30 * Self.minute, "\(flips)")
    #expect(flips[0].missed == 0)
  }

  /// The clock starts at 41:07 past the hour. The first due time, with its grace, passes after these seconds; after two
  /// hours, this many due times have passed.
  private static let hourly: [(cron: String?, deadline: Int64, missed: Int)] = [
    (nil, 3900, 1), ("0 * * * *", 1433, 2),
  ]

  private func expect(hourly cron: String?) async throws {
    if let cron {
      let schedule = try CronSchedule(cron, timezone: "UTC")
      try await loads.expect(Expectation(.cron(schedule), grace: .seconds(300)), of: "f")
    } else {
      try await loads.expect(Expectation(.every(.seconds(3600)), grace: .seconds(300)), of: "f")
    }
  }

  /// It may be noticed later.
  @Test(arguments: hourly) func anOutageAfterAPauseBeginsWhenTheFeedBecameLate(
    cron: String?, deadline: Int64, missed: Int
  ) async throws {
    let alarm = alarm()
    let start = clock.now().wall
    try await expect(hourly: cron)
    try await load(.succeeded)
    await pass(minutes: 10)
    try await loads.pauseExpectation(of: "f", for: .seconds(600))
    #expect(await alarm.check().map(\.to) == [.paused])
    await pass(minutes: 100)
    let late = await alarm.check()
    #expect(late.map(\.to) == [.late] && late.first?.since == start + deadline * 1_000_000, "\(late)")
    // No check notices that it is paused again.
    try await loads.pauseExpectation(of: "f", for: .seconds(60))
    await pass(minutes: 10)
    try await load(.succeeded)
    let fine = await alarm.check()
    #expect(fine.map(\.to) == [.fine] && fine.first?.missed == missed, "\(fine)")
    #expect(fine.first?.down == (7200 - deadline) * 1_000_000_000)
  }

  /// What was missed before the end of the pause does not count again.
  @Test(arguments: hourly) func aFeedThatWasLateBeforeAPauseIsLateAgainSinceItsEnd(
    cron: String?, deadline: Int64, missed: Int
  ) async throws {
    let alarm = alarm()
    let start = clock.now().wall
    try await expect(hourly: cron)
    try await load(.succeeded)
    await pass(minutes: 70)
    #expect(await alarm.check().map(\.to) == [.late])
    try await loads.pauseExpectation(of: "f", for: .seconds(3600))
    await pass(minutes: 59)
    #expect(await alarm.check().map(\.to) == [.paused])
    await pass(minutes: 11)
    let late = await alarm.check()
    #expect(late.map(\.to) == [.late] && late.first?.since == start + 130 * 60_000_000, "\(late)")
    await pass(minutes: 10)
    try await load(.succeeded)
    let fine = await alarm.check()
    #expect(fine.map(\.to) == [.fine] && fine.first?.missed == missed - 1, "\(fine)")
    #expect(fine.first?.down == 20 * Self.minute)
  }

  @Test func aPauseThatWasNotNoticedIsNoOutage() async throws {
    let alarm = alarm()
    let start = clock.now().wall
    try await expect(hourly: nil)
    try await load(.succeeded)
    await pass(minutes: 30)
    try await loads.pauseExpectation(of: "f", for: .seconds(8 * 3600))
    await pass(hours: 8, minutes: 30)
    let late = await alarm.check()
    #expect(late.map(\.to) == [.late] && late.first?.since == start + 510 * 60_000_000, "\(late)")
    await pass(minutes: 10)
    try await load(.succeeded)
    let fine = await alarm.check()
    #expect(fine.first?.down == 40 * Self.minute && fine.first?.missed == 1, "\(fine)")
  }

  @Test func anOutageAfterAPauseThatWasEndedByHandBeginsWhenItIsNoticed() async throws {
    let alarm = alarm()
    try await expect(hourly: nil)
    try await load(.failed("no answer"))
    try await loads.pauseExpectation(of: "f")
    #expect(await alarm.check().map(\.to) == [.paused])
    await pass(minutes: 60)
    try await loads.resumeExpectation(of: "f")
    await pass(minutes: 10)
    let failing = await alarm.check()
    #expect(failing.map(\.to) == [.failing] && failing.first?.since == clock.now().wall, "\(failing)")
  }

  /// A load that runs holds lateness back.
  @Test func whatAPauseHidWasNotMissedInALaterOutage() async throws {
    let alarm = alarm()
    try await expect(hourly: nil)
    try await load(.succeeded)
    try await loads.pauseExpectation(of: "f")
    await pass(hours: 1)
    #expect(await alarm.check().map(\.to) == [.paused])
    await pass(hours: 23)
    try await loads.resumeExpectation(of: "f")
    let token = try await loads.startLoading("f")
    #expect(await alarm.check().map(\.to) == [.fine])
    await pass(minutes: 1)
    try await loads.finishLoading(token, .failed("no answer"))
    #expect(await alarm.check().map(\.to) == [.failing])
    await pass(minutes: 30)
    try await load(.succeeded)
    let fine = await alarm.check()
    #expect(fine.map(\.to) == [.fine] && fine.first?.missed == 1, "\(fine)")
  }

  /// Of the due times that a new interval makes of the last success, no earlier one counts.
  @Test(arguments: [false, true]) func aFeedIsNotLateBeforeItsScheduleWasSet(isChecked: Bool) async throws {
    let alarm = alarm()
    try await loads.expect(Expectation(.every(.seconds(86_400)), grace: .seconds(300)), of: "f")
    try await load(.succeeded)
    await pass(hours: 20, minutes: 10)
    if isChecked { #expect(await alarm.check() == []) }
    await pass(minutes: 1)
    try await loads.expect(Expectation(.every(.seconds(3600))), of: "f")
    let set = clock.now().wall
    await pass(minutes: 1)
    let late = await alarm.check()
    #expect(late.map(\.to) == [.late] && late.first?.since == set, "\(late)")
    await pass(hours: 1)
    try await load(.succeeded)
    let fine = await alarm.check()
    #expect(fine.map(\.to) == [.fine] && fine.first?.down == 61 * Self.minute, "\(fine)")
    #expect(fine.first?.missed == 1)
  }

  /// Each check found it running, so that it was not late.
  @Test func aLoadThatFailsMakesItsFeedLateSinceThen() async throws {
    let alarm = alarm()
    try await loads.expect(
      Expectation(
        .every(.seconds(3600)), grace: .seconds(300), maxRunning: .seconds(36_000), maxFailures: 2), of: "f")
    let token = try await loads.startLoading("f")
    await pass(hours: 5)
    #expect(await alarm.check() == [])
    let checked = clock.now().wall
    await pass(minutes: 1)
    try await loads.finishLoading(token, .failed("no answer"))
    let late = await alarm.check()
    #expect(late.map(\.to) == [.late] && late.first?.since == checked, "\(late)")
  }

  /// The checks in between found it, too. While the load ran that was not overrunning yet, they found nothing.
  @Test(arguments: [false, true])
  func latenessBehindAWorseProblemBeganWhenItBegan(isOverrunning: Bool) async throws {
    let alarm = alarm()
    let hours: Duration = .seconds(3600)
    try await loads.expect(Expectation(.every(hours), grace: .seconds(300), maxRunning: hours), of: "f")
    let due = clock.now().wall + 3_600_000_000
    await pass(minutes: 10)
    let token = try await loads.startLoading("f")
    if !isOverrunning { try await loads.finishLoading(token, .failed("no answer")) }
    await pass(minutes: 58)
    #expect(await alarm.check().map(\.to) == (isOverrunning ? [] : [.failing]))
    for _ in 1...2 {
      await pass(hours: 2)
      #expect(await alarm.check().map(\.to).filter { $0 != .overrunning } == [])
    }
    if isOverrunning {
      try await loads.finishLoading(token, .cancelled)
    } else {
      try await loads.expect(Expectation(maxFailures: 5), of: "f")
    }
    await pass(minutes: 1)
    let late = await alarm.check()
    let since = due + (isOverrunning ? 600_000_000 : 300_000_000)
    #expect(late.map(\.to) == [.late] && late.first?.since == since, "\(late)")
  }

  @Test func aSuccessOfAClockThatWasAheadMakesNoOutageOfThePast() async throws {
    let alarm = alarm()
    try await loads.expect(Expectation(.every(.seconds(3600)), grace: .seconds(300)), of: "f")
    for _ in 0..<3 {
      await pass(hours: 1)
      try await load(.succeeded)
    }
    #expect(await alarm.check() == [])
    let checked = clock.now().wall
    clock.stepWall(by: .seconds(172_800))
    try await load(.succeeded)
    clock.stepWall(by: .seconds(-172_800))
    await pass(minutes: 1)
    let late = await alarm.check()
    #expect(late.map(\.to) == [.late] && late.first?.since == checked, "\(late)")
  }

  /// The checks in between have found it, also if another gap follows.
  @Test(arguments: [[60, 61], [60, 3600]])
  func latenessThatHadToWaitBeganWhenItBegan(pauses: [Int]) async throws {
    let alarm = alarm(interval: .seconds(60))
    try await loads.expect(Expectation(.every(.seconds(3600)), grace: .zero), of: "f")
    let due = clock.now().wall + 3_600_000_000
    #expect(await alarm.check() == [])
    await pass(hours: 3)
    for pause in pauses {
      #expect(await alarm.check() == [])
      await pass(seconds: pause)
    }
    let late = await alarm.check()
    #expect(late.map(\.to) == [.late] && late.first?.since == due, "\(late)")
  }

  /// The check before the gap found it running; the network is not there again yet.
  @Test func latenessByALoadThatFailsAfterAGapWaits() async throws {
    let alarm = alarm(interval: .seconds(60))
    try await loads.expect(
      Expectation(
        .every(.seconds(3600)), grace: .seconds(300), maxRunning: .seconds(86_400), maxFailures: 2), of: "f")
    let token = try await loads.startLoading("f")
    await pass(hours: 2)
    #expect(await alarm.check() == [])
    let checked = clock.now().wall
    await pass(hours: 10)
    try await loads.finishLoading(token, .failed("no network"))
    for pause in [60, 61] {
      #expect(await alarm.check() == [])
      await pass(seconds: pause)
    }
    let late = await alarm.check()
    #expect(late.map(\.to) == [.late] && late.first?.since == checked, "\(late)")
  }

  /// Its changes are yielded, and written when the store can be written to again.
  @Test func aCheckWhoseChangesWereNotWrittenFoundThemAllTheSame() async throws {
    let (alarm, gate) = (alarm(), place.path + "-gate")
    try await loads.expect(Expectation(.every(.seconds(3600)), grace: .zero), of: "f")
    let due = clock.now().wall + 3_600_000_000
    try await loads.close()
    #expect(await alarm.check() == [])
    await pass(hours: 2)
    try FileManager.default.moveItem(atPath: gate, toPath: gate + ".aside")
    try FileManager.default.createDirectory(atPath: gate, withIntermediateDirectories: false)
    #expect(await alarm.check().map(\.to) == [.late])
    try FileManager.default.removeItem(atPath: gate)
    try FileManager.default.moveItem(atPath: gate + ".aside", toPath: gate)
    await pass(minutes: 1)
    #expect(await alarm.check() == [])
    loads.reopen()
    let flips = try await loads.ask { try $0.flips(LoadFilter()) }
    #expect(flips.map(\.to) == [.late] && flips.first?.since == due, "\(flips)")
  }

  /// The one that ends first succeeds; the other one still runs too long for hours.
  @Test func aSuccessThatLeftTheFeedDownEndsNoOutage() async throws {
    let alarm = alarm()
    try await loads.expect(Expectation(maxRunning: .seconds(3600)), of: "f")
    let token = try await loads.startLoading("f")
    await pass(hours: 2)
    #expect(await alarm.check().map(\.to) == [.overrunning])
    try await load(.succeeded)
    await pass(minutes: 1)
    #expect(await alarm.check() == [])
    await pass(hours: 10)
    try await loads.finishLoading(token, .cancelled)
    let fine = await alarm.check()
    #expect(fine.map(\.to) == [.fine] && fine.first?.down == 11 * 60 * Self.minute + Self.minute, "\(fine)")
    #expect(fine.first?.since == clock.now().wall)
  }

  /// Another process writes to the store when the load ends.
  @Test func aSuccessThatIsCommittedAfterACheckEndsItsOutageInTime() async throws {
    let alarm = alarm()
    try await load(.failed("no answer"))
    #expect(await alarm.check().map(\.to) == [.failing])
    let id = SessionID()
    loads.start(id: id, feed: "f")
    try await loads.flush()
    await pass(minutes: 1)
    let gate = try StoreGate(path: place.path + "-gate", mode: 0o600)
    try gate.lock()
    loads.finish(id: id)
    let success = clock.now().wall
    await pass(seconds: 1)
    #expect(await alarm.check() == [])
    gate.unlock()
    try await loads.flush()
    await pass(hours: 1)
    let fine = await alarm.check()
    #expect(fine.map(\.to) == [.fine] && fine.first?.since == success, "\(fine)")
    #expect(fine.first?.down == Self.minute)
  }
}
