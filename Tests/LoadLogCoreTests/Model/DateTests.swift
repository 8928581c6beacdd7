import Foundation
import LoadLogCore
import Testing

@Suite struct DateTests {
  private static let owner = Owner(
    kind: .detached,
    process: ProcessIdentity(
      machineID: "", bootID: "", pid: 0, startTicks: nil, pidNamespace: nil, timeNamespace: nil),
    host: "box", app: "app")

  /// The dates of these seconds after 1970.
  private static func seconds(_ seconds: ClosedRange<Int>) -> [Date?] {
    seconds.map { Date(timeIntervalSince1970: Double($0)) }
  }

  private func session(finished: Int64?, duration: Int64?) -> LoadingSession {
    let started = LoadInstant(wall: 1_500_000, boot: 7)
    return LoadingSession(
      id: SessionID(), feed: "reviews", isAnonymous: false, state: .succeeded, isUnknown: false,
      isFinishedAfterVerdict: false, started: started, finished: finished, duration: duration,
      openAtLeast: 2_000_000_001,
      durationSource: .boot,
      owner: OwnerRecord(
        owner: Self.owner, opened: started, lastCommit: started, closed: finished.map { $0 + 1_000_000 },
        dropped: 0),
      visibleTime: duration.map { $0 + 1 },
      run: RunFacts(userTime: duration.map { $0 + 2 }, systemTime: duration.map { $0 + 3 }))
  }

  @Test func aSessionHasDatesAndDurations() {
    let finished = session(finished: 3_500_000, duration: 2_000_000_001)
    #expect(finished.startDate == Date(timeIntervalSince1970: 1.5))
    #expect(finished.finishDate == Date(timeIntervalSince1970: 3.5))
    #expect(finished.timeTaken == .nanoseconds(2_000_000_001) && finished.timeOpen == finished.timeTaken)
    let running = session(finished: nil, duration: nil)
    #expect(running.finishDate == nil && running.timeTaken == nil)
    #expect(finished.owner.closedDate == Date(timeIntervalSince1970: 4.5) && running.owner.closedDate == nil)
    #expect(finished.timeVisible == .nanoseconds(2_000_000_002) && running.timeVisible == nil)
    #expect(finished.run?.userCPUTime == .nanoseconds(2_000_000_003) && running.run?.userCPUTime == nil)
    #expect(finished.run?.systemCPUTime == .nanoseconds(2_000_000_004) && running.run?.systemCPUTime == nil)
    #expect(
      Receipt(.recorded, duration: 7).timeTaken == .nanoseconds(7) && Receipt(.recorded).timeTaken == nil)
  }

  @Test func aFeedHasDates() {
    var dates = FeedDates()
    #expect(dates.lastUpdatedDate == nil && dates.lastChangedDate == nil)
    #expect(
      dates.lastAttemptedDate == nil && dates.lastFailedDate == nil && dates.lastSuccessStartDate == nil)
    (dates.lastUpdated, dates.lastChanged, dates.lastAttempted, dates.lastFailed) = (
      1_000_000, 2_000_000, 3_000_000, 4_000_000
    )
    dates.lastSuccessStarted = 5_000_000
    let found = [
      dates.lastUpdatedDate, dates.lastChangedDate, dates.lastAttemptedDate, dates.lastFailedDate,
      dates.lastSuccessStartDate,
    ]
    #expect(found == Self.seconds(1...5))
  }

  @Test func imbalancesAcknowledgementsAndNumbersHaveDates() {
    let second = Date(timeIntervalSince1970: 1)
    let imbalance = Imbalance(
      id: SessionID(), kind: .unmatchedFinish(.extraPop), at: 1_000_000, evidence: "", isLikely: false)
    #expect(imbalance.date == second)
    #expect(Acknowledgement(at: 1_000_000, by: "me", note: nil).date == second)
    var numbers = LoadNumbers()
    #expect(numbers.timeBusy == nil && numbers.runningSinceDate == nil)
    (numbers.busy, numbers.runningSince) = (5, 1_000_000)
    #expect(numbers.timeBusy == .nanoseconds(5) && numbers.runningSinceDate == second)
  }

  @Test func statisticsHaveDurations() {
    var tally = DurationTally()
    for duration: Int64 in [1, 2, 6] { tally.add(duration) }
    let statistics = tally.statistics(sorted: [1, 2, 6])
    #expect(statistics?.totalTime == .nanoseconds(9) && statistics?.meanTime == .nanoseconds(3))
    #expect(statistics?.shortestTime == .nanoseconds(1) && statistics?.longestTime == .nanoseconds(6))
    #expect(statistics?.medianTime == .nanoseconds(2))
    #expect(BusyTime(busy: 4).timeBusy == .nanoseconds(4))
  }

  @Test func daysAndHoursHaveDates() {
    let day = UTCDay(number: 1)
    #expect(day.startDate == Date(timeIntervalSince1970: 86_400))
    #expect(day.endDate == Date(timeIntervalSince1970: 172_800))
    let hour = HourNumbers(feed: "reviews", containing: 7_200_000_001)
    #expect(hour.startDate == Date(timeIntervalSince1970: 7200))
  }

  @Test func aStatusHasDatesAndDurations() {
    var feed = FeedStatus(feed: "reviews")
    #expect(feed.runningTimeLimit == nil && feed.usualMaximumDuration == nil)
    #expect(feed.dueDate == nil && feed.gracePeriod == nil)
    (feed.runningLimit, feed.usualMaximum, feed.dueTime, feed.graceUsed) = (6, 2, 1_000_000, 3)
    #expect(feed.runningTimeLimit == .nanoseconds(6) && feed.usualMaximumDuration == .nanoseconds(2))
    #expect(feed.dueDate == Date(timeIntervalSince1970: 1) && feed.gracePeriod == .nanoseconds(3))

    let site = CallSiteCount(
      feed: nil, callSite: nil, isLikely: false, kind: .unmatchedFinish(.extraPop), count: 1, last: 5_000_000)
    var summary = StatusSummary(
      generated: 1_000_000, since: 2_000_000, until: 3_000_000, feeds: [feed], totals: LoadNumbers(),
      callSites: [site], firstStart: 4_000_000)
    #expect(summary.lastCheckDate == nil)
    summary.lastCheck = 6_000_000
    let notifier = UndeliveredFlips(
      notifier: "mail", attempts: 1, nextAttempt: 7_000_000, lastCheck: 8_000_000)
    let found = [
      summary.generatedDate, summary.sinceDate, summary.untilDate, summary.firstStartDate, site.lastDate,
      summary.lastCheckDate, notifier.nextAttemptDate, notifier.lastCheckDate,
    ]
    #expect(found == Self.seconds(1...8))
  }

  @Test func overrunningLoadsHaveLimits() {
    let load = ImbalanceSummary.OverrunningLoad(
      load: session(finished: nil, duration: nil), limit: 6, usualMaximum: 2)
    #expect(load.runningTimeLimit == .nanoseconds(6) && load.usualMaximumDuration == .nanoseconds(2))
    let summary = ImbalanceSummary(
      generated: 1_000_000, since: 2_000_000, until: 3_000_000, imbalances: [], overrunning: [load])
    let found = [summary.generatedDate, summary.sinceDate, summary.untilDate]
    #expect(found == Self.seconds(1...3))
  }

  @Test func expectationsAndFlipsHaveDatesAndDurations() {
    let expectation = Expectation(.every(.seconds(60)), grace: .seconds(5), maxRunning: .seconds(9))
    #expect(expectation.gracePeriod == .seconds(5) && expectation.runningTimeLimit == .seconds(9))
    let pause = FeedExpectation.Pause(from: 1_000_000, until: 2_000_000)
    let expected = FeedExpectation(pattern: "reviews", expectation: expectation, since: 3_000_000)
    let flip = FeedFlip(feed: "reviews", at: 4_000_000, from: .late, to: .fine, since: 5_000_000, down: 7)
    #expect(flip.downtime == .nanoseconds(7))
    let found = [pause.startDate, pause.endDate, expected.sinceDate, flip.date, flip.sinceDate]
    #expect(found == Self.seconds(1...5))
  }

  private static let times: [(seconds: Double, microseconds: Int64)] = [
    (1.5, 1_500_000), (-1.5, -1_500_000), (1e300, .max), (-1e300, .min),
  ]

  @Test(arguments: times) func aFilterTakesDates(seconds: Double, microseconds: Int64) {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(LoadFilter(since: date) == LoadFilter(since: microseconds))
    #expect(LoadFilter(since: nil, until: date) == LoadFilter(until: microseconds))
    let limited = LoadFilter(
      feeds: ["a*"], since: date, until: date, states: [.failed], tag: "t", text: "x",
      minimumDuration: .nanoseconds(5), limit: 3)
    #expect(
      limited
        == LoadFilter(
          feeds: ["a*"], since: microseconds, until: microseconds, states: [.failed], tag: "t", text: "x",
          minimumDuration: 5, limit: 3))
  }
}
