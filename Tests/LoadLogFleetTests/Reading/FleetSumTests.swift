#if Fleet
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  import LoadLogTestSupport
  import Testing

  /// What a fleet answers is what its stores answer, added up.
  @Suite struct FleetSumTests {
    private static let day = UTCDay.length

    @Test(.timeLimit(.minutes(10)), arguments: [ShippedLoads.all, .unusual, .none])
    func theFleetSaysWhatItsStoresSayAddedUp(_ loads: ShippedLoads) throws {
      let bench = try PostgresBench()
      let hosts = try (1...4).map { try RecordedHost("web-\($0)", seed: UInt64($0)) }
      // Some of it is shipped while loads run, which end later.
      for host in hosts {
        try host.live(120)
        try host.ship(to: bench.address, loads)
        try host.live(120)
        try host.ship(to: bench.address, loads)
      }
      let fleet = FleetReader(bench.address, clock: hosts[0].clock)
      let start = RecordedHost.start
      let filters = [
        LoadFilter(), LoadFilter(since: start + Self.day), LoadFilter(until: start + 2 * Self.day),
        LoadFilter(feeds: ["*s", "weather"]),
        LoadFilter(feeds: ["reviews"], since: start + Self.day, until: start + 2 * Self.day),
        LoadFilter(since: start + Self.day / 2, until: start + Self.day * 3 / 2),
      ]
      for filter in filters {
        var days = filter
        days.since = filter.since.map { UTCDay(of: $0).start }
        days.until = filter.until.map { UTCDay(of: $0 - 1).next.start }
        let sums = try Sums(hosts.map { try $0.reader.status(days, runningLimit: nil) })
        let status = try fleet.status(filter, runningLimit: nil)
        #expect(status.totals.countsWholeDays == (filter != days))
        let found = try Sums([status])
        for key in Set(sums.figures.keys).union(found.figures.keys).sorted() {
          // Without rows only the day of the last imbalance is known.
          if loads == .none, key.hasSuffix("last") { continue }
          #expect(found.figures[key] == sums.figures[key], "\(key) \(filter)")
        }
        for feed in RecordedHost.feeds where filter.admits(feed) {
          let tallies = try hosts.map { try Self.tally(of: feed, $0.reader, filter) }
          let tally = try Self.tally(of: feed, fleet, filter)
          #expect(tally == tallies.dropFirst().reduce(into: tallies[0]) { $0.merge($1) })
        }
      }
      #expect(try fleet.feeds() == RecordedHost.feeds)
    }

    @Test(.timeLimit(.minutes(10))) func theDaysOfManyFeedsAreAddedUp() throws {
      let bench = try PostgresBench()
      let hosts = try (1...2).map { try RecordedHost("web-\($0)") }
      for host in hosts {
        for day in 0..<3 {
          for number in 0..<251 { try host.load(Feed("feed-\(number)"), taking: .seconds(day + 1)) }
          host.clock.advance(by: .seconds(86_400))
        }
        try host.ship(to: bench.address, .none)
      }
      let filter = LoadFilter(since: RecordedHost.start + Self.day)
      let sums = try Sums(hosts.map { try $0.reader.status(filter, runningLimit: nil) })
      let found = try FleetReader(bench.address, clock: hosts[0].clock).status(filter, runningLimit: nil)
      #expect(try Sums([found]) == sums && found.totals.loads == 2 * 2 * 251)
      #expect(found.feeds.allSatisfy { $0.numbers.durationSucceeded?.max == 3_000_000_000 })
    }

    /// The durations of a feed's successes.
    private static func tally(
      of feed: Feed, _ reader: any LoadReading, _ filter: LoadFilter
    ) throws -> DurationTally {
      try reader.days(filter, listing: [feed]).filter { $0.feed == feed }
        .reduce(into: DurationTally()) { $0.merge($1.succeeded) }
    }

    @Test(.timeLimit(.minutes(10))) func quantilesComeFromTheDurationsOfAllHosts() throws {
      let bench = try PostgresBench()
      var all = DurationTally()
      let hosts = try (1...3).map { try RecordedHost("web-\($0)") }
      for (number, host) in hosts.enumerated() {
        for seconds in 1...20 {
          try host.load("reviews", taking: .seconds(seconds * (number + 1)))
          all.add(Int64(seconds * (number + 1)) * 1_000_000_000)
        }
        try host.ship(to: bench.address, .none)
      }
      let status = try FleetReader(bench.address).status(LoadFilter(), runningLimit: nil)
      let found = try #require(status.feeds.first?.numbers.durationSucceeded)
      #expect(found == all.statistics() && found.quantiles == .sketch)
      #expect(status.totals.duration == found && status.totals.busy == nil && status.totals.peakDepth == nil)
    }
  }

  /// The figures of several statuses, added up.
  private struct Sums: Equatable {
    private(set) var figures: [String: Int64] = [:]

    init(_ statuses: [StatusSummary]) throws {
      for status in statuses {
        for feed in status.feeds {
          let name = feed.feed.name
          add("\(name) updated", feed.dates.lastUpdated)
          add("\(name) changed", feed.dates.lastChanged)
          add("\(name) attempted", feed.dates.lastAttempted)
          add("\(name) failed", feed.dates.lastFailed)
          add("\(name) success started", feed.dates.lastSuccessStarted)
          add(name, feed.numbers)
        }
        add("totals", status.totals)
        if let first = status.firstStart { figures["first"] = min(figures["first"] ?? .max, first) }
        for site in status.callSites {
          let key = "\(site.feed?.name ?? "-") \(site.callSite ?? "-") \(site.kind.word) \(site.isLikely)"
          figures[key, default: 0] += Int64(site.count)
          add("\(key) last", site.last)
        }
      }
    }

    /// Keeps the greatest date.
    private mutating func add(_ key: String, _ date: Int64?) {
      if let date { figures[key] = max(figures[key] ?? .min, date) }
    }

    private mutating func add(_ name: String, _ numbers: LoadNumbers) {
      let unbalanced = numbers.unbalanced
      let counts = [
        "loads": numbers.loads, "running": numbers.running, "unknown": numbers.unknown,
        "succeeded": numbers.succeeded, "unchanged": numbers.unchanged, "failures": numbers.failed,
        "cancelled": numbers.cancelled, "ended": numbers.ended, "crashed": unbalanced.crashed,
        "rebooted": unbalanced.rebooted, "abandoned": unbalanced.abandoned,
        "orphan_finish": unbalanced.orphanFinish, "duplicate_finish": unbalanced.duplicateFinish,
        "extra_pop": unbalanced.extraPop, "unacknowledged": unbalanced.unacknowledged,
        "pops_after_reset": numbers.popsAfterReset, "finished": numbers.duration?.count ?? 0,
        "successes": numbers.durationSucceeded?.count ?? 0,
      ]
      for (key, count) in counts { figures["\(name) \(key)", default: 0] += Int64(count) }
      figures["\(name) time", default: 0] += numbers.duration?.sum ?? 0
      figures["\(name) time of successes", default: 0] += numbers.durationSucceeded?.sum ?? 0
    }
  }
#endif
