import LoadLogCore
import Testing

/// Cases about lists, filters and ids.
extension LoadStoreContract {
  static let questions: [Case] = [
    Case("feeds are ordered by name") { bench in
      let owner = try bench.recorder()
      _ = try owner.start("reviews")
      try owner.push("b/2")
      try owner.record(.pop("Zoo", .ended), .adopt("éa", lastUpdated: 5), .push("apps/42/reviews"))
      let names = ["Zoo", "apps/42/reviews", "b/2", "reviews", "éa"]
      #expect(try owner.store.reader.feeds().map(\.name) == names)
      #expect(try owner.store.reader.status(LoadFilter(), runningLimit: nil).feeds.map(\.feed.name) == names)
      // Both encodings of the name are one feed.
      try owner.push("e\u{301}a")
      #expect(try owner.store.reader.feeds().count == 5)
    },

    Case("history is ordered newest first, and the limit does not change the total") { bench in
      let owner = try bench.recorder()
      var ids: [SessionID] = []
      for _ in 0..<5 {
        ids.append(try owner.start())
        bench.clock.advance(by: .seconds(1))
      }
      for limit in [nil, 0, 1, 3, 5, 9] {
        let page = try owner.store.reader.history(LoadFilter(limit: limit))
        #expect(page.loads.map(\.id) == Array(ids.reversed().prefix(limit ?? 5)))
        #expect(page.total == 5)
      }
      // Of two loads that start at the same instant, the one committed later is newer.
      let twins = [try owner.start(), try owner.start()]
      #expect(try owner.store.reader.history(LoadFilter(limit: 2)).loads.map(\.id) == twins.reversed())
      for id in ids { try owner.one(.abandon(id, .dropped)) }
      #expect(
        try owner.store.reader.unbalanced(LoadFilter(limit: 2)).map(\.id) == Array(ids.reversed().prefix(2)))
    },

    Case("history filters by state and feed") { bench in
      let owner = try bench.recorder()
      try owner.load("feeds/news", .succeeded, taking: .seconds(1))
      try owner.load("feeds/news", .failed("x"), taking: .seconds(1))
      try owner.load("reviews", .unchanged, taking: .seconds(1))
      try owner.push("network")
      let table: [(LoadFilter, Int)] = [
        (LoadFilter(states: [.failed]), 1), (LoadFilter(states: [.failed, .succeeded]), 2),
        (LoadFilter(states: [.running]), 1), (LoadFilter(states: [.crashed]), 0),
        (LoadFilter(feeds: ["feeds/*"]), 2), (LoadFilter(feeds: ["*news", "network"]), 3),
        (LoadFilter(feeds: ["news"]), 0), (LoadFilter(feeds: ["feeds/news"], states: [.failed]), 1),
        (LoadFilter(feeds: ["????????"]), 0), (LoadFilter(feeds: ["???????"]), 2),
      ]
      for (filter, count) in table {
        let page = try owner.store.reader.history(filter)
        #expect(page.total == count && page.loads.count == count, "\(filter)")
      }
      let status = try owner.store.reader.status(LoadFilter(feeds: ["*r*"]), runningLimit: nil)
      #expect(status.feeds.map(\.feed) == ["network", "reviews"])
    },

    Case("history filters by tag, text and duration") { bench in
      let owner = try bench.recorder()
      let since = bench.clock.now().wall
      let ids = [
        try owner.start("a", message: "Loading ÉTÉ 100 %", tag: "warm"), try owner.start("b", tag: "warm"),
        try owner.start("b", message: "loading"), try owner.start("a"),
      ]
      bench.clock.advance(by: .seconds(2))
      try owner.record(.finish(ids[0], .succeeded), .finish(ids[1], .failed("Connection refused")))
      bench.clock.advance(by: .seconds(1))
      try owner.one(.abandon(ids[2], .dropped))
      let table: [(LoadFilter, [Int])] = [
        (LoadFilter(tag: "warm"), [1, 0]), (LoadFilter(tag: "war"), []), (LoadFilter(tag: "cold"), []),
        (LoadFilter(feeds: ["b"], tag: "warm"), [1]), (LoadFilter(states: [.failed], tag: "warm"), [1]),
        (LoadFilter(text: "LOADING"), [2, 0]), (LoadFilter(text: "été"), [0]), (LoadFilter(text: "0 %"), [0]),
        (LoadFilter(text: "_"), []), (LoadFilter(text: "refused"), [1]),
        (LoadFilter(tag: "warm", text: "x"), []),
        (LoadFilter(text: "dropped"), [2]), (LoadFilter(tag: "warm", text: "loading"), [0]),
        (LoadFilter(minimumDuration: 2_000_000_000), [3, 2, 1, 0]),
        (LoadFilter(minimumDuration: 3_000_000_000), [3, 2]),
        (LoadFilter(minimumDuration: 3_000_000_001), []),
        (LoadFilter(states: [.running], minimumDuration: 3_000_000_000), [3]),
        (LoadFilter(since: since + 2_500_000, tag: "warm"), []),
        (LoadFilter(since: since + 2_500_000, text: "loading"), [2]),
      ]
      for (filter, found) in table {
        var filter = filter
        for limit in [nil, 1] {
          filter.limit = limit
          let page = try owner.store.reader.history(filter)
          #expect(page.loads.map(\.id) == found.prefix(limit ?? 9).map { ids[$0] }, "\(filter)")
          #expect(page.total == found.count, "\(filter)")
        }
      }
    },

    Case("lists contain loads that overlap the window") { bench in
      let owner = try bench.recorder()
      let zero = bench.clock.now().wall
      let hung = try owner.start()
      bench.clock.advance(by: .seconds(10))
      try owner.one(.abandon(hung, .dropped))
      let still = try owner.start()
      bench.clock.advance(by: .seconds(10))
      let point = try owner.start()
      try owner.one(.finish(point, .succeeded))
      let table: [(since: Int64, until: Int64, found: [SessionID])] = [
        (0, 1, [hung]), (5, 6, [hung]), (9, 11, [still, hung]), (10, 11, [still]), (12, 15, [still]),
        (20, 21, [point]), (19, 21, [point, still]), (-9, 0, []), (21, 30, []),
      ]
      for row in table {
        let filter = LoadFilter(since: zero + row.since * 1_000_000, until: zero + row.until * 1_000_000)
        #expect(
          try owner.store.reader.history(filter).loads.map(\.id) == row.found,
          "\(row.since) to \(row.until) s")
        let isThere = row.found.contains(hung)
        #expect(try owner.store.reader.unbalanced(filter).map(\.id) == (isThere ? [hung] : []))
      }
    },

    Case("the loads of a window are ordered by start, however long they take") { bench in
      let owner = try bench.recorder()
      let long = try owner.start("slow")
      bench.clock.advance(by: .seconds(10))
      try owner.load("quick", taking: .seconds(1))
      let hung = try owner.start("quick")
      bench.clock.advance(by: .seconds(89))
      try owner.one(.finish(long, .succeeded))
      var filter = LoadFilter(since: bench.clock.now().wall - 1_000_000)
      for limit in [nil, 1] {
        filter.limit = limit
        for (isUp, ids) in [(false, [hung, long]), (true, [long, hung])] {
          filter.oldestFirst = isUp
          let page = try owner.store.reader.history(filter)
          #expect(page.loads.map(\.id) == Array(ids.prefix(limit ?? 2)) && page.total == 2, "\(filter)")
        }
      }
    },

    Case("a load can be found by the end of its id") { bench in
      let owner = try bench.recorder()
      let texts = ["01a1f90f-9824-7b1e-a0d2-55e9241b6c1e", "01a1f90f-9824-7b1e-a0d2-55e9241b7c1e"]
      let ids = try texts.map { try #require(SessionID($0)) }
      for id in ids { try owner.one(.start(id, "reviews", message: nil, tag: nil)) }
      let table: [(String, [SessionID])] = [
        ("6c1e", [ids[0]]), ("b6C1E", [ids[0]]), (texts[1], [ids[1]]), (texts[1].uppercased(), [ids[1]]),
        ("c1e", ids), ("", []), ("-", []), ("xyz", []), ("%", []), ("6c1f", []), ("0" + texts[0], []),
        (texts[0].filter { $0 != "-" }, [ids[0]]), ("٣", []), ("６ｃ１ｅ", []),
        (String(repeating: "６", count: 32), []),
      ]
      for (tail, found) in table {
        #expect(Set(try owner.store.reader.loads(endingIn: tail).map(\.id)) == Set(found), "\(tail)")
      }
    },

    Case("successes are ordered newest first") { bench in
      let owner = try bench.recorder()
      var finishes: [Int64] = []
      for verdict in [Verdict.succeeded, .failed("x"), .unchanged, .ended, .succeeded] {
        try owner.load("reviews", verdict, taking: .seconds(1))
        if verdict.state.isSuccess { finishes.insert(bench.clock.now().wall, at: 0) }
      }
      #expect(try owner.store.reader.successes(of: ["reviews"], limit: 9) == ["reviews": finishes])
      try owner.load("images", taking: .seconds(1))
      let found = try owner.store.reader.successes(of: ["images", "reviews", "nothing"], limit: 2)
      #expect(
        found == ["images": [bench.clock.now().wall], "reviews": Array(finishes.prefix(2)), "nothing": []])
    },

    Case("all reads of an empty record succeed") { bench in
      let owner = try bench.recorder()
      let store = owner.store
      #expect(try store.reader.feeds().isEmpty)
      #expect(try store.reader.history(LoadFilter()) == LoadPage(loads: [], total: 0))
      #expect(try store.reader.unbalanced(LoadFilter()).isEmpty)
      let status = try store.reader.wholeStatus(LoadFilter())
      #expect(status.feeds.isEmpty && status.callSites.isEmpty && status.firstStart == nil)
      #expect(status.totals.loads == 0 && status.totals.busy ?? 0 == 0 && status.totals.duration == nil)
      #expect(status.generated == bench.clock.now().wall)
    },
  ]
}
