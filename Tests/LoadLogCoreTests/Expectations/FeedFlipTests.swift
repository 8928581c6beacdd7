import LoadLogCore
import Testing

@Suite struct FeedFlipTests {
  /// A load overruns from the end of the time that it may run, so an outage begins there, not at its start.
  @Test func aLoadOverrunsFromTheEndOfItsTime() {
    var status = FeedStatus(feed: "f")
    status.numbers.runningSince = 1_000_000
    status.runningLimit = 2_000_000_000
    status.problems = [.overrunning]
    let summary = StatusSummary(
      generated: 9_000_000, since: nil, until: nil, feeds: [status], totals: LoadNumbers(), callSites: [],
      firstStart: nil)
    #expect(FoundState(status, in: summary, reason: nil).since == 3_000_000)
    #expect(status.origin(of: .overrunning, in: summary).since == 3_000_000)
  }

  /// Why it is failing may be unknown; it is not what a success has cleared.
  @Test func noOutageBeginsWithAFailureThatASuccessHasCleared() {
    var status = FeedStatus(feed: "f")
    (status.dates.lastFailed, status.dates.lastUpdated) = (1_000_000, 2_000_000)
    status.dates.lastVerdict = .succeeded
    status.problems = [.failing]
    let summary = StatusSummary(
      generated: 9_000_000, since: nil, until: nil, feeds: [status], totals: LoadNumbers(), callSites: [],
      firstStart: nil)
    #expect(FoundState(status, in: summary, reason: nil).since == 2_000_000)
  }
}
