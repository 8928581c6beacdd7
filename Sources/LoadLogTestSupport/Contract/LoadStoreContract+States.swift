import LoadLogCore
import Testing

/// Cases about the states and verdicts of loads.
extension LoadStoreContract {
  static let states: [Case] = [
    Case("a start is running until it gets its verdict", needs: .exactTimes) { bench in
      let owner = try bench.recorder()
      let started = bench.clock.now()
      let id = try owner.start("reviews", message: "Loading…", tag: "t1", from: "App/Reviews.swift:42")
      bench.clock.advance(by: .seconds(3))
      let load = try owner.session(id)
      #expect(load.id == id)
      #expect(load.feed == "reviews")
      #expect(load.state == .running && load.shownState == .running)
      #expect(
        !load.isAnonymous && !load.isFinishedAfterVerdict && !load.isUnknown && load.durationSource == nil)
      #expect(load.started == started)
      #expect(load.finished == nil && load.duration == nil && load.reason == nil && load.evidence == nil)
      #expect(load.openAtLeast == 3_000_000_000)
      #expect(load.message == "Loading…" && load.tag == "t1" && load.callSite == "App/Reviews.swift:42")
      #expect(load.owner.owner.process == bench.processes.current)
      #expect(load.owner.lastCommit == started)
      #expect(try owner.unbalanced().isEmpty)
      #expect(try owner.numbers(of: "reviews").running == 1)
      #expect(try owner.numbers(of: "reviews").runningSince == started.wall)
    },

    Case("a finish sets verdict, reason and duration") { bench in
      let owner = try bench.recorder()
      let table: [(Verdict, SessionState, String?)] = [
        (.succeeded, .succeeded, nil), (.unchanged, .unchanged, nil),
        (.failed("no network"), .failed, "no network"),
        (.cancelled("user"), .cancelled, "user"), (.ended, .ended, nil),
      ]
      for (verdict, state, reason) in table {
        let id = try owner.start()
        bench.clock.advance(by: .milliseconds(2500))
        let receipt = try owner.one(.finish(id, verdict))
        #expect(receipt.outcome == .finished(state, afterVerdict: false))
        #expect(receipt.feed == "reviews" && receipt.duration == 2_500_000_000)
        let load = try owner.session(id)
        #expect(load.state == state && load.reason == reason && !load.isFinishedAfterVerdict)
        #expect(load.duration == 2_500_000_000 && load.openAtLeast == 2_500_000_000)
        #expect(load.finished == bench.clock.now().wall && load.clockJump == nil)
      }
      let numbers = try owner.numbers(of: "reviews")
      #expect(numbers.loads == 5 && numbers.running == 0)
      #expect(
        [numbers.succeeded, numbers.unchanged, numbers.failed, numbers.cancelled, numbers.ended] == [
          1, 1, 1, 1, 1,
        ])
      #expect(numbers.unbalanced.total == 0)
      #expect(numbers.duration?.count == 5 && numbers.durationSucceeded?.count == 2)
    },

    Case("a second finish changes nothing and is recorded as a duplicate", needs: .exactTimes) { bench in
      let owner = try bench.recorder()
      for verdict in [Verdict.succeeded, .unchanged, .failed("x"), .cancelled, .ended] {
        let id = try owner.load("reviews", verdict, taking: .seconds(1))
        let before = try owner.session(id)
        bench.clock.advance(by: .seconds(1))
        let receipt = try owner.one(.finish(id, .failed("again")), from: "A.swift:2")
        #expect(receipt.outcome == .unmatched(.duplicateFinish) && receipt.feed == "reviews")
        var after = try owner.session(id)
        #expect(after.owner.lastCommit == bench.clock.now())
        after.owner.lastCommit = before.owner.lastCommit
        #expect(after == before)
        let row = try #require(try owner.unbalanced().first)
        #expect(row.kind == .unmatchedFinish(.duplicateFinish) && row.session == id && row.feed == "reviews")
        #expect(row.at == bench.clock.now().wall && row.callSite == "A.swift:2" && !row.isLikely)
      }
      #expect(try owner.unbalanced().count == 5)
      #expect(try owner.numbers(of: "reviews").unbalanced.duplicateFinish == 5)
      #expect(try owner.dates().lastFailure == "x")
    },

    Case("a start of a known id changes nothing") { bench in
      let owner = try bench.recorder()
      let id = try owner.load(taking: .seconds(1))
      let dates = try owner.dates()
      bench.clock.advance(by: .seconds(1))
      for feed: Feed in ["reviews", "another"] {
        #expect(try owner.one(.start(id, feed, message: "m", tag: "t")).outcome == .known)
      }
      let load = try owner.session(id)
      #expect(load.state == .succeeded && load.feed == "reviews" && load.message == nil && load.tag == nil)
      #expect(try owner.dates() == dates)
      #expect(try owner.store.reader.feeds() == ["reviews"])
      #expect(try owner.totals().loads == 1)
    },

    Case("a load of which only the end is known has a verdict and no duration") { bench in
      let owner = try bench.recorder()
      let id = SessionID()
      let heard = bench.clock.now().wall
      let receipt = try owner.one(.heard(id, "reviews", .failed("exit 3")))
      #expect(receipt.outcome == .finished(.failed, afterVerdict: false))
      #expect(receipt.feed == "reviews" && receipt.duration == nil)
      bench.clock.advance(by: .seconds(1))
      #expect(try owner.one(.heard(id, "reviews", .succeeded)).outcome == .known)
      #expect(try owner.one(.start(id, "reviews", message: nil, tag: nil)).outcome == .known)
      let load = try owner.session(id)
      #expect(load.state == .failed && load.reason == "exit 3" && load.duration == nil)
      #expect(load.started.wall == heard && load.finished == heard && load.durationSource == nil)
      #expect(try owner.unbalanced().isEmpty)
      let numbers = try owner.numbers(of: "reviews")
      #expect(numbers.loads == 1 && numbers.failed == 1 && numbers.duration == nil)
      #expect(try owner.dates().lastFailed == heard && owner.dates().lastAttempted == heard)
      let other = SessionID()
      try owner.one(.finish(other, .succeeded))
      #expect(try owner.one(.heard(other, "reviews", .succeeded)).outcome != .known)
      #expect(try owner.unbalanced().map(\.kind) == [.unmatchedFinish(.duplicateFinish)])
      #expect(try owner.dates().lastUpdated == bench.clock.now().wall)
    },

    Case("an abandoned load has a reason, and its late finish replaces the verdict") { bench in
      let owner = try bench.recorder()
      for reason in AbandonReason.allCases {
        let id = try owner.start("reviews", from: "A.swift:1")
        bench.clock.advance(by: .seconds(2))
        #expect(try owner.one(.abandon(id, reason)).outcome == .finished(.abandoned, afterVerdict: false))
        bench.clock.advance(by: .seconds(1))
        let load = try owner.session(id)
        #expect(load.state == .abandoned && load.reason == reason.rawValue)
        #expect(load.duration == nil && load.openAtLeast == 2_000_000_000)
        let row = try #require(try owner.unbalanced().first)
        #expect(row.kind == .unfinishedStart(.abandoned) && row.id == id && row.session == id)
        #expect(row.at == load.started.wall && row.callSite == "A.swift:1" && !row.isLikely)
        #expect(!row.evidence.isEmpty && row.evidence == load.evidence)
        #expect(try owner.numbers(of: "reviews").unbalanced.abandoned == 1)
        #expect(try owner.one(.finish(id, .succeeded)).outcome == .finished(.succeeded, afterVerdict: true))
        let late = try owner.session(id)
        #expect(
          late.state == .succeeded && late.isFinishedAfterVerdict && late.duration == 3_000_000_000
            && late.reason == nil)
        #expect(late.evidence == nil)
        #expect(try owner.unbalanced().isEmpty)
      }
      #expect(try owner.totals().unbalanced.total == 0)
    },

    Case("only a running load can be abandoned") { bench in
      let owner = try bench.recorder()
      let id = try owner.load(taking: .seconds(1))
      #expect(try owner.one(.abandon(id, .dropped)).outcome == .nothing)
      #expect(try owner.session(id).state == .succeeded)
      #expect(try owner.one(.abandon(SessionID(), .deadline)).outcome == .nothing)
      #expect(try owner.totals().unbalanced.total == 0)
    },

    Case("a clean close cancels open loads, and none is unbalanced") { bench in
      let owner = try bench.recorder()
      let id = try owner.start()
      try owner.push(times: 2)
      let done = try owner.load(taking: .seconds(4))
      #expect(try owner.one(.close).count == 3)
      let load = try owner.session(id)
      #expect(load.state == .cancelled && load.reason == "quit" && load.duration == 4_000_000_000)
      #expect(load.owner.closed == bench.clock.now().wall)
      #expect(try owner.session(done).state == .succeeded)
      #expect(try owner.history().filter { $0.state == .cancelled }.count == 3)
      #expect(try owner.unbalanced().isEmpty)
    },

    Case("a close does not change the loads of other owners", needs: .sharing) { bench in
      let owner = try bench.recorder()
      let other = try bench.recorder(in: bench.processes.another())
      let id = try owner.start()
      try other.push("reviews")
      try other.close()
      #expect(try owner.session(id).state == .running)
      #expect(try owner.numbers(of: "reviews").cancelled == 1)
    },

    Case("a running load has its last message") { bench in
      let owner = try bench.recorder()
      let id = try owner.start(message: "Loading…")
      #expect(try owner.one(.update(id, message: "Parsing…")).outcome == .recorded)
      #expect(try owner.session(id).message == "Parsing…")
      #expect(try owner.one(.update(id, message: nil)).outcome == .recorded)
      #expect(try owner.session(id).message == nil)
      try owner.record(.update(id, message: "Storing…"), .finish(id, .succeeded))
      #expect(try owner.one(.update(id, message: "too late")).outcome == .nothing)
      #expect(try owner.one(.update(SessionID(), message: "no such load")).outcome == .nothing)
      #expect(try owner.session(id).message == "Storing…")
    },

    Case("durations come from the boot clock, and a step of the wall clock is recorded") { bench in
      let owner = try bench.recorder()
      let table: [(step: Int64, jump: Int64?)] = [
        (0, nil), (1, nil), (-1, nil), (2, 2_000_000), (-7200, -7_200_000_000), (86_400, 86_400_000_000),
      ]
      for (step, jump) in table {
        let id = try owner.start()
        bench.clock.advance(by: .seconds(5))
        bench.clock.stepWall(by: .seconds(step))
        try owner.one(.finish(id, .succeeded))
        let load = try owner.session(id)
        #expect(load.duration == 5_000_000_000 && load.clockJump == jump, "step of \(step) s")
        #expect(load.finished == bench.clock.now().wall && load.durationSource == .boot)
      }
    },

    Case("without a common boot clock durations are wall times", needs: .sharing) { bench in
      let owner = try bench.recorder()
      let other = try bench.recorder(in: bench.processes.another(timeNamespace: 21))
      let id = try owner.start()
      bench.clock.advance(by: .seconds(2))
      bench.clock.stepWall(by: .seconds(60))
      #expect(try other.one(.finish(id, .succeeded)).duration == 62_000_000_000)
      let load = try owner.session(id)
      #expect(load.durationSource == .wall && load.duration == 62_000_000_000 && load.clockJump == nil)
      let back = try owner.start()
      bench.clock.stepWall(by: .seconds(-3600))
      #expect(try other.one(.finish(back, .succeeded)).duration == nil)
      #expect(try owner.session(back).duration == nil)
      #expect(try owner.numbers(of: "reviews").duration?.count == 1)
    },

    Case("long texts are cut") { bench in
      let owner = try bench.recorder()
      let id = try owner.start(
        message: String(repeating: "é", count: 2001), from: String(repeating: "c", count: 3000))
      try owner.one(.finish(id, .failed(String(repeating: "😀", count: 2000))))
      let load = try owner.session(id)
      #expect(load.message == String(repeating: "é", count: 1999) + "…")
      #expect(load.reason == String(repeating: "😀", count: 2000))
      #expect(load.callSite?.unicodeScalars.count == 2000)
      // Texts are stored as data, even if they contain terminal escapes or SQL. Only NUL is replaced, because
      // many programs end a text there.
      let exact = try owner.start(message: "nul\0 and\u{1B}[31m red", tag: "'; DROP TABLE session; --")
      #expect(try owner.session(exact).message == "nul\u{2400} and\u{1B}[31m red")
      #expect(try owner.session(exact).tag == "'; DROP TABLE session; --")
    },
  ]
}
