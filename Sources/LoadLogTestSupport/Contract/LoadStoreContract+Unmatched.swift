import LoadLogCore
import Testing

/// Cases about finishes that match no open load, and about acknowledgements.
extension LoadStoreContract {
  static let unmatched: [Case] = [
    Case("a finish of an unknown id is an orphan without a feed") { bench in
      let owner = try bench.recorder()
      try owner.load(taking: .seconds(1))
      let id = SessionID()
      let receipt = try owner.one(.finish(id, .failed("x")), from: "A.swift:7")
      #expect(receipt.outcome == .unmatched(.orphanFinish) && receipt.feed == nil)
      let row = try #require(try owner.unbalanced().first)
      #expect(row.kind == .unmatchedFinish(.orphanFinish) && row.feed == nil && row.session == id)
      #expect(row.callSite == "A.swift:7" && row.at == bench.clock.now().wall && row.id != id)
      #expect(try owner.numbers(of: "reviews").unbalanced.total == 0)
      let totals = try owner.totals()
      #expect(totals.unbalanced.orphanFinish == 1 && totals.unbalanced.total == 1 && totals.loads == 1)
      let selected = try owner.store.reader.status(LoadFilter(feeds: ["reviews"]), runningLimit: nil).totals
      #expect(selected.unbalanced.total == 0)
      #expect(try owner.store.reader.unbalanced(LoadFilter(feeds: ["*"])).isEmpty)
      #expect(try owner.store.reader.feeds() == ["reviews"])
    },

    Case("an orphan is joined with its start, and further orphans become duplicates") { bench in
      let owner = try bench.recorder()
      // A load that started before there was an orphan.
      try owner.one(.start(SessionID(), "cache", message: nil, tag: nil))
      let id = SessionID()
      try owner.one(.finish(id, .failed("first")))
      try owner.one(.finish(id, .succeeded))
      #expect(try owner.totals().unbalanced.orphanFinish == 2)
      bench.clock.advance(by: .seconds(1))
      let receipt = try owner.one(.start(id, "reviews", message: "m", tag: nil))
      #expect(receipt.outcome == .finished(.failed, afterVerdict: false) && receipt.duration == 0)
      let load = try owner.session(id)
      #expect(
        load.state == .failed && load.reason == "first" && load.duration == 0 && !load.isFinishedAfterVerdict)
      let left = try owner.unbalanced()
      #expect(left.map(\.kind) == [.unmatchedFinish(.duplicateFinish)])
      #expect(left.first?.feed == "reviews")
      let counts = try owner.numbers(of: "reviews").unbalanced
      #expect(counts.duplicateFinish == 1 && counts.total == 1)
      #expect(try owner.totals().unbalanced.orphanFinish == 0)
      #expect(try owner.dates().lastFailure == "first")
    },

    Case("a start with an earlier time than its orphan has a duration") { bench in
      let owner = try bench.recorder()
      let id = SessionID()
      let start = owner.number(.start(id, "reviews", message: nil, tag: nil))
      bench.clock.advance(by: .seconds(3))
      let finish = owner.number(.finish(id, .succeeded))
      let renumbered = NumberedEvent(number: finish.number + 1, event: start.event)
      let receipts = try owner.commit([finish, renumbered])
      #expect(
        receipts.map(\.outcome) == [.unmatched(.orphanFinish), .finished(.succeeded, afterVerdict: false)])
      #expect(try owner.session(id).duration == 3_000_000_000)
      #expect(try owner.totals().unbalanced.total == 0)
    },

    Case("an acknowledged imbalance stays and raises no more alarms") { bench in
      let owner = try bench.recorder()
      let dropped = try owner.start()
      try owner.record(.abandon(dropped, .dropped), .pop("network", .ended), .finish(SessionID(), .succeeded))
      let running = try owner.start()
      #expect(try owner.totals().unbalanced.unacknowledged == 3)
      #expect(try owner.one(.acknowledge([running, SessionID()], by: "me", note: nil)).count == 0)
      #expect(try owner.one(.acknowledge([dropped], by: "me", note: "fixed in 2.3")).count == 1)
      #expect(try owner.one(.acknowledge([dropped], by: "you", note: nil)).count == 0)
      let expected = Acknowledgement(at: bench.clock.now().wall, by: "me", note: "fixed in 2.3")
      #expect(try owner.session(dropped).acknowledgement == expected)
      #expect(try owner.unbalanced().first { $0.id == dropped }?.acknowledgement == expected)
      #expect(try owner.totals().unbalanced.unacknowledged == 2)
      #expect(try owner.one(.acknowledge(nil, by: "all", note: nil)).count == 2)
      let counts = try owner.totals().unbalanced
      #expect(counts.unacknowledged == 0 && counts.total == 3)
      #expect(try owner.unbalanced().allSatisfy { $0.acknowledgement != nil })
      #expect(try owner.store.reader.status(LoadFilter(), runningLimit: nil).callSites.isEmpty)
      try owner.record(.pop("network", .ended))
      #expect(try owner.totals().unbalanced.unacknowledged == 1)
    },

    Case("call sites are ordered by their number of imbalances") { bench in
      let owner = try bench.recorder()
      for _ in 0..<2 { try owner.one(.pop("network", .ended), from: "Cache.swift:117") }
      for _ in 0..<3 {
        bench.clock.advance(by: .seconds(1))
        let id = try owner.start("reviews", from: "View.swift:42")
        try owner.one(.abandon(id, .dropped))
      }
      let last = bench.clock.now().wall
      try owner.one(.push("network"), from: "Uploader.swift:88")
      try owner.one(.reset(["network"]))
      let sites = try owner.store.reader.status(LoadFilter(), runningLimit: nil).callSites
      #expect(sites.map(\.callSite) == ["View.swift:42", "Cache.swift:117", "Uploader.swift:88"])
      #expect(sites.map(\.count) == [3, 2, 1] && sites.map(\.isLikely) == [false, false, true])
      #expect(sites.map(\.kind.word) == ["abandoned", "extra_pop", "abandoned"])
      #expect(sites.map(\.feed) == ["reviews", "network", "network"] && sites.first?.last == last)
    },
  ]
}
