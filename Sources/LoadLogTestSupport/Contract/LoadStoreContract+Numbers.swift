import LoadLogCore
import Testing

/// Cases about counts, durations, busy time and depth.
extension LoadStoreContract {
  static let numbers: [Case] = [
    Case("busy time is the union of intervals, peak depth the maximum of open loads", needs: .busy) { bench in
      let owner = try bench.recorder()
      let (short, long) = (try owner.start(), try owner.start())
      bench.clock.advance(by: .seconds(3))
      try owner.one(.finish(short, .succeeded))
      bench.clock.advance(by: .seconds(2))
      try owner.one(.finish(long, .failed("x")))
      #expect(try owner.numbers(of: "reviews").busy == 5_000_000_000)
      #expect(try owner.numbers(of: "reviews").peakDepth == 2)
      bench.clock.advance(by: .seconds(10))
      // Each load ends when the next one starts, so two are never open at the same time.
      try owner.load(taking: .seconds(1))
      try owner.load(taking: .seconds(1))
      _ = try owner.start()
      bench.clock.advance(by: .seconds(4))
      let numbers = try owner.numbers(of: "reviews")
      #expect(numbers.busy == 11_000_000_000 && numbers.peakDepth == 2)
      #expect(numbers.isApproximate == false)
    },

    Case(
      "busy time and peak depth are clipped to the window and include loads that started before", needs: .busy
    ) { bench in
      let owner = try bench.recorder()
      let zero = bench.clock.now().wall
      let second: (Int64) -> Int64 = { zero + $0 * 1_000_000 }
      let carried = try owner.start()  // 0 to 10 s
      bench.clock.advance(by: .seconds(4))
      try owner.load(taking: .seconds(2))  // 4 to 6 s
      try owner.one(.finish(SessionID(), .succeeded))
      bench.clock.advance(by: .seconds(4))
      try owner.one(.finish(carried, .succeeded))
      let table: [(since: Int64?, until: Int64?, loads: Int, busy: Int64, peak: Int, orphans: Int)] = [
        (nil, nil, 2, 10, 2, 1), (0, 10, 2, 10, 2, 1), (5, 8, 0, 3, 2, 1), (6, 8, 0, 2, 1, 1),
        (7, 8, 0, 1, 1, 0),
        (4, 5, 1, 1, 2, 0), (1, 4, 0, 3, 1, 0), (10, 20, 0, 0, 0, 0), (-5, 0, 0, 0, 0, 0), (0, 1, 1, 1, 1, 0),
        (8, 5, 0, 0, 0, 0),
      ]
      for row in table {
        let filter = LoadFilter(since: row.since.map(second), until: row.until.map(second))
        let status = try owner.store.reader.wholeStatus(filter)
        let numbers = try #require(status.feeds.first).numbers
        let comment: Comment = "\(row.since ?? -1) to \(row.until ?? -1) s"
        #expect(numbers.loads == row.loads, comment)
        #expect(numbers.busy == row.busy * 1_000_000_000, comment)
        #expect(numbers.peakDepth == row.peak, comment)
        #expect(status.totals.unbalanced.orphanFinish == row.orphans, comment)
        #expect(numbers.duration?.count ?? 0 == row.loads, comment)
        #expect(status.since == filter.since && status.until == filter.until && status.firstStart == zero)
      }
    },

    Case("whether loads of a feed ended without a result or were cancelled does not depend on the window") {
      bench in
      let owner = try bench.recorder()
      try owner.push()
      try owner.one(.pop("network", .ended))
      try owner.one(.finish(try owner.start(), .cancelled))
      bench.clock.advance(by: .seconds(2 * 86_400))
      let filter = LoadFilter(since: bench.clock.now().wall)
      let feeds = try owner.store.reader.wholeStatus(filter).feeds
      #expect(feeds.map(\.feed) == ["network", "reviews"] && feeds.map(\.numbers.loads) == [0, 0])
      #expect(feeds.map(\.hasEnded) == [true, false] && feeds.map(\.hasCancelled) == [false, true])
    },

    Case("totals have their own busy time and peak depth, but not for selected feeds", needs: .busy) {
      bench in
      let owner = try bench.recorder()
      let (a, b) = (try owner.start("a"), try owner.start("b"))
      bench.clock.advance(by: .seconds(2))
      try owner.record(.finish(a, .succeeded), .finish(b, .succeeded))
      let totals = try owner.totals()
      #expect(totals.busy == 2_000_000_000 && totals.peakDepth == 2 && totals.loads == 2)
      #expect(try owner.numbers(of: "a").peakDepth == 1)
      let some = try owner.store.reader.wholeStatus(LoadFilter(feeds: ["a"]))
      #expect(try owner.store.reader.status(LoadFilter(), runningLimit: nil).totals.busy == nil)
      #expect(some.totals.busy == nil && some.totals.peakDepth == nil && some.totals.loads == 1)
      #expect(some.feeds.map(\.feed) == ["a"] && some.feeds.first?.numbers.busy == 2_000_000_000)
    },

    Case("unfinished starts are open for the minimum time that is known", needs: .busy) { bench in
      let owner = try bench.recorder()
      let id = try owner.start()
      bench.clock.advance(by: .seconds(3))
      try owner.one(.abandon(id, .dropped))
      bench.clock.advance(by: .seconds(100))
      let numbers = try owner.numbers(of: "reviews")
      #expect(numbers.busy == 3_000_000_000 && numbers.peakDepth == 1)
      #expect(numbers.duration == nil && numbers.loads == 1)
    },

    Case("quantiles are exact, for all loads and for successes", needs: .exactTimes) { bench in
      let owner = try bench.recorder()
      for seconds: Int64 in [4, 1, 3, 2] { try owner.load(taking: .seconds(seconds)) }
      try owner.load("reviews", .failed("fast"), taking: .milliseconds(100))
      try owner.load("reviews", .cancelled, taking: .zero)
      let all = try #require(try owner.numbers(of: "reviews").duration)
      #expect(all.count == 6 && all.sum == 10_100_000_000 && all.min == 0 && all.max == 4_000_000_000)
      #expect(all.p50 == 1_500_000_000 && all.quantiles == .exact)
      let good = try #require(try owner.numbers(of: "reviews").durationSucceeded)
      #expect(good.count == 4 && good.p50 == 2_500_000_000 && good.min == 1_000_000_000)
      #expect(
        abs(good.p90 - 3_700_000_000) < 1 && abs(good.p99 - 3_970_000_000) < 1 && good.mean == 2_500_000_000)
    },

    Case("a load is overrunning after 3 × p99 of at least 20 loads", needs: .exactTimes) { bench in
      let owner = try bench.recorder()
      for _ in 0..<19 { try owner.load(taking: .seconds(1)) }
      _ = try owner.start()
      bench.clock.advance(by: .seconds(1000))
      #expect(try owner.numbers(of: "reviews").overrunning == nil)
      #expect(
        try owner.store.reader.status(LoadFilter(), runningLimit: 999).feeds.first?.numbers.overrunning == 1)
      try owner.load("reviews", .failed("fast"), taking: .nanoseconds(1))
      #expect(try owner.numbers(of: "reviews").overrunning == 1)
      let fresh = try owner.start()
      bench.clock.advance(by: .seconds(3))
      #expect(try owner.numbers(of: "reviews").overrunning == 1, "exactly 3 × p99 is not longer")
      bench.clock.advance(by: .nanoseconds(1))
      let status = try #require(try owner.store.reader.status(LoadFilter(), runningLimit: nil).feeds.first)
      #expect(status.numbers.overrunning == 2 && status.runningLimit == 3_000_000_000)
      #expect(status.usualMaximum == 1_000_000_000)
      #expect(try owner.session(fresh).state == .running, "no load is ever closed because of its age")
      let given = try owner.store.reader.status(LoadFilter(), runningLimit: 999).feeds.first
      #expect(given?.runningLimit == 999 && given?.usualMaximum == nil, "a given limit is not learned")
      // The limit comes from all time, whatever the window.
      let later = try owner.store.reader.status(LoadFilter(since: .max), runningLimit: nil)
      #expect(later.feeds.first?.numbers.overrunning == 2 && later.totals.overrunning == 2)
    },

    Case("quantiles of more than 1,000 loads are estimated", needs: .exactTimes) { bench in
      let owner = try bench.recorder()
      var events: [NumberedEvent] = []
      for number in 1...1001 {
        let id = SessionID()
        events.append(owner.number(.start(id, "reviews", message: nil, tag: nil)))
        bench.clock.advance(by: .milliseconds(number))
        events.append(owner.number(.finish(id, .succeeded)))
      }
      _ = try owner.commit(Array(events.prefix(2000)))
      #expect(try owner.numbers(of: "reviews").duration?.quantiles == .exact)
      _ = try owner.commit(Array(events.suffix(2)))
      let statistics = try #require(try owner.numbers(of: "reviews").duration)
      #expect(statistics.quantiles == .sketch && statistics.count == 1001)
      #expect(
        statistics.min == 1_000_000 && statistics.max == 1_001_000_000 && statistics.sum == 501_501_000_000)
      for (found, exact) in [(statistics.p50, 501e6), (statistics.p90, 901e6), (statistics.p99, 991e6)] {
        #expect(abs(found - exact) <= exact * 0.011)
      }
    },

    Case("what runs is counted beside every window", needs: .exactTimes) { bench in
      let owner = try bench.recorder()
      let started = bench.clock.now().wall
      _ = try owner.start()
      bench.clock.advance(by: .seconds(3600))
      try owner.load(taking: .seconds(1))
      for filter in [LoadFilter(since: started + 1), LoadFilter(until: started), LoadFilter(since: .max)] {
        let status = try owner.store.reader.status(filter, runningLimit: nil)
        for numbers in status.feeds.map(\.numbers) + [status.totals] {
          #expect(numbers.running == 1 && numbers.runningSince == started && numbers.unknown == 0)
          #expect(numbers.loads == (filter.since == started + 1 ? 1 : 0))
        }
        #expect(status.feeds.first?.oldestRunning?.started.wall == started)
      }
    },

    Case("without the durations of some feeds all else is the same") { bench in
      let owner = try bench.recorder()
      func load(_ feeds: Feed...) throws {
        for feed in feeds {
          for _ in 0..<20 { try owner.load(feed, taking: .seconds(60)) }
          try owner.load(feed, .failed("x"), taking: .seconds(1))
        }
      }
      try load("daily", "hung", "slower")
      try owner.one(.expect(Expectation(.every(86_400_000_000_000)), "daily"))
      let hung = try owner.start("hung")
      bench.clock.advance(by: .seconds(7 * 86_400))
      let since = bench.clock.now().wall
      try load("slower")
      bench.clock.advance(by: .seconds(60))
      func withoutDurations(_ numbers: LoadNumbers) -> LoadNumbers {
        var numbers = numbers
        (numbers.duration, numbers.durationSucceeded) = (nil, nil)
        return numbers
      }
      let whole = try owner.store.reader.status(LoadFilter(), runningLimit: nil)
      #expect(whole.feeds.map(\.graceUsed).count { $0 != nil } == 1, "its durations were learned")
      #expect(whole.feeds.first { $0.oldestRunning?.id == hung }?.problems.first == .overrunning)
      #expect(whole.feeds.last?.trend != nil)
      for filter in [LoadFilter(), LoadFilter(since: since), LoadFilter(feeds: ["*l*"])] {
        let whole = try owner.store.reader.status(filter, runningLimit: nil)
        for chosen: Set<Feed> in [[], ["slower"], ["daily", "hung", "slower", "unknown"]] {
          var known: [Feed] = []
          var found = try owner.store.reader.status(filter, runningLimit: nil) { summary in
            known = summary.feeds.map(\.feed)
            return chosen
          }
          for (index, status) in whole.feeds.enumerated() where !chosen.contains(status.feed) {
            #expect(withoutDurations(found.feeds[index].numbers) == withoutDurations(status.numbers))
            found.feeds[index].numbers = status.numbers
          }
          #expect(withoutDurations(found.totals) == withoutDurations(whole.totals))
          found.totals = whole.totals
          #expect(found == whole)
          #expect(known.isEmpty || known == whole.feeds.map(\.feed), "a store may not ask")
        }
      }
    },

    Case("a feed is slower if the last 7 days' median is 1.5 × that of the 30 days before") { bench in
      let owner = try bench.recorder()
      for _ in 0..<20 { try owner.load(taking: .seconds(2)) }
      for _ in 0..<3 { try owner.load("reviews", .failed("slow"), taking: .seconds(900)) }
      bench.clock.advance(by: .seconds(7 * 86_400))
      for _ in 0..<19 { try owner.load(taking: .seconds(3)) }
      #expect(try owner.trend() == nil, "19 loads are too few")
      try owner.load("reviews", .unchanged, taking: .seconds(3))
      let slower = try #require(try owner.trend())
      #expect(slower.isSlower && abs(slower.ratio - 1.5) < 1.5 * 0.022)
      #expect(abs(slower.recentMedian - 3e9) < 3e9 * 0.011 && abs(slower.earlierMedian - 2e9) < 2e9 * 0.011)
      #expect(try owner.trend(LoadFilter(since: .max)) == slower, "the window does not matter")
      for _ in 0..<40 { try owner.load(taking: .seconds(2)) }
      #expect(try owner.trend()?.isSlower == false)
      // After 40 more days there is nothing left to compare with.
      bench.clock.advance(by: .seconds(40 * 86_400))
      for _ in 0..<20 { try owner.load(taking: .seconds(3)) }
      #expect(try owner.trend() == nil)
    },
  ]
}

extension ContractRecorder {
  /// The trend of the first feed.
  fileprivate func trend(_ filter: LoadFilter = LoadFilter()) throws -> DurationTrend? {
    try store.reader.status(filter, runningLimit: nil).feeds.first?.trend
  }
}
