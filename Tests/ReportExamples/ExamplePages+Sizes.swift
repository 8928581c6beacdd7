import LoadLogCore
package import LoadLogReports
import Synchronization

extension ExamplePages {
  /// Contents of a store created this morning: one load finished, and one is running.
  package static func young() throws -> ReportContents {
    let now = ExampleStore.now
    var status = FeedStatus(feed: "reviews")
    status.numbers.loads = 2
    status.numbers.succeeded = 1
    status.numbers.running = 1
    status.numbers.runningSince = now - 4_000_000
    status.numbers.durationSucceeded = tally([1.2]).statistics()
    status.numbers.duration = status.numbers.durationSucceeded
    status.dates.lastUpdated = now - 20 * minute
    status.dates.lastVerdict = .succeeded
    return try contents(
      StatusSummary(
        generated: now, since: nil, until: nil, feeds: [status], totals: status.numbers, callSites: [],
        firstStart: now - 20 * minute),
      hours: { _ in
        var hour = HourNumbers(feed: "reviews", containing: now - 20 * minute)
        hour.count(.succeeded, duration: 1_200_000_000)
        hour.count(.running, duration: nil)
        return [hour]
      },
      successes: { _ in [now - 20 * minute] },
      loads: { feed, _ in
        LoadPage(
          loads: [
            load(feed, at: now - 4_000_000, .running, took: 4, callSite: "Reader/ReviewsView.swift:42"),
            load(feed, at: now - 20 * minute, .succeeded, took: 1.2, callSite: "Reader/ReviewsView.swift:42"),
          ], total: 2)
      })
  }

  /// Contents with a thousand feeds, each loaded in every week of a year; some names have the maximum length.
  package static func thousand() throws -> ReportContents {
    let now = ExampleStore.now
    var dice = Dice(1000)
    let regions = ["eu-west", "eu-north", "us-east", "us-west", "ap-south"]
    let tallies = (0..<40).map { _ in
      tally((0..<30).map { _ in dice.spread(around: dice.spread(around: 2, 0.6), 0.5) })
    }
    let feeds = (0..<1000).map { number in
      let name = "shop-\(number % 40)/\(regions[number % 5])/catalogue-\(number)"
      let length = number % 25 == 0 ? 200 : name.count
      return status(Feed(name + String(repeating: "/part", count: 40).prefix(length - name.count)), number)
    }
    var totals = LoadNumbers()
    totals.loads = feeds.reduce(0) { $0 + $1.numbers.loads }
    let rest = Mutex(dice)
    return try contents(
      StatusSummary(
        generated: now, since: nil, until: nil, feeds: feeds, totals: totals,
        callSites: (0..<120).map { number in
          CallSiteCount(
            feed: feeds[number].feed, callSite: "Sources/Shop/Catalogue/Loader\(number).swift:\(number)",
            isLikely: number % 3 == 0, kind: .unfinishedStart(.crashed), count: 120 - number, last: now)
        }, firstStart: now - 400 * day),
      days: { _, last in
        feeds.map { status in
          var day = DayNumbers(feed: status.feed, day: last)
          day.numbers.loads = 30
          day.numbers.failed = Int(last.number / 7 % 3)
          day.succeeded = tallies[Int(rest.withLock { $0.next() } % 40)]
          return day
        }
      },
      successes: { _ in (0..<20).map { now - Int64($0) * 47 * minute } },
      loads: { feed, window in
        let loads = rest.withLock { dice in
          (0..<ReportContents.loadLimit).map { number in
            load(
              feed, at: window.upperBound - Int64(dice.share() * 80e9),
              number % 20 == 0 ? .failed : number % 21 == 0 ? .crashed : .succeeded, took: dice.share() * 400,
              callSite: "x")
          }
        }
        return LoadPage(loads: loads, total: 4321)
      },
      failures: { feed in
        (1...3).map {
          load(feed, at: now - $0 * day, .failed, took: 2, callSite: "x", reason: "HTTP 503 from \(feed)")
        }
      })
  }

  /// Contents with ten thousand feeds, each loaded a few times in a year, as by a service for many customers.
  package static func tenThousand() throws -> ReportContents {
    let now = ExampleStore.now
    let feeds = (0..<10_000).map { number in
      var status = status(Feed("sync/\(number)"), number)
      status.numbers.unbalanced = ImbalanceCounts()
      status.numbers.loads = 60
      if number % 97 != 0 {
        status.dates.lastVerdict = .succeeded
        status.numbers.failed = 0
      }
      return status.judged(at: now)
    }
    var totals = LoadNumbers()
    totals.loads = 600_000
    return try contents(
      StatusSummary(
        generated: now, since: nil, until: nil, feeds: feeds, totals: totals, callSites: [],
        firstStart: now - 365 * day),
      days: { _, last in
        feeds.enumerated().filter { Int64($0.offset).isMultiple(of: 1 + last.number / 7 % 3) }.map {
          _, status in
          var day = DayNumbers(feed: status.feed, day: last)
          day.numbers.loads = 2
          day.succeeded = tally([0.7, 1.2])
          return day
        }
      },
      successes: { _ in (0..<20).map { now - Int64($0) * 47 * minute } },
      loads: { feed, window in
        guard feed.name.hasSuffix("7") else { return LoadPage(loads: [], total: 0) }
        return LoadPage(
          loads: [load(feed, at: window.lowerBound, .succeeded, took: 2, callSite: "x")], total: 1)
      })
  }

  private static func status(_ feed: Feed, _ number: Int) -> FeedStatus {
    let now = ExampleStore.now
    var status = FeedStatus(feed: feed)
    status.numbers.loads = 1560 + number % 300
    status.numbers.failed = number % 53
    status.numbers.succeeded = status.numbers.loads - status.numbers.failed
    status.numbers.durationSucceeded = tally([0.5, 0.7, 1.2, 3.4 + Double(number)]).statistics()
    status.numbers.duration = status.numbers.durationSucceeded
    status.dates.lastVerdict = number % 9 == 0 ? .failed : .succeeded
    status.dates.lastFailure = number % 9 == 0 ? "HTTP 503 from shop-\(number)" : nil
    status.dates.lastFailed = now - Int64(number) * minute
    status.dates.lastUpdated = now - Int64(number) * minute
    if number < 120 { status.numbers.unbalanced.add(.unfinishedStart(.crashed), acknowledged: false) }
    return status.judged(at: now)
  }
}
