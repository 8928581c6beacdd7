import LoadLogCore
import Testing

/// Cases about the time that indicators displayed loads.
extension LoadStoreContract {
  static let shown: [Case] = [
    Case("the display times of a load are recorded and added up", needs: .details) { bench in
      let owner = try bench.recorder()
      let (id, other) = (try owner.load(taking: .seconds(1)), try owner.load(taking: .seconds(1)))
      #expect(try owner.session(id).visibleTime == nil && owner.session(id).suppressedShows == nil)
      #expect(try owner.one(.shown(id, "reviews", visible: 800, suppressed: 1)).outcome == .recorded)
      #expect(try owner.session(id).visibleTime == 800 && owner.session(id).suppressedShows == 1)
      try owner.record(
        .shown(id, "reviews", visible: 200, suppressed: 0), .shown(id, "reviews", visible: 0, suppressed: 2))
      let load = try owner.session(id)
      #expect(load.visibleTime == 1000 && load.suppressedShows == 3)
      #expect(load.state == .succeeded && load.duration == 1_000_000_000)
      #expect(try owner.session(other).visibleTime == nil)
      #expect(try owner.history().first { $0.id == id } == load)
      // Sums do not overflow, and negative times count as 0.
      try owner.record(
        .shown(id, "reviews", visible: .max, suppressed: .max),
        .shown(id, "reviews", visible: .min, suppressed: .min))
      #expect(try owner.session(id).visibleTime == .max && owner.session(id).suppressedShows == .max)
    },

    Case("the display time of a push belongs to the push that was popped last") { bench in
      let owner = try bench.recorder()
      for site in ["A.swift:1", "B.swift:1"] { try owner.one(.push("network"), from: site) }
      try owner.push("other")
      try owner.one(.pop("network", .ended), from: "A.swift:2")
      try owner.record(.shown(nil, "network", visible: 5, suppressed: 0), .pop("network", .ended))
      try owner.record(.pop("network", .ended), .shown(nil, "network", visible: 7, suppressed: 1))
      func load(_ site: String) throws -> LoadingSession? {
        try owner.history().first { $0.callSite == site }
      }
      #expect(try load("A.swift:1")?.visibleTime == 5 && load("A.swift:1")?.suppressedShows == 0)
      #expect(try load("B.swift:1")?.visibleTime == 7 && load("B.swift:1")?.suppressedShows == 1)
      try owner.record(.reset(nil), .shown(nil, "other", visible: 9, suppressed: 0))
      #expect(try owner.history().first { $0.feed == "other" }?.visibleTime == 9)
    },

    Case("the display time of a push is recorded after the store was reopened", needs: .sharing) { bench in
      let owner = try bench.recorder()
      try owner.push()
      bench.clock.advance(by: .seconds(1))
      try owner.push()
      let running = try #require(try owner.history().last)
      try owner.one(.pop("network", .ended))
      try owner.reopen()
      try owner.one(.shown(nil, "network", visible: 5, suppressed: 0))
      #expect(try owner.history().map(\.visibleTime) == [5, nil])
      #expect(try owner.session(running.id).state == .running)
    },

    Case("the display time of an unknown load is ignored") { bench in
      let owner = try bench.recorder()
      let id = try owner.load(taking: .seconds(1))
      let receipts = try owner.record(
        .shown(SessionID(), "reviews", visible: 5, suppressed: 0),
        .shown(nil, "reviews", visible: 5, suppressed: 0),
        .shown(nil, "never seen", visible: 5, suppressed: 0))
      #expect(receipts.map(\.outcome) == [.nothing, .nothing, .nothing])
      #expect(try owner.session(id).visibleTime == nil)
      #expect(try owner.store.reader.feeds() == ["reviews"])
    },

    Case("the display time of a push that was pruned is ignored", needs: .pruning) { bench in
      let owner = try bench.recorder()
      try owner.one(.push("network"), from: "A.swift:1")
      bench.clock.advance(by: .seconds(1))
      try owner.one(.push("network"), from: "B.swift:1")
      try owner.one(.pop("network", .ended), from: "A.swift:2")
      bench.clock.advance(by: .seconds(1))
      #expect(try owner.store.prune(before: bench.clock.now().wall, limit: 9) == 1)
      #expect(try owner.one(.shown(nil, "network", visible: 5, suppressed: 0)).outcome == .nothing)
    },

    Case("an extra pop is recorded whatever the count is") { bench in
      let owner = try bench.recorder()
      try owner.push()
      #expect(
        try owner.one(.extraPop("network", .ended), from: "A.swift:3").outcome == .unmatched(.extraPop))
      let row = try #require(try owner.unbalanced().first)
      #expect(row.kind == .unmatchedFinish(.extraPop) && row.callSite == "A.swift:3" && row.feed == "network")
      #expect(try owner.numbers(of: "network").running == 1)
      // It does not use up a pop that a reset allows.
      try owner.record(.reset(nil), .extraPop("network", .ended))
      #expect(try owner.one(.pop("network", .ended)).outcome == .popAfterReset)
      #expect(try owner.numbers(of: "network").unbalanced.extraPop == 2)
    },
  ]
}
