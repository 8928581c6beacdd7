import Foundation
import LoadLogCore
import Testing

@Suite struct DateTests {
  private static let owner = Owner(
    kind: .detached,
    process: ProcessIdentity(
      machineID: "", bootID: "", pid: 0, startTicks: nil, pidNamespace: nil, timeNamespace: nil),
    host: "box", app: "app")

  private func session(finished: Int64?, duration: Int64?) -> LoadingSession {
    let started = LoadInstant(wall: 1_500_000, boot: 7)
    return LoadingSession(
      id: SessionID(), feed: "reviews", isAnonymous: false, state: .succeeded, isUnknown: false,
      isFinishedAfterVerdict: false, started: started, finished: finished, duration: duration,
      openAtLeast: 2_000_000_001,
      durationSource: .boot,
      owner: OwnerRecord(owner: Self.owner, opened: started, lastCommit: started, closed: nil, dropped: 0))
  }

  @Test func aSessionHasDatesAndDurations() {
    let finished = session(finished: 3_500_000, duration: 2_000_000_001)
    #expect(finished.startDate == Date(timeIntervalSince1970: 1.5))
    #expect(finished.finishDate == Date(timeIntervalSince1970: 3.5))
    #expect(finished.timeTaken == .nanoseconds(2_000_000_001) && finished.timeOpen == finished.timeTaken)
    let running = session(finished: nil, duration: nil)
    #expect(running.finishDate == nil && running.timeTaken == nil)
  }

  @Test func aFeedHasDates() {
    var dates = FeedDates()
    #expect(dates.lastUpdatedDate == nil && dates.lastChangedDate == nil)
    #expect(dates.lastAttemptedDate == nil && dates.lastFailedDate == nil)
    (dates.lastUpdated, dates.lastChanged, dates.lastAttempted, dates.lastFailed) = (
      1_000_000, 2_000_000, 3_000_000, 4_000_000
    )
    let found = [dates.lastUpdatedDate, dates.lastChangedDate, dates.lastAttemptedDate, dates.lastFailedDate]
    #expect(found == [1, 2, 3, 4].map { Date(timeIntervalSince1970: $0) })
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

  private static let times: [(seconds: Double, microseconds: Int64)] = [
    (1.5, 1_500_000), (-1.5, -1_500_000), (1e300, .max), (-1e300, .min),
  ]

  @Test(arguments: times) func aFilterTakesDates(seconds: Double, microseconds: Int64) {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(LoadFilter(since: date) == LoadFilter(since: microseconds))
    #expect(LoadFilter(since: nil, until: date) == LoadFilter(until: microseconds))
    let limited = LoadFilter(feeds: ["a*"], since: date, until: date, states: [.failed], limit: 3)
    #expect(
      limited
        == LoadFilter(
          feeds: ["a*"], since: microseconds, until: microseconds, states: [.failed], limit: 3))
  }
}
