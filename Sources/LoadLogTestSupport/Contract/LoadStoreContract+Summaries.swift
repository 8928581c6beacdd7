import LoadLogCore
import Testing

/// Cases about the numbers of days and about pruning.
extension LoadStoreContract {
  static let summaries: [Case] = [
    Case("the numbers of a day are those of the loads that started on it") { bench in
      let owner = try bench.recorder()
      waitForMidnight(bench)
      let first = UTCDay(of: bench.clock.now().wall)
      try owner.load(taking: .seconds(3))
      try owner.load("other", .failed("x"), taking: .seconds(1))
      try owner.one(.pop("other", .ended))
      waitForMidnight(bench)
      try owner.load(.init("reviews"), .unchanged, taking: .seconds(5))
      let all = try owner.store.reader.days(LoadFilter(), listing: ["other", "reviews", "unknown"])
      #expect(all.map { $0.feed } == [nil, nil, "other", "reviews", "reviews"])
      #expect(all.map(\.day) == [first, first.next, first, first, first.next])
      #expect(all.map(\.numbers.loads) == [2, 1, 1, 1, 1])
      #expect(all.map(\.numbers.failed) == [1, 0, 1, 0, 0])
      #expect(all.map(\.numbers.unbalanced.extraPop) == [1, 0, 1, 0, 0])
      #expect(all.allSatisfy { $0.numbers.busy == nil })
      #expect(all.map(\.succeeded.count) == [1, 1, 0, 1, 1] && all.map(\.others.count) == [1, 0, 1, 0, 0])
      #expect(all.last?.succeeded.greatest == 5_000_000_000)
      let chosen = try owner.store.reader.days(
        LoadFilter(feeds: ["rev*"], since: first.start + 1), listing: ["other", "reviews"])
      #expect(chosen.map(\.feed) == [nil, "reviews"] && chosen.map(\.day) == [first.next, first.next])
      let together = try owner.store.reader.days(LoadFilter(feeds: ["rev*", "oth*"]), listing: [])
      #expect(together.map(\.feed) == [nil, nil] && together.map(\.numbers.loads) == [2, 1])
      #expect(together.map(\.succeeded.count) == [1, 1] && together.map(\.others.count) == [1, 0])
      let none = try owner.store.reader.days(
        LoadFilter(since: first.start, until: first.end - 1), listing: ["reviews"])
      #expect(none.isEmpty)
    },

    Case("the numbers of an hour are those of the loads that started in it") { bench in
      let owner = try bench.recorder()
      waitForMidnight(bench)
      let first = bench.clock.now().wall
      try owner.load(taking: .seconds(3))
      try owner.load("other", .failed("x"), taking: .seconds(1))
      bench.clock.advance(by: hour)
      try owner.load(.init("reviews"), .unchanged, taking: .seconds(5))
      try owner.load(.init("reviews"), .cancelled, taking: .seconds(7))
      let all = try owner.store.reader.hours(LoadFilter())
      #expect(all.map(\.feed) == ["other", "reviews", "reviews"])
      #expect(all.map(\.start) == [first, first, first + HourNumbers.length])
      #expect(all.map(\.numbers.loads) == [1, 1, 2] && all.map(\.numbers.failed) == [1, 0, 0])
      #expect(all.map(\.succeeded.count) == [0, 1, 1] && all.map(\.others.count) == [1, 0, 1])
      #expect(all.last?.succeeded.greatest == 5_000_000_000)
      let chosen = try owner.store.reader.hours(
        LoadFilter(feeds: ["reviews"], since: first + HourNumbers.length))
      #expect(chosen.map(\.start) == [first + HourNumbers.length] && chosen.first?.numbers.unchanged == 1)
      #expect(try owner.store.reader.hours(LoadFilter(until: first)).isEmpty)
    },

    Case("a load that is open at midnight counts for both days", needs: .busy) { bench in
      let owner = try bench.recorder()
      waitForMidnight(bench)
      bench.clock.advance(by: hour * 23)
      let midnight = UTCDay(of: bench.clock.now().wall).end
      let id = try owner.start()
      bench.clock.advance(by: hour * 3)
      try owner.one(.finish(id, .succeeded))
      try owner.load(taking: hour)
      let before = try owner.numbers(of: "reviews", LoadFilter(until: midnight))
      let after = try owner.numbers(of: "reviews", LoadFilter(since: midnight))
      #expect(before.busy == hour.wholeNanoseconds && before.loads == 1)
      #expect(after.busy == 3 * hour.wholeNanoseconds && after.loads == 1)
      #expect(before.duration?.max == 3 * hour.wholeNanoseconds && after.peakDepth == 1)
    },

    Case("pruning keeps numbers, dates and the loads that must stay", needs: .pruning) { bench in
      let owner = try bench.recorder()
      try makeHistory(owner, bench)
      let young = try owner.load(taking: .seconds(9))
      let (before, dates) = (
        try owner.store.reader.status(LoadFilter(), runningLimit: nil), try owner.dates()
      )
      let cutoff = bench.clock.now().wall - hour.wholeNanoseconds / 1000
      let forecast = try owner.store.reader.prunable(before: cutoff)
      #expect(forecast == ["reviews": 14, "other": 5])
      #expect(try owner.history().count == before.totals.loads)
      #expect(try owner.store.prune(before: cutoff, limit: 100) == 19)
      #expect(try owner.store.prune(before: cutoff, limit: 100) == 0)
      let after = try owner.store.reader.status(LoadFilter(), runningLimit: nil)
      for (old, new) in zip(before.feeds + [nil], after.feeds + [nil]) {
        var (expected, found) = (old?.numbers ?? before.totals, new?.numbers ?? after.totals)
        #expect(found.isApproximate == (new?.feed != "running" && new?.feed != "counted"))
        #expect(
          found.duration?.sum == expected.duration?.sum && found.duration?.max == expected.duration?.max)
        expected.duration = nil
        expected.durationSucceeded = nil
        found.duration = nil
        found.durationSucceeded = nil
        found.isApproximate = false
        #expect(found == expected)
      }
      #expect(after.callSites == before.callSites && after.firstStart == before.firstStart)
      #expect(after.feeds.map(\.lostLoad?.id) == before.feeds.map(\.lostLoad?.id))
      #expect(try owner.dates() == dates)
      let left = try owner.history()
      let kinds: Set<SessionState> = [.succeeded, .failed, .abandoned, .ended, .running]
      #expect(left.first?.id == young && Set(left.map(\.state)) == kinds)
      #expect(left.count == 7)
    },

    Case("pruning drops at most the given number of loads and returns how many", needs: .pruning) { bench in
      let owner = try bench.recorder()
      try makeHistory(owner, bench)
      let now = bench.clock.now().wall
      #expect(try owner.store.prune(before: now, limit: 7) == 7)
      #expect(try owner.store.prune(before: now, limit: 10) == 10)
      #expect(try owner.store.prune(before: now, limit: 10) == 1)
      #expect(try owner.store.prune(before: now - 3 * hour.wholeNanoseconds, limit: 10) == 0)
    },

    Case("pruning keeps the last load of each feed, whatever became of it", needs: .pruning) { bench in
      let owner = try bench.recorder()
      for (feed, verdict) in [("reviews", Verdict.succeeded), ("reviews", .cancelled), ("other", .succeeded)]
      {
        try owner.load(Feed(feed), verdict, taking: .seconds(1))
        bench.clock.advance(by: hour)
      }
      #expect(try owner.store.prune(before: bench.clock.now().wall, limit: 9) == 0)
      #expect(try owner.history().count == 3)
    },

    Case("a duplicate finish of a pruned load is not an orphan", needs: .pruning) { bench in
      let owner = try bench.recorder()
      let id = try owner.load(taking: .seconds(1))
      try owner.one(.finish(id, .succeeded))
      try owner.load(taking: .seconds(1))
      bench.clock.advance(by: hour)
      #expect(try owner.store.prune(before: bench.clock.now().wall, limit: 9) == 1)
      let before = try owner.totals().unbalanced
      #expect(before.duplicateFinish == 1 && before.total == 1)
      try owner.one(.start(id, "reviews", message: nil, tag: nil))
      #expect(try owner.session(id).state == .running)
      #expect(try owner.totals().unbalanced == before)
    },

    Case("a pruned day still counts and is marked approximate", needs: .pruning) { bench in
      let owner = try bench.recorder()
      waitForMidnight(bench)
      let day = UTCDay(of: bench.clock.now().wall)
      try owner.load(taking: .seconds(2))
      try owner.load(taking: .seconds(3))
      let late = try owner.start()
      try owner.one(.abandon(late, .dropped))
      bench.clock.advance(by: hour)
      #expect(try owner.store.prune(before: bench.clock.now().wall, limit: 10) == 1)
      try owner.one(.finish(late, .succeeded))
      try owner.load(taking: .seconds(5))
      bench.clock.advance(by: hour * 30)
      try owner.load(taking: .seconds(1))
      let all = try owner.numbers(of: "reviews")
      #expect(all.loads == 5 && all.succeeded == 5 && all.unbalanced.total == 0 && all.isApproximate)
      #expect(all.duration?.count == 5 && all.duration?.quantiles == .sketch)
      // A window that contains half of a sealed day gets the numbers of the whole day.
      let part = LoadFilter(since: day.start + 1, until: day.start + 2)
      #expect(try owner.numbers(of: "reviews", part).loads == 4)
      #expect(try owner.numbers(of: "reviews", part).isApproximate)
      let rest = try owner.numbers(of: "reviews", LoadFilter(since: day.end))
      #expect(rest.loads == 1 && !rest.isApproximate && rest.duration?.quantiles == .exact)
    },
  ]

  private static let hour = Duration.seconds(3600)

  /// Sets the clocks to the next midnight in UTC.
  private static func waitForMidnight(_ bench: ContractBench) {
    let now = bench.clock.now().wall
    bench.clock.advance(by: .microseconds(UTCDay(of: now).end - now))
  }

  /// Records loads of every kind, all older than a day.
  private static func makeHistory(_ owner: ContractRecorder, _ bench: ContractBench) throws {
    for _ in 0..<5 {
      try owner.load(taking: .seconds(2))
      try owner.load("reviews", .failed("HTTP 503"), taking: .seconds(1))
      try owner.load("reviews", .unchanged, taking: .seconds(1))
      try owner.load("other", .cancelled, taking: .seconds(4))
    }
    try owner.one(.abandon(try owner.start(), .dropped))
    try owner.one(.abandon(try owner.start("other"), .dropped))
    try owner.one(.acknowledge([try #require(owner.unbalanced().first).id], by: "me", note: nil))
    _ = try owner.start("running")
    // The newest load of a feed whose older load is an unfinished start.
    for event: LoadEvent.Kind in [
      .push("counted"), .push("counted"), .pop("counted", .ended), .reset(["counted"]),
    ] {
      try owner.one(event)
    }
    bench.clock.advance(by: hour * 48)
  }
}
