import LoadLogCore
import Testing

/// Cases about pushes, pops and resets.
extension LoadStoreContract {
  static let counts: [Case] = [
    Case("a pop without a verdict ends a push and moves no date") { bench in
      let owner = try bench.recorder()
      try owner.push()
      bench.clock.advance(by: .seconds(2))
      let receipt = try owner.one(.pop("network", .ended))
      #expect(receipt.outcome == .finished(.ended, afterVerdict: false) && receipt.duration == 2_000_000_000)
      let load = try #require(try owner.history().first)
      #expect(load.state == .ended && load.isAnonymous && load.duration == 2_000_000_000)
      let dates = try owner.dates(of: "network")
      #expect(dates.lastUpdated == nil && dates.lastChanged == nil && dates.lastVerdict == nil)
      #expect(dates.lastAttempted == load.started.wall)
      let numbers = try owner.numbers(of: "network")
      #expect(numbers.ended == 1 && numbers.duration?.count == 1 && numbers.durationSucceeded == nil)
    },

    Case("a pop can have a verdict") { bench in
      let owner = try bench.recorder()
      try owner.push(times: 2)
      try owner.record(.pop("network", .succeeded), .pop("network", .failed("x")))
      #expect(Set(try owner.history().map(\.state)) == [.succeeded, .failed])
      #expect(try owner.dates(of: "network").lastUpdated == bench.clock.now().wall)
      #expect(try owner.dates(of: "network").lastFailure == "x")
    },

    Case("a pop at 0 is recorded as an extra pop") { bench in
      let owner = try bench.recorder()
      let receipt = try owner.one(.pop("network", .ended), from: "A.swift:3")
      #expect(receipt.outcome == .unmatched(.extraPop) && receipt.feed == "network")
      let row = try #require(try owner.unbalanced().first)
      #expect(row.kind == .unmatchedFinish(.extraPop) && row.feed == "network" && row.session == nil)
      #expect(row.callSite == "A.swift:3" && row.evidence == "count already 0")
      #expect(try owner.store.reader.feeds() == ["network"])
      let numbers = try owner.numbers(of: "network")
      #expect(numbers.unbalanced.extraPop == 1 && numbers.loads == 0 && numbers.duration == nil)
      // An extra pop does not close a later push.
      try owner.push()
      #expect(try owner.numbers(of: "network").running == 1)
    },

    Case("a pop closes the newest push of its own file, or else the newest push") { bench in
      let owner = try bench.recorder()
      for site in ["A.swift:1", "B.swift:1", "A.swift:2", "B.swift:2", "no line"] {
        try owner.one(.push("network"), from: site)
      }
      let table: [(popper: String?, closes: String)] = [
        ("A.swift:99", "A.swift:2"), ("C.swift:1", "no line"), (nil, "B.swift:2"), ("B.swift:1", "B.swift:1"),
        ("B.swift:1", "A.swift:1"),
      ]
      for (popper, closed) in table {
        let before = Set(try owner.history().filter { $0.state == .running }.map(\.callSite))
        try owner.one(.pop("network", .ended), from: popper)
        let after = Set(try owner.history().filter { $0.state == .running }.map(\.callSite))
        #expect(before.subtracting(after) == [closed], "popped by \(popper ?? "no call site")")
      }
      #expect(try owner.one(.pop("network", .ended), from: "A.swift:1").outcome == .unmatched(.extraPop))
    },

    Case("a reset abandons the pushes, and the same number of pops is not unbalanced") { bench in
      let owner = try bench.recorder()
      try owner.push(times: 3)
      bench.clock.advance(by: .seconds(1))
      #expect(try owner.one(.reset(["network"])).count == 3)
      let loads = try owner.history()
      #expect(loads.count == 3 && loads.allSatisfy { $0.state == .abandoned && $0.reason == "reset" })
      #expect(loads.allSatisfy { $0.openAtLeast == 1_000_000_000 && $0.duration == nil })
      #expect(try owner.unbalanced().allSatisfy { $0.isLikely })
      for _ in 0..<2 { #expect(try owner.one(.pop("network", .succeeded)).outcome == .popAfterReset) }
      // A new push is popped before the last pop that the reset allows.
      try owner.push()
      #expect(try owner.one(.pop("network", .ended)).outcome == .finished(.ended, afterVerdict: false))
      #expect(try owner.one(.pop("network", .ended)).outcome == .popAfterReset)
      #expect(try owner.one(.pop("network", .ended)).outcome == .unmatched(.extraPop))
      let numbers = try owner.numbers(of: "network")
      #expect(numbers.popsAfterReset == 3 && numbers.unbalanced.abandoned == 3)
      #expect(numbers.unbalanced.extraPop == 1 && numbers.unbalanced.total == 4)
      #expect(try owner.dates(of: "network").lastUpdated == nil)
      #expect(try owner.one(.reset(["network", "never seen"])).count == 0)
      #expect(try owner.store.reader.feeds() == ["network"])
    },

    Case("a reset of all feeds does not change loads with tokens") { bench in
      let owner = try bench.recorder()
      try owner.push("a", times: 2)
      try owner.push("b")
      let token = try owner.start("a")
      #expect(try owner.one(.reset(nil)).count == 3)
      #expect(try owner.session(token).state == .running)
      #expect(try owner.totals().running == 1)
      // The pops that a reset allows are counted by feed.
      #expect(try owner.one(.pop("b", .ended)).outcome == .popAfterReset)
      #expect(try owner.one(.pop("b", .ended)).outcome == .unmatched(.extraPop))
      #expect(try owner.one(.pop("a", .ended)).outcome == .popAfterReset)
    },

    Case("a library owner pops and resets only its own pushes", needs: .sharing) { bench in
      let owner = try bench.recorder()
      let other = try bench.recorder(in: bench.processes.another())
      try owner.push()
      #expect(try other.one(.pop("network", .ended)).outcome == .unmatched(.extraPop))
      #expect(try other.one(.reset(["network"])).count == 0)
      #expect(try other.one(.reset(nil)).count == 0)
      #expect(try owner.one(.reset(nil)).count == 1)
      #expect(try other.one(.pop("network", .ended)).outcome == .unmatched(.extraPop))
      #expect(try owner.one(.pop("network", .ended)).outcome == .popAfterReset)
    },

    Case("a command-line owner pops and resets the pushes of any owner", needs: .sharing) { bench in
      let library = try bench.recorder()
      let script = try bench.recorder(.given, in: bench.processes.another())
      let other = try bench.recorder(.detached, in: bench.processes.another())
      try library.push()
      #expect(try script.one(.push("network")).count == 2)
      #expect(try other.one(.pop("network", .ended)).count == 1)
      #expect(try other.one(.pop("network", .ended)).count == 0)
      #expect(try other.one(.pop("network", .ended)).outcome == .unmatched(.extraPop))
      try script.push(times: 2)
      #expect(try other.one(.reset(["network"])).count == 2)
      #expect(try other.one(.pop("network", .ended)).outcome == .popAfterReset)
    },
  ]
}
