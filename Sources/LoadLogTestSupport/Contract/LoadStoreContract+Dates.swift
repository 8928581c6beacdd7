import LoadLogCore
import Testing

/// Cases about the dates of each feed.
extension LoadStoreContract {
  static let dates: [Case] = [
    Case("each verdict moves only its own dates") { bench in
      let owner = try bench.recorder()
      var expected = FeedDates()
      let table: [(Verdict, (inout FeedDates, Int64) -> Void)] = [
        (.cancelled, { _, _ in }), (.ended, { _, _ in }),
        (
          .failed("first"),
          {
            $0.lastFailed = $1
            $0.lastFailure = "first"
            $0.lastVerdict = .failed
          }
        ),
        (
          .succeeded,
          {
            $0.lastUpdated = $1
            $0.lastChanged = $1
            $0.lastSuccessStarted = $1 - 1_000_000
            $0.lastVerdict = .succeeded
          }
        ),
        (
          .unchanged,
          {
            $0.lastUpdated = $1
            $0.lastSuccessStarted = $1 - 1_000_000
            $0.lastVerdict = .unchanged
          }
        ),
        (
          .failed(nil),
          {
            $0.lastFailed = $1
            $0.lastFailure = nil
            $0.lastVerdict = .failed
          }
        ),
        (.cancelled, { _, _ in }),
      ]
      for (verdict, change) in table {
        bench.clock.advance(by: .seconds(10))
        expected.lastAttempted = bench.clock.now().wall
        try owner.load("reviews", verdict, taking: .seconds(1))
        change(&expected, bench.clock.now().wall)
        #expect(try owner.dates() == expected, "after \(verdict)")
      }
      let id = try owner.start()
      expected.lastAttempted = bench.clock.now().wall
      try owner.one(.abandon(id, .dropped))
      #expect(try owner.dates() == expected)
      let status = try owner.store.reader.status(LoadFilter(since: .max), runningLimit: nil)
      #expect(status.feeds.first?.dates == expected, "dates ignore the window")
    },

    Case("last means last committed, so a clock set back does not freeze a date") { bench in
      let owner = try bench.recorder()
      try owner.load(taking: .seconds(1))
      bench.clock.stepWall(by: .seconds(-86_400))
      try owner.load(taking: .seconds(1))
      let dates = try owner.dates()
      #expect(dates.lastUpdated == bench.clock.now().wall)
      #expect(dates.lastAttempted == bench.clock.now().wall - 1_000_000)
      #expect(dates.lastSuccessStarted == dates.lastAttempted)
    },

    Case("a late finish moves its dates") { bench in
      let owner = try bench.recorder()
      let id = try owner.start()
      try owner.one(.abandon(id, .dropped))
      bench.clock.advance(by: .seconds(5))
      try owner.one(.finish(id, .succeeded))
      #expect(try owner.dates().lastUpdated == bench.clock.now().wall)
      #expect(try owner.dates().lastChanged == bench.clock.now().wall)
    },

    Case("an adopted date is valid until the first success") { bench in
      let owner = try bench.recorder()
      #expect(try owner.one(.adopt("reviews", lastUpdated: 1000)).outcome == .recorded)
      #expect(try owner.one(.adopt("reviews", lastUpdated: 2000)).outcome == .recorded)
      #expect(try owner.dates().lastUpdated == 2000)
      #expect(try owner.dates().lastChanged == nil && owner.dates().lastAttempted == nil)
      try owner.load("reviews", .failed("x"), taking: .seconds(1))
      #expect(try owner.dates().lastUpdated == 2000)
      try owner.load("reviews", .unchanged, taking: .seconds(1))
      let updated = bench.clock.now().wall
      #expect(try owner.dates().lastUpdated == updated)
      bench.clock.advance(by: .seconds(1))
      #expect(try owner.one(.adopt("reviews", lastUpdated: 3000)).outcome == .nothing)
      #expect(try owner.dates().lastUpdated == updated)
      // Within a batch the order of the events decides, too.
      let id = SessionID()
      try owner.record(
        .start(id, "other", message: nil, tag: nil), .finish(id, .succeeded), .adopt("other", lastUpdated: 1))
      #expect(try owner.dates(of: "other").lastUpdated == bench.clock.now().wall)
    },

    Case("an unknown feed has no dates") { bench in
      let owner = try bench.recorder()
      #expect(try owner.store.reader.dates(of: "reviews") == nil)
      _ = try owner.start("reviews")
      #expect(try owner.store.reader.dates(of: "review") == nil)
    },
  ]
}
