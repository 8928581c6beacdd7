import LoadLogCore
import Testing

/// Cases about batches, event numbers and the right to write.
extension LoadStoreContract {
  static let writing: [Case] = [
    Case("a batch that is retried adds nothing twice") { bench in
      let owner = try bench.recorder()
      let id = SessionID()
      let batch = [
        owner.number(.push("network")), owner.number(.start(id, "reviews", message: nil, tag: nil)),
        owner.number(.pop("network", .ended)), owner.number(.pop("network", .ended)),
      ]
      let first = try owner.commit(batch)
      #expect(
        first.map(\.outcome) == [
          .recorded, .recorded, .finished(.ended, afterVerdict: false), .unmatched(.extraPop),
        ])
      let (loads, unbalanced) = (try owner.history(), try owner.unbalanced())
      #expect(try owner.commit(batch).map(\.outcome) == Array(repeating: .repeated, count: 4))
      let more = owner.number(.finish(id, .succeeded))
      #expect(
        try owner.commit(Array(batch.suffix(2)) + [more]).map(\.outcome) == [
          .repeated, .repeated, .finished(.succeeded, afterVerdict: false),
        ])
      #expect(try owner.history().count == loads.count && owner.unbalanced() == unbalanced)
      #expect(try owner.dates().lastUpdated == bench.clock.now().wall)
    },

    Case("owners that alternate on a feed keep their own event numbers", needs: .sharing) { bench in
      let apps = [bench.processes.another(), bench.processes.another()]
      let owners = try apps.map { try bench.recorder(in: $0) }
      let feed: Feed = "reviews"
      var (last, ids) = ([[NumberedEvent]](repeating: [], count: 2), [SessionID]())
      // Each owner sees rows that the other has changed, first alternately, then in longer runs.
      for turn in 0..<4 {
        let owner = owners[turn % 2]
        if turn < 2 { ids.append(try owner.start(feed)) }
        for _ in 0..<3 {
          bench.clock.advance(by: .seconds(1))
          last[turn % 2] = [owner.number(.push(feed))]
          #expect(try owner.commit(last[turn % 2]).map(\.outcome) == [.recorded])
        }
      }
      apps.forEach { $0.kill() }
      let reader = try bench.recorder(.detached, in: bench.processes.another())
      #expect(try ids.map { try reader.session($0).openAtLeast } == [9_000_000_000, 9_000_000_000])
      for (owner, batch) in zip(owners, last) {
        try owner.reopen()
        #expect(try owner.commit(batch).map(\.outcome) == [.repeated])
      }
      #expect(try reader.numbers(of: feed).loads == 14)
    },

    Case("the first of two owners' verdicts stands", needs: .sharing) { bench in
      let owner = try bench.recorder()
      let other = try bench.recorder(.detached, in: bench.processes.another())
      let id = try owner.start()
      #expect(try other.one(.finish(id, .failed("x"))).outcome == .finished(.failed, afterVerdict: false))
      #expect(try owner.one(.finish(id, .succeeded)).outcome == .unmatched(.duplicateFinish))
      #expect(try owner.session(id).state == .failed && owner.unbalanced().count == 1)
    },

    Case("event numbers can have gaps") { bench in
      let owner = try bench.recorder()
      for number: Int64 in [5, 6, 100] {
        let event = NumberedEvent(number: number, event: LoadEvent(.push("network"), at: bench.clock.now()))
        #expect(try owner.commit([event]).map(\.outcome) == [.recorded])
      }
      let stale = NumberedEvent(number: 99, event: LoadEvent(.push("network"), at: bench.clock.now()))
      #expect(try owner.commit([stale]).map(\.outcome) == [.repeated])
      #expect(try owner.numbers(of: "network").running == 3)
    },

    Case("only one owner at a time has the right to write", needs: .sharing) { bench in
      let owner = try bench.recorder()
      let other = try bench.recorder(in: bench.processes.another())
      try #require(try owner.store.begin(waiting: false))
      #expect(try !other.store.begin(waiting: false))
      // Reading does not need the right to write.
      #expect(try other.store.reader.feeds().isEmpty)
      _ = try owner.store.commit([owner.number(.push("network"))], dropped: 0)
      try #require(try other.store.begin(waiting: false))
      other.store.abort()
      try #require(try owner.store.begin(waiting: false))
      owner.store.abort()
      #expect(try other.numbers(of: "network").running == 1)
    },

    Case("an aborted turn writes nothing") { bench in
      let owner = try bench.recorder()
      try #require(try owner.store.begin(waiting: true))
      owner.store.abort()
      try owner.push()
      #expect(try owner.totals().loads == 1)
      #expect(try owner.one(.push("network")).outcome == .recorded)
    },

    Case("a question after the store was closed is answered, or throws") { bench in
      let owner = try bench.recorder()
      try owner.push()
      let reader = owner.store.reader
      try owner.close()
      if let feeds = try? reader.feeds() { #expect(feeds == ["network"]) }
    },

    Case("dropped events are counted for their owner") { bench in
      let owner = try bench.recorder()
      _ = try owner.commit([owner.number(.push("network"))], dropped: 3)
      _ = try owner.commit([owner.number(.push("network"))], dropped: 4)
      #expect(try owner.history().map(\.owner.dropped) == [7, 7])
    },

    Case("the events of a batch are applied in order") { bench in
      let owner = try bench.recorder()
      let id = SessionID()
      let receipts = try owner.record(
        .start(id, "reviews", message: nil, tag: nil), .update(id, message: "a"), .update(id, message: "b"),
        .push("network"), .reset(["network"]), .pop("network", .ended), .pop("network", .ended),
        .finish(id, .failed("x")), .finish(id, .succeeded), .start(id, "reviews", message: nil, tag: nil))
      #expect(
        receipts.map(\.outcome) == [
          .recorded, .recorded, .recorded, .recorded, .recorded, .popAfterReset, .unmatched(.extraPop),
          .finished(.failed, afterVerdict: false), .unmatched(.duplicateFinish), .known,
        ])
      #expect(try owner.session(id).message == "b" && owner.session(id).reason == "x")
    },
  ]
}
