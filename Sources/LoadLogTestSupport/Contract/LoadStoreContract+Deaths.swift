import LoadLogCore
import Testing

/// Cases about dead owners and the verdicts on their loads.
extension LoadStoreContract {
  static let deaths: [Case] = [
    Case("the loads of a dead owner are crashed for all readers", needs: .sharing) { bench in
      for zombie in [false, true] {
        let app = bench.processes.another()
        let owner = try bench.recorder(in: app)
        let id = try owner.start("reviews", from: "View.swift:42")
        try owner.push()
        bench.clock.advance(by: .seconds(4))
        try owner.load(taking: .seconds(1))
        app.kill(leavingZombie: zombie)
        bench.clock.advance(by: .seconds(3600))
        let reader = try bench.recorder(.detached, in: bench.processes.another())
        let load = try reader.session(id)
        #expect(load.state == .crashed && load.shownState == .crashed && load.reason == nil)
        #expect(load.duration == nil && load.finished == nil)
        #expect(load.openAtLeast == 5_000_000_000, "open until its owner's last commit at least")
        let word = zombie ? "a zombie" : "gone"
        #expect(load.evidence == "pid \(app.current.pid) is \(word)")
        let row = try #require(try reader.unbalanced().first { $0.id == id })
        #expect(row.kind == .unfinishedStart(.crashed) && row.evidence == load.evidence)
        #expect(row.callSite == "View.swift:42" && !row.isLikely)
        let hours = try reader.store.reader.hours(LoadFilter(feeds: ["reviews"]))
        #expect(hours.first?.numbers.unbalanced.crashed == 1 && hours.first?.numbers.running == 0)
        try judge(reader, bench, expecting: [.crashed: 2])
        #expect(try reader.numbers(of: "reviews").running == 0)
      }
    },

    Case("after a boot the loads of older boots are rebooted", needs: .sharing) { bench in
      let owner = try bench.recorder()
      let id = try owner.start()
      bench.clock.advance(by: .seconds(2))
      try owner.push()
      owner.store.close(finally: false)
      bench.locks.set(.free)
      bench.processes.reboot()
      bench.clock.reboot()
      let reader = try bench.recorder(.detached, in: bench.processes.another())
      let load = try reader.session(id)
      #expect(load.state == .rebooted && load.openAtLeast == 2_000_000_000 && load.finished == nil)
      try judge(reader, bench, expecting: [.rebooted: 2])
      bench.clock.advance(by: .seconds(8))
      let receipt = try reader.one(.finish(id, .succeeded))
      #expect(receipt.outcome == .finished(.succeeded, afterVerdict: true))
      let late = try reader.session(id)
      #expect(late.durationSource == .wall && late.duration == 70_000_000_000 && late.clockJump == nil)
    },

    Case("a live owner that has released its lock has abandoned its loads", needs: .sharing) { bench in
      let owner = try bench.recorder(in: bench.processes.another())
      let id = try owner.start()
      let reader = try bench.recorder(.detached)
      #expect(try reader.session(id).state == .running)
      bench.locks.set(.free)
      let load = try reader.session(id)
      guard load.owner.owner.lock != nil else { return }  // this store takes no locks
      #expect(load.state == .abandoned && load.reason == "released")
      try judge(reader, bench, expecting: [.abandoned: 1])
      #expect(try reader.numbers(of: "reviews").unbalanced.abandoned == 1)
    },

    Case("the loads of an owner that cannot be checked are unknown", needs: .sharing) { bench in
      let table: [(ManualProcessTable, Owner.Kind, (ManualProcessTable) -> Void)] = [
        (ManualProcessTable(machineID: "theirs"), .library, { _ in }),
        (bench.processes.another(), .given, { $0.hide() }),
        (bench.processes.another(pidNamespace: 11), .inferred, { $0.kill() }),
        (bench.processes.another(), .detached, { $0.kill() }),
      ]
      let reader = try bench.recorder(.detached)
      for (number, (process, kind, happens)) in table.enumerated() {
        let id = try bench.recorder(kind, in: process).start()
        happens(process)
        bench.locks.set(.unreadable)
        let load = try reader.session(id)
        #expect(load.state == .running && load.isUnknown && load.shownState == .unknown, "row \(number)")
        #expect(load.evidence?.isEmpty == false)
      }
      try judge(reader, bench, expecting: [:])
      let numbers = try reader.numbers(of: "reviews")
      #expect(numbers.unknown == 4 && numbers.running == 0 && numbers.loads == 4)
      #expect(try reader.unbalanced().isEmpty)
      #expect(try reader.store.reader.history(LoadFilter(states: [.unknown])).total == 4)
      #expect(try reader.store.reader.history(LoadFilter(states: [.running])).total == 0)
    },

    Case("the loads of a live owner keep running, whatever their age", needs: .sharing) { bench in
      let owner = try bench.recorder(in: bench.processes.another())
      let id = try owner.start()
      bench.clock.advance(by: .seconds(400 * 86_400))
      let reader = try bench.recorder(.detached)
      try judge(reader, bench, expecting: [:])
      #expect(try reader.session(id).state == .running)
    },

    Case("a late finish by the owner replaces the inferred verdict", needs: .sharing) { bench in
      let app = bench.processes.another()
      let owner = try bench.recorder(in: app)
      let (durable, judged) = (try owner.start(), try owner.start())
      app.kill()
      let reader = try bench.recorder(.detached)
      bench.clock.advance(by: .seconds(9))
      // No writer has recorded the inferred verdict, so the finish is not late.
      #expect(try reader.store.reader.loads(endingIn: judged.description).first?.state == .crashed)
      _ = try bench.recorder(in: bench.processes.another())
      let receipt = try reader.one(.finish(durable, .unchanged))
      #expect(
        receipt.outcome == .finished(.unchanged, afterVerdict: true) && receipt.duration == 9_000_000_000)
      let load = try reader.session(durable)
      #expect(
        load.state == .unchanged && load.isFinishedAfterVerdict && load.evidence == nil && load.reason == nil)
      #expect(try reader.unbalanced().map(\.id) == [judged])
      #expect(try reader.dates().lastUpdated == bench.clock.now().wall)
    },

    Case("opening the store for a library owner records the verdicts", needs: .sharing) { bench in
      let first = bench.processes.another()
      let id = try bench.recorder(in: first).start()
      first.kill()
      let script = try bench.recorder(.given, in: bench.processes.another())
      try script.push()
      #expect(script.store.verdictsAtOpen == [:], "a command leaves verdicts to others")
      let second = bench.processes.another()
      let app = try bench.recorder(in: second)
      #expect(app.store.verdictsAtOpen == [.crashed: 1])
      let other = try app.start()
      second.kill()
      let library = try bench.recorder()
      #expect(library.store.verdictsAtOpen == [.crashed: 1])
      #expect(try library.session(id).state == .crashed && library.session(other).state == .crashed)
    },

    Case("an owner that closed cleanly is never checked", needs: .sharing) { bench in
      let app = bench.processes.another()
      let owner = try bench.recorder(in: app)
      let id = try owner.start()
      try owner.close()
      app.kill()
      let reader = try bench.recorder(.detached)
      try judge(reader, bench, expecting: [:])
      #expect(try reader.session(id).state == .cancelled)
    },

    Case("a reused pid proves that the owner is dead", needs: .sharing) { bench in
      let app = bench.processes.another()
      let owner = try bench.recorder(.given, in: app)
      let id = try owner.start()
      app.kill()
      let next = app.another(pid: app.current.pid)
      let other = try bench.recorder(.given, in: next)
      let second = try other.start()
      let reader = try bench.recorder(.detached)
      #expect(try reader.session(id).state == .crashed)
      #expect(try reader.session(second).state == .running)
      try judge(reader, bench, expecting: [.crashed: 1])
    },
  ]

  /// Reads before and after an opening records the verdicts, and expects the same result.
  private static func judge(
    _ reader: ContractRecorder, _ bench: ContractBench, expecting verdicts: [SessionState: Int]
  ) throws {
    func verdictsAtOpen() throws -> [SessionState: Int] {
      try bench.recorder(in: bench.processes.another()).store.verdictsAtOpen
    }
    let (loads, unbalanced) = (try reader.history(), try reader.unbalanced())
    let status = try reader.store.reader.status(LoadFilter(), runningLimit: nil)
    let (days, hours) = (try days(of: reader), try reader.store.reader.hours(LoadFilter()))
    #expect(try verdictsAtOpen() == verdicts)
    #expect(try reader.history() == loads)
    #expect(try reader.unbalanced() == unbalanced)
    #expect(try reader.store.reader.status(LoadFilter(), runningLimit: nil) == status)
    #expect(try self.days(of: reader) == days && reader.store.reader.hours(LoadFilter()) == hours)
    #expect(try verdictsAtOpen() == [:], "judging again changes nothing")
  }

  /// The days of all feeds, together and each, asked with and without a pattern.
  private static func days(of reader: ContractRecorder) throws -> [[DayNumbers]] {
    let reader = reader.store.reader
    let feeds = Set(try reader.feeds())
    return try [LoadFilter(), LoadFilter(feeds: ["*"])].map { try reader.days($0, listing: feeds) }
  }
}
