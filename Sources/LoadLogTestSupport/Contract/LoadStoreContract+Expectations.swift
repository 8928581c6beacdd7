import LoadLogCore
import Testing

/// Cases about what is expected of feeds, and what is wrong with them.
extension LoadStoreContract {
  static let expectations: [Case] = [
    Case("setting an expectation merges it with the earlier one") { bench in
      let owner = try bench.recorder()
      #expect(try owner.store.reader.expectations().isEmpty)
      for kind in [
        LoadEvent.Kind.clearExpectation("reviews"), .resumeExpectation("reviews"),
        .pauseExpectation("reviews", duration: nil),
      ] {
        #expect(try owner.one(kind).outcome == .nothing, "there is no expectation to change")
      }
      let set = bench.clock.now().wall
      #expect(
        try owner.one(.expect(Expectation(.every(day), maxFailures: 2), "reviews")).outcome == .recorded)
      bench.clock.advance(by: .seconds(60))
      try owner.one(.expect(Expectation(.every(day), grace: hour, note: "ask Ann"), "reviews"))
      var expected = FeedExpectation(
        pattern: "reviews",
        expectation: Expectation(.every(day), grace: hour, maxFailures: 2, note: "ask Ann"), since: set)
      #expect(try owner.store.reader.expectations() == [expected])
      try owner.one(.expect(Expectation(.every(hour)), "reviews"))
      expected.expectation.schedule = .every(hour)
      expected.since = bench.clock.now().wall
      #expect(try owner.store.reader.expectations() == [expected], "a new schedule counts from now")
      try owner.one(.expect(Expectation(maxRunning: minute), "other/*"))
      #expect(try owner.store.reader.expectations().map(\.pattern.text) == ["other/*", "reviews"])
      #expect(try owner.one(.clearExpectation("other/*")).outcome == .recorded)
      #expect(try owner.store.reader.expectations() == [expected])
    },

    Case("a feed that is expected by name is known, until the expectation is removed") { bench in
      let owner = try bench.recorder()
      try owner.record(
        .expect(Expectation(.every(day)), "backup/db"), .expect(Expectation(.every(day)), "b*"))
      #expect(try owner.store.reader.feeds() == ["backup/db"], "a pattern makes no feed known")
      #expect(try owner.dates(of: "backup/db") == FeedDates())
      let status = try owner.status(of: "backup/db")
      #expect(status.dueTime == bench.clock.now().wall + day / 1000 && status.problems.isEmpty)
      try owner.one(.clearExpectation("backup/db"))
      #expect(try owner.store.reader.feeds().isEmpty)
      #expect(try owner.store.reader.dates(of: "backup/db") == nil)
      #expect(try owner.store.reader.status(LoadFilter(), runningLimit: nil).feeds.isEmpty)
      try owner.load("backup/db", taking: .seconds(1))
      #expect(try owner.store.reader.feeds() == ["backup/db"])
      #expect(try owner.status(of: "backup/db").expectation?.pattern == "b*")
    },

    Case("a pattern is the same in both encodings") { bench in
      let owner = try bench.recorder()
      try owner.load("caf\u{E9}/menu", taking: .seconds(1))
      for (pattern, failures): (FeedPattern, Int) in [("caf\u{E9}/*", 2), ("cafe\u{301}/*", 3)] {
        try owner.one(.expect(Expectation(maxFailures: failures), pattern))
        #expect(try owner.store.reader.expectations().map(\.expectation.maxFailures) == [failures])
        let status = try owner.store.reader.status(LoadFilter(feeds: [pattern]), runningLimit: nil)
        #expect(status.feeds.map(\.expectation?.expectation.maxFailures) == [failures], "\(pattern.text)")
      }
      #expect(try owner.one(.clearExpectation("caf\u{E9}/*")).outcome == .recorded)
      #expect(try owner.store.reader.expectations().isEmpty)
    },

    Case("an exact name wins, then the pattern with the longest literal beginning") { bench in
      let owner = try bench.recorder()
      for (pattern, failures) in [("*", 9), ("backup/*", 8), ("back*", 7), ("backup/db", 6), ("b*k*db?", 5)] {
        try owner.one(.expect(Expectation(maxFailures: failures), FeedPattern(pattern)))
      }
      try owner.one(.adopt("backup/adopted", lastUpdated: 5))
      for (feed, failures) in [("backup/db", 6), ("backup/db2", 8), ("backend", 7), ("reviews", 9)] {
        try owner.load(Feed(feed), taking: .seconds(1))
        let own = try owner.status(of: Feed(feed)).expectation?.expectation
        #expect(own == Expectation(maxFailures: failures), "\(feed): patterns are not mixed")
      }
      #expect(try owner.status(of: "backup/adopted").expectation == nil, "it has no loads")
    },

    Case("a feed is failing after as many failures in a row as its expectation says") { bench in
      let owner = try bench.recorder()
      try owner.one(.expect(Expectation(maxFailures: 3), "patient"))
      let table: [(Verdict, failures: Int)] = [
        (.succeeded, 0), (.failed("a"), 1), (.cancelled, 1), (.ended, 1), (.failed("b"), 2),
        (.failed("c"), 3),
        (.unchanged, 0), (.failed("d"), 1),
      ]
      for (verdict, failures) in table {
        for feed: Feed in ["patient", "plain"] {
          bench.clock.advance(by: .seconds(5))
          try owner.load(feed, verdict, taking: .seconds(1))
          let status = try owner.status(of: feed)
          #expect(status.failures == failures, "\(feed) after \(verdict)")
          let isFailing = failures >= (feed == "patient" ? 3 : 1)
          #expect(status.problems == (isFailing ? [.failing] : []), "\(feed) after \(verdict)")
        }
      }
      bench.clock.advance(by: .seconds(5))
      let lost = try owner.start("plain")
      #expect(try owner.status(of: "plain").failures == 1, "a load that runs is no failure")
      try owner.one(.abandon(lost, .dropped))
      #expect(try owner.status(of: "plain").problems == [.failing, .unbalanced])
      #expect(try owner.status(of: "plain").failures == 2)
      bench.clock.advance(by: .seconds(5))
      try owner.load("plain", taking: .seconds(1))
      #expect(
        try owner.status(of: "plain").problems == [.unbalanced], "a success clears the crash from checks")
      // Of two loads the one that finished last decides, not the one that started last.
      bench.clock.advance(by: .seconds(5))
      let first = try owner.start("plain")
      bench.clock.advance(by: .seconds(5))
      try owner.load("plain", taking: .seconds(1))
      try owner.one(.finish(first, .failed("last")))
      #expect(try owner.status(of: "plain").failures == 1)
    },

    Case("an acknowledged crash is no failure") { bench in
      let owner = try bench.recorder()
      let id = try owner.start()
      try owner.one(.abandon(id, .dropped))
      #expect(try owner.status(of: "reviews").problems == [.failing, .unbalanced])
      try owner.one(.acknowledge(nil, by: "ann", note: nil))
      #expect(try owner.status(of: "reviews").problems.isEmpty)
      #expect(try owner.status(of: "reviews").failures == 0)
    },

    Case("a load that never finished is the reason until another one fails or succeeds") { bench in
      let owner = try bench.recorder()
      func load(_ verdict: Verdict) throws {
        bench.clock.advance(by: .seconds(5))
        try owner.load("reviews", verdict, taking: .seconds(1))
        bench.clock.advance(by: .seconds(5))
      }
      func lose() throws -> SessionID {
        let id = try owner.start()
        try owner.one(.abandon(id, .dropped))
        return id
      }
      try load(.failed("old"))
      try load(.succeeded)
      let lost = try lose()
      for verdict in [Verdict.cancelled, .ended] {
        try load(verdict)
        #expect(try owner.status(of: "reviews").lostLoad?.id == lost, "after \(verdict)")
      }
      let running = try owner.start()
      let status = try owner.status(of: "reviews")
      #expect(status.lostLoad?.id == lost && status.problems == [.failing, .unbalanced])
      try owner.one(.finish(running, .cancelled))
      try load(.failed("new"))
      #expect(try owner.status(of: "reviews").lostLoad == nil)
      #expect(try owner.status(of: "reviews").failures == 2)
      let later = try lose()
      #expect(try owner.status(of: "reviews").lostLoad?.id == later)
      try owner.one(.acknowledge([later], by: "ann", note: nil))
      #expect(try owner.status(of: "reviews").lostLoad == nil, "the failure is newer than what is left")
      try load(.unchanged)
      #expect(try owner.status(of: "reviews").lostLoad == nil)
      #expect(try owner.status(of: "reviews").problems == [.unbalanced])
    },

    Case("pruning keeps the number of failures in a row", needs: .pruning) { bench in
      let owner = try bench.recorder()
      for verdict in [Verdict.failed("a"), .succeeded, .failed("b"), .failed("c"), .failed("d")] {
        bench.clock.advance(by: .seconds(60))
        try owner.load("reviews", verdict, taking: .seconds(1))
      }
      bench.clock.advance(by: .seconds(60))
      #expect(try owner.store.prune(before: bench.clock.now().wall, limit: 1) == 1)
      #expect(try owner.status(of: "reviews").failures == 3)
      #expect(try owner.store.prune(before: bench.clock.now().wall, limit: 9) == 2)
      #expect(try owner.status(of: "reviews").failures == 3)
      try owner.load("reviews", .failed("e"), taking: .seconds(1))
      #expect(try owner.status(of: "reviews").failures == 4)
      try owner.load("reviews", taking: .seconds(1))
      try owner.load("reviews", .failed("f"), taking: .seconds(1))
      #expect(try owner.status(of: "reviews").failures == 1)
    },

    Case("with an interval a success is due after the start of the last one") { bench in
      let owner = try bench.recorder()
      let set = bench.clock.now().wall
      try owner.one(.expect(Expectation(.every(hour), grace: 10 * minute), "reviews"))
      bench.clock.advance(by: .seconds(70 * 60 - 1))
      #expect(try owner.status(of: "reviews").problems.isEmpty)
      bench.clock.advance(by: .seconds(1))
      var status = try owner.status(of: "reviews")
      #expect(status.problems == [.late] && status.dueTime == set + hour / 1000)
      #expect(status.graceUsed == 10 * minute)
      let started = bench.clock.now().wall
      try owner.load(taking: .seconds(600))
      status = try owner.status(of: "reviews")
      #expect(status.problems.isEmpty && status.dueTime == started + hour / 1000, "it counts from the start")
      bench.clock.advance(by: .seconds(3600))
      try owner.load("reviews", .failed("x"), taking: .seconds(1))
      #expect(try owner.status(of: "reviews").problems == [.failing, .late])
      #expect(try owner.dates().lastSuccessStarted == started)
      #expect(try owner.status(of: "reviews", LoadFilter(since: .max)).problems == [.failing, .late])
    },

    Case("a success that started earlier and ends later takes back nothing") { bench in
      let owner = try bench.recorder()
      try owner.one(.expect(Expectation(.every(hour), grace: minute), "reviews"))
      let slow = try owner.start()
      bench.clock.advance(by: .seconds(60))
      try owner.one(.abandon(owner.start(), .dropped))
      bench.clock.advance(by: .seconds(60))
      let started = bench.clock.now().wall
      try owner.load(taking: .seconds(1))
      #expect(try owner.status(of: "reviews").problems == [.unbalanced])
      bench.clock.advance(by: .seconds(3600))
      try owner.one(.finish(slow, .succeeded))
      let status = try owner.status(of: "reviews")
      #expect(status.problems == [.unbalanced] && status.dueTime == started + hour / 1000)
      #expect(status.dates.lastUpdated == bench.clock.now().wall)
      // The same within a batch.
      let (first, second) = (SessionID(), SessionID())
      try owner.record(.start(first, "batch", message: nil, tag: nil))
      bench.clock.advance(by: .seconds(1))
      let later = bench.clock.now().wall
      try owner.record(
        .start(second, "batch", message: nil, tag: nil), .finish(second, .succeeded),
        .finish(first, .succeeded))
      #expect(try owner.dates(of: "batch").lastSuccessStarted == later)
    },

    Case("a feed is not late while a load runs that is not overrunning") { bench in
      let owner = try bench.recorder()
      try owner.one(.expect(Expectation(.every(hour), grace: minute, maxRunning: 2 * hour), "reviews"))
      bench.clock.advance(by: .seconds(3600))
      _ = try owner.start()
      bench.clock.advance(by: .seconds(2 * 3600))
      #expect(try owner.status(of: "reviews").problems.isEmpty)
      bench.clock.advance(by: .seconds(1))
      #expect(try owner.status(of: "reviews").problems == [.overrunning, .late])
      // Where nothing says how long a load may run, one that hangs makes the feed late at the next due time.
      try owner.one(.expect(Expectation(.every(hour), grace: minute), "hung"))
      bench.clock.advance(by: .seconds(3600))
      _ = try owner.start("hung")
      bench.clock.advance(by: .seconds(3659))
      #expect(try owner.status(of: "hung").problems.isEmpty)
      bench.clock.advance(by: .seconds(1))
      #expect(try owner.status(of: "hung").problems == [.late])
    },

    Case("the default grace is learned, and at most half the interval") { bench in
      let owner = try bench.recorder()
      for feed: Feed in ["daily", "hourly"] {
        for _ in 0..<19 { try owner.load(feed, taking: .seconds(3000)) }
      }
      try owner.one(.expect(Expectation(.every(day)), "daily"))
      try owner.one(.expect(Expectation(.every(hour)), "hourly"))
      #expect(try owner.status(of: "daily").graceUsed == hour)
      #expect(try owner.status(of: "hourly").graceUsed == 30 * minute)
      for feed: Feed in ["daily", "hourly"] { try owner.load(feed, taking: .seconds(3000)) }
      #expect(try owner.status(of: "daily").graceUsed == 3300 * second)
      #expect(try owner.status(of: "hourly").graceUsed == 30 * minute)
      try owner.one(.expect(Expectation(grace: 3 * hour), "hourly"))
      #expect(try owner.status(of: "hourly").graceUsed == 3 * hour)
    },

    Case("a success in the future does not count") { bench in
      let owner = try bench.recorder()
      try owner.one(.expect(Expectation(.every(hour), grace: minute), "reviews"))
      let set = bench.clock.now().wall
      bench.clock.stepWall(by: .seconds(100 * 86_400))
      try owner.load(taking: .seconds(1))
      bench.clock.stepWall(by: .seconds(-100 * 86_400))
      let status = try owner.status(of: "reviews")
      #expect(status.dueTime == set + hour / 1000 && status.problems.isEmpty)
      #expect(status.dates.isSuccessInFuture(at: bench.clock.now().wall))
      bench.clock.advance(by: .seconds(3660))
      #expect(try owner.status(of: "reviews").problems == [.late])
      try owner.load(taking: .seconds(1))
      #expect(try owner.status(of: "reviews").problems.isEmpty)
    },

    Case("a paused expectation finds nothing, and its pause ends by itself") { bench in
      let owner = try bench.recorder()
      try owner.load("reviews", .failed("x"), taking: .seconds(1))
      try owner.one(.expect(Expectation(.every(hour), grace: minute), "reviews"))
      #expect(try owner.status(of: "reviews").problems == [.failing])
      #expect(try owner.one(.pauseExpectation("reviews", duration: 2 * hour)).outcome == .recorded)
      bench.clock.advance(by: .seconds(2 * 3600 - 1))
      #expect(try owner.status(of: "reviews").problems.isEmpty)
      #expect(try owner.status(of: "reviews").isPaused)
      bench.clock.advance(by: .seconds(1))
      #expect(try owner.status(of: "reviews").problems == [.failing, .late])
      #expect(try !owner.status(of: "reviews").isPaused)
      try owner.one(.pauseExpectation("reviews", duration: nil))
      bench.clock.advance(by: .seconds(1_000_000))
      #expect(try owner.status(of: "reviews").isPaused)
      #expect(try owner.one(.resumeExpectation("reviews")).outcome == .recorded)
      #expect(try owner.status(of: "reviews").problems == [.failing, .late])
    },

    Case("an expectation keeps whether a success on any host is enough") { bench in
      let owner = try bench.recorder()
      try owner.one(.expect(Expectation(.every(hour), grace: minute, anywhere: true), "reviews"))
      try owner.one(.expect(Expectation(.every(day), note: "ask Ann"), "reviews"))
      let kept = Expectation(.every(day), grace: minute, anywhere: true, note: "ask Ann")
      #expect(try owner.store.reader.expectations().map(\.expectation) == [kept])
      try owner.one(.expect(Expectation(anywhere: false), "reviews"))
      let one = Expectation(.every(day), grace: minute, note: "ask Ann")
      #expect(try owner.store.reader.expectations().map(\.expectation) == [one])
    },

    Case("one host cannot say that a feed is late if a success on any host is enough", needs: .oneHost) {
      bench in
      let owner = try bench.recorder()
      let expectation = Expectation(.every(hour), grace: minute, maxRunning: 2 * hour, anywhere: true)
      try owner.one(.expect(expectation, "reviews"))
      bench.clock.advance(by: .seconds(2 * 3600))
      var status = try owner.status(of: "reviews")
      #expect(status.problems.isEmpty && status.isJudgedByFleet)
      #expect(status.dueTime == nil && status.graceUsed == nil)
      try owner.load("reviews", .failed("x"), taking: .seconds(1))
      #expect(try owner.status(of: "reviews").problems == [.failing])
      _ = try owner.start()
      bench.clock.advance(by: .seconds(2 * 3600 + 1))
      #expect(try owner.status(of: "reviews").problems == [.overrunning, .failing])
      try owner.one(.expect(Expectation(anywhere: false), "reviews"))
      status = try owner.status(of: "reviews")
      #expect(status.problems == [.overrunning, .failing, .late] && !status.isJudgedByFleet)
    },

    Case("overrunning loads are ordered newest first, whatever their feeds", needs: .exactTimes) { bench in
      let owner = try bench.recorder()
      try owner.one(.expect(Expectation(maxRunning: hour), "*"))
      var ids: [SessionID] = []
      for feed: Feed in ["b", "c", "a", "b"] {
        bench.clock.advance(by: .seconds(60))
        ids.append(try owner.start(feed))
      }
      bench.clock.advance(by: .seconds(3600 - 60))
      func overrunning(_ filter: LoadFilter) throws -> ImbalanceSummary {
        try owner.store.reader.imbalanceSummary(filter)
      }
      #expect(try overrunning(LoadFilter()).overrunning.map(\.load.id) == ids.prefix(2).reversed())
      bench.clock.advance(by: .seconds(120))
      #expect(try overrunning(LoadFilter()).overrunning.map(\.load.id) == ids.reversed())
      #expect(
        try overrunning(LoadFilter(feeds: ["b", "c"])).overrunning.map(\.load.feed) == ["b", "c", "b"])
      let some = try overrunning(LoadFilter(limit: 1))
      #expect(some.overrunning.map(\.load.id) == [ids[3]] && some.missingOverrunning == 3)
      #expect(some.overrunning.first?.limit == hour)
    },

    Case("a load is overrunning by the expectation's own limit", needs: .exactTimes) { bench in
      let owner = try bench.recorder()
      try owner.one(.expect(Expectation(maxRunning: hour), "reviews"))
      _ = try owner.start()
      bench.clock.advance(by: .seconds(3600))
      #expect(try owner.status(of: "reviews").numbers.overrunning == 0)
      bench.clock.advance(by: .nanoseconds(1))
      let status = try owner.status(of: "reviews")
      #expect(status.problems == [.overrunning] && status.runningLimit == hour)
      #expect(
        try owner.store.reader.status(LoadFilter(), runningLimit: 2 * hour).feeds.first?.problems.isEmpty
          == true)
    },
  ]

  private static let second: Int64 = 1_000_000_000, minute = 60 * second, hour = 60 * minute, day = 24 * hour
}

extension ContractRecorder {
  fileprivate func status(of feed: Feed, _ filter: LoadFilter = LoadFilter()) throws -> FeedStatus {
    try #require(try store.reader.status(filter, runningLimit: nil).feeds.first { $0.feed == feed })
  }
}
