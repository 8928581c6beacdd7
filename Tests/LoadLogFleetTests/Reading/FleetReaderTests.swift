#if Fleet
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  import LoadLogTestSupport
  import Testing

  @Suite(.timeLimit(.minutes(10))) struct FleetReaderTests {
    @Test(arguments: [1, 2, 3] as [UInt64]) func aFleetOfOneHostAnswersAsItsStore(_ seed: UInt64) throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1", seed: seed)
      try host.record(.expect(Expectation(.every(3_600_000_000_000)), "reviews"))
      try host.record(.expect(Expectation(maxFailures: 2, note: "ask Ann"), "b*"))
      try host.live(150)
      try host.ship(to: bench.address)
      try host.live(150)
      try host.ship(to: bench.address)
      let fleet = FleetReader(bench.address, clock: host.clock)
      let start = RecordedHost.start
      let since = start + 90_000_000_000
      let filters = [
        LoadFilter(), LoadFilter(limit: 7), LoadFilter(states: [.failed, .running], limit: 5),
        LoadFilter(feeds: ["re*"], since: since, until: since + 9_000_000_000),
        LoadFilter(since: since, tag: "t", text: "LOADING"),
        LoadFilter(text: "refused", minimumDuration: 1_000_000_000),
        LoadFilter(states: [.unknown, .abandoned], minimumDuration: 60_000_000_000),
      ]
      for var filter in filters {
        for oldestFirst in [false, true] {
          filter.oldestFirst = oldestFirst
          #expect(try fleet.history(filter) == host.reader.history(filter).withoutLocalFacts, "\(filter)")
        }
        let unbalanced = try host.reader.unbalanced(filter).map(\.shipped)
        #expect(try fleet.unbalanced(filter) == unbalanced, "\(filter)")
        #expect(try fleet.hours(filter) == host.reader.hours(filter))
        #expect(
          try fleet.days(filter, listing: ["reviews"]).map(\.exact)
            == host.reader.days(filter, listing: ["reviews"]).map(\.exact))
      }
      for load in try host.reader.history(LoadFilter(limit: 20)).loads {
        for tail in [load.id.description, load.id.tail] {
          let own = try host.reader.loads(endingIn: tail).map(\.withoutLocalFacts)
          #expect(try fleet.loads(endingIn: tail) == own)
        }
      }
      #expect(try fleet.loads(endingIn: "x").isEmpty && fleet.loads(endingIn: "0").count <= 10)
      #expect(try fleet.expectations() == host.reader.expectations())
      for feed in RecordedHost.feeds {
        #expect(try fleet.dates(of: feed) == host.reader.dates(of: feed))
      }
      for limit in [5, 500] {
        let own = try host.reader.successes(of: RecordedHost.feeds + ["nothing"], limit: limit)
        #expect(try fleet.successes(of: RecordedHost.feeds + ["nothing"], limit: limit) == own)
        #expect(own["nothing"] == [] && own["reviews"]?.isEmpty == false)
      }
      let own = try host.reader.status(LoadFilter(), runningLimit: nil)
      let found = try fleet.status(LoadFilter(), runningLimit: nil)
      for (one, other) in zip(found.feeds, own.feeds) {
        #expect(
          one.problems == other.problems && one.failures == other.failures && one.dueTime == other.dueTime)
        #expect(
          one.oldestRunning == other.oldestRunning?.withoutLocalFacts && one.expectation == other.expectation)
        #expect(
          one.lostLoad == other.lostLoad?.withoutLocalFacts && one.failedCallSite == other.failedCallSite)
        #expect(one.dates == other.dates && one.overlaps == other.overlaps && one.trend == other.trend)
      }
      #expect(found.callSites == own.callSites && found.feeds.map(\.feed) == own.feeds.map(\.feed))
      let byHost = FleetReader(bench.address, .init(byHost: true), clock: host.clock)
      #expect(
        try fleet.suspects([]).problems == byHost.status(LoadFilter(), runningLimit: nil).feeds.problems)
    }

    @Test func aLoadOfASilentHostIsUnknown() throws {
      let bench = try PostgresBench()
      let (heard, silent) = (try RecordedHost("web-1"), try RecordedHost("web-2"))
      for host in [heard, silent] {
        try host.start("reviews")
        host.clock.advance(by: .seconds(7))
        try host.record(.extraPop("reviews", .ended))
        try host.ship(to: bench.address)
      }
      try bench.psql(
        "UPDATE host SET synced_at = now() - INTERVAL '14 minutes', lease_until = now() - INTERVAL '11 minutes' WHERE name = 'web-2'"
      )
      heard.clock.advance(by: .seconds(900))
      let fleet = FleetReader(bench.address, clock: heard.clock)
      let numbers = try fleet.status(LoadFilter(), runningLimit: nil).totals
      #expect(numbers.running == 1 && numbers.unknown == 1 && numbers.unbalanced.total == 2)
      let unknown = try fleet.history(LoadFilter(states: [.unknown]))
      #expect(unknown.total == 1 && unknown.loads.first?.evidence == "web-2 was last heard 14 m 00 s ago")
      #expect(unknown.loads.first?.timeOpen == .seconds(7), "until its owner's last commit")
      let recent = LoadFilter(since: RecordedHost.start + 800_000_000)
      #expect(try fleet.history(recent).total == 2, "both may be open still")
      for (seconds, hosts) in [(7, ["web-2", "web-1"]), (8, ["web-1"])] as [(Int64, [String])] {
        let long = try fleet.history(LoadFilter(minimumDuration: seconds * 1_000_000_000))
        #expect(long.total == hosts.count && Set(long.loads.map(\.owner.owner.host)) == Set(hosts))
      }
      #expect(try fleet.history(LoadFilter(states: [.running])).loads.map(\.owner.owner.host) == ["web-1"])
      #expect(try fleet.unbalanced(LoadFilter()).count == 2, "the pops")
      // The host comes back.
      try silent.ship(to: bench.address)
      #expect(try fleet.status(LoadFilter(), runningLimit: nil).totals.running == 2)
    }

    /// As in the store.
    @Test func aLoadWithoutAProcessIsUnknown() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1", owner: .detached)
      for _ in 0..<25 { try host.load("reviews", taking: .seconds(1)) }
      let id = try host.start("reviews")
      try host.ship(to: bench.address)
      host.clock.advance(by: .seconds(3600))
      let fleet = FleetReader(bench.address, clock: host.clock)
      let feed = try #require(try fleet.status(LoadFilter(), runningLimit: 1).feeds.first)
      #expect(feed.numbers.running == 0 && feed.numbers.unknown == 1 && feed.numbers.overrunning == 0)
      #expect(try feed.problems == [] && fleet.suspects([]).problems.isEmpty)
      #expect(try fleet.imbalanceSummary(LoadFilter()).overrunning.isEmpty)
      let page = try fleet.history(LoadFilter(states: [.unknown]))
      #expect(page.loads.map(\.id) == [id] && page.total == 1)
      #expect(page.loads.first?.evidence == "it has no process (detached)")
      #expect(try fleet.history(LoadFilter(states: [.running])).total == 0)
      #expect(try fleet.history(LoadFilter(minimumDuration: 2_000_000_000)).total == 0)
      #expect(try bench.psql("SELECT running, unknown FROM fleet_status") == "0|1")
      let state = try bench.psql("SELECT state FROM fleet_history ORDER BY started DESC, id DESC LIMIT 1")
      #expect(state == "unknown")
    }

    @Test func hostsOfOneNameAreToldApart() throws {
      let bench = try PostgresBench()
      let hosts = try (0..<2).map { _ in try RecordedHost("web-1") }
      try hosts[0].record(.expect(Expectation(.every(1_000_000_000), grace: 0), "b*"))
      try hosts[0].load("backup", .failed("refused"), taking: .seconds(1))
      hosts[1].clock.advance(by: .seconds(60))
      try hosts[1].load("backup", taking: .seconds(1))
      for host in hosts { try host.ship(to: bench.address) }
      let byHost = FleetReader(bench.address, .init(byHost: true), clock: hosts[1].clock)
      let feeds = try byHost.status(LoadFilter(), runningLimit: nil).feeds
      #expect(
        feeds.count == 2
          && feeds.allSatisfy { $0.feed.name.wholeMatch(of: /web-1#[0-9a-f]{7}\/backup/) != nil })
      // What is expected on one host is not expected on the other.
      let suspects = try byHost.suspects([])
      #expect(suspects.map(\.problems).filter { !$0.isEmpty } == [[.failing, .late]])
      let failing = try #require(suspects.first { !$0.problems.isEmpty })
      let loads = try byHost.history(LoadFilter(feeds: [FeedPattern(exactly: failing.feed)])).loads
      #expect(loads.map(\.state) == [.failed])
      #expect(loads.map { "\($0.fleetHost ?? "")/backup" } == [failing.feed.name])
      #expect(try FleetReader(bench.address).feeds() == ["backup"])
      // Each can be chosen by the name that is shown.
      let name = try #require(loads.first?.fleetHost)
      let one = FleetReader(bench.address, .init(hosts: [FeedPattern(name)]), clock: hosts[1].clock)
      #expect(try one.history(LoadFilter()).loads.map(\.fleetHost) == [name])
      try bench.hosts.retire(name)
      #expect(try byHost.feeds() == ["web-1/backup"])
    }

    @Test func whatHasNoRowIsNotDenied() throws {
      let bench = try PostgresBench()
      let (rowless, silent) = (try RecordedHost("db-1"), try RecordedHost("web-1"))
      try rowless.record(.extraPop("network", .ended))
      try rowless.ship(to: bench.address, .none)
      let id = try silent.start("reviews", message: "İstanbul")
      try silent.record(.finish(id, .succeeded))
      try silent.ship(to: bench.address, withMessages: false)
      let fleet = FleetReader(bench.address, clock: silent.clock)
      let summary = try fleet.imbalanceSummary(LoadFilter())
      #expect(summary.imbalances.isEmpty && summary.onlyCounted == 1)
      #expect(try fleet.imbalanceSummary(LoadFilter(since: .max - 1)).onlyCounted == 1)
      #expect(try silent.reader.imbalanceSummary(LoadFilter()).onlyCounted == 0)
      let page = try fleet.history(LoadFilter(text: "istanbul"))
      #expect(page.loads.isEmpty && page.hostsWithoutMessages == ["web-1"])
      #expect(try fleet.history(LoadFilter()).hostsWithoutMessages.isEmpty, "nothing was searched")
      try rowless.ship(to: bench.address)
      try bench.psql("UPDATE host SET with_messages = TRUE")
      #expect(try fleet.imbalanceSummary(LoadFilter()).onlyCounted == 0)
      #expect(try fleet.history(LoadFilter(text: "istanbul")).hostsWithoutMessages.isEmpty)
    }

    /// Its verdict is in the counts, and a row without it would be counted once more in an export.
    @Test func aLoadThatWasPrunedBeforeItsEndWasShippedHasNoRow() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      let id = try host.start("reviews")
      try host.ship(to: bench.address)
      host.clock.advance(by: .seconds(1))
      try host.record(.finish(id, .succeeded))
      try host.load("reviews", taking: .seconds(1))
      host.clock.advance(by: .seconds(1))
      #expect(try host.prune(before: host.clock.now().wall) == 1)
      try host.ship(to: bench.address)
      let fleet = FleetReader(bench.address, clock: host.clock)
      let page = try fleet.history(LoadFilter())
      #expect(page.loads.map(\.state) == [.succeeded] && !page.loads.contains { $0.id == id })
      #expect(page.total == 1 && page.pruned == 1)
      #expect(try fleet.status(LoadFilter(), runningLimit: nil).totals.succeeded == 2)
      let export = try fleet.export(LoadFilter(), onlyFlips: false)
      #expect(export.counted == 1)
    }

    @Test func anAnswerNamesTheHostsOfLoadsAndThoseWithoutEveryRow() throws {
      let bench = try PostgresBench()
      let (all, some) = (try RecordedHost("web-1"), try RecordedHost("db-1"))
      let lost = try all.start("reviews")
      try all.record(.abandon(lost, .dropped))
      try all.record(.abandon(try all.start("articles"), .dropped))
      try all.ship(to: bench.address)
      some.clock.advance(by: .seconds(60))
      try some.load("reviews", taking: .seconds(1))
      try some.record(.extraPop("network", .ended))
      try some.load("reviews", .failed("refused"), taking: .seconds(1))
      try some.ship(to: bench.address, .unusual)
      for _ in 0..<2 {
        let other = try RecordedHost("cache-1")
        try other.load("network", taking: .seconds(1))
        try other.ship(to: bench.address, .unusual)
      }
      let fleet = FleetReader(bench.address, clock: some.clock)
      let page = try fleet.history(LoadFilter(feeds: ["reviews"]))
      #expect(page.loads.map(\.fleetHost) == ["db-1", "web-1"])
      #expect(page.total == 2 && page.pruned == 1 && page.hostsWithoutRows == ["db-1"])
      #expect(try fleet.unbalanced(LoadFilter()).map(\.fleetHost) == ["db-1", "web-1", "web-1"])
      let feeds = try fleet.status(LoadFilter(), runningLimit: nil).feeds
      #expect(feeds.compactMap(\.lostLoad).map(\.fleetHost) == ["web-1"])
      // The success after it has no row, but the feed has its date.
      let context = try fleet.context(of: IDTail(lost.description))
      #expect(context.load.fleetHost == "web-1" && context.nextSuccess == nil)
      #expect(context.feed?.dates.lastUpdated == RecordedHost.start + 61_000_000)
      #expect(context.hasLoadsWithoutRows && context.hostsWithoutRows == ["db-1"])
      let hosts = try fleet.history(LoadFilter()).hostsWithoutRows
      #expect(
        hosts.map { $0.prefix { $0 != "#" } } == ["cache-1", "cache-1", "db-1"], "of one name, but distinct"
      )
      try some.ship(to: bench.address, .all)
      let whole = try fleet.context(of: IDTail(lost.description))
      #expect(whole.nextSuccess?.fleetHost == "db-1" && !whole.hasLoadsWithoutRows)
    }

    @Test func aLoadIsNotTheFirstIfOthersWerePruned() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      try host.load("reviews", taking: .seconds(1))
      host.clock.advance(by: .seconds(10 * 86_400))
      let id = try host.start("reviews")
      try host.record(.finish(id, .succeeded))
      try host.ship(to: bench.address)
      let fleet = FleetReader(bench.address, clock: host.clock)
      #expect(try !fleet.context(of: IDTail(id.description)).hasLoadsWithoutRows)
      #expect(try fleet.history(LoadFilter()).total == 2)
      try bench.hosts.prune(before: RecordedHost.start + 5 * 86_400_000_000)
      let context = try fleet.context(of: IDTail(id.description))
      #expect(context.before == nil && context.hasLoadsWithoutRows && context.hostsWithoutRows.isEmpty)
      let page = try fleet.history(LoadFilter())
      #expect(page.total == 1 && page.pruned == 1)
      #expect(try fleet.export(LoadFilter(), onlyFlips: false).counted == 1)
    }

    @Test(arguments: [ShippedLoads.all, .unusual, .none])
    func failuresInARowCountWithoutTheirRows(_ loads: ShippedLoads) throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      let day: Int64 = 86_400_000_000
      try host.record(.expect(Expectation(maxFailures: 5), "reviews"))
      func fail(_ times: Int) throws {
        for _ in 0..<times { try host.load("reviews", .failed("refused"), taking: .seconds(1)) }
        host.clock.advance(by: .seconds(86_400))
      }
      try fail(2)
      try host.load("reviews", taking: .seconds(1))
      for _ in 0..<3 { try fail(2) }
      let fleet = FleetReader(bench.address, clock: host.clock)
      func check(withRows rows: Int, _ comment: Comment) throws {
        let own = try #require(try host.reader.status(LoadFilter(), runningLimit: nil).feeds.first)
        let found = try #require(try fleet.status(LoadFilter(), runningLimit: nil).feeds.first)
        #expect(own.failures == 6 && own.problems == [.failing], comment)
        #expect(found.failures == own.failures && found.problems == own.problems, comment)
        var (exported, rowless) = (0, Int64(0))
        let export = try fleet.export(LoadFilter(), onlyFlips: false).rows
        while let page = try export.nextRows() {
          for case .load(let load) in page where load.started.wall > own.dates.lastSuccessStarted ?? .max {
            exported += 1
          }
        }
        let lines = try fleet.export(LoadFilter(), onlyFlips: false).rows
        while let page = try lines.nextLines() {
          for case .feed(let line) in page { rowless += line.prunedFailures }
        }
        #expect(exported == rows && exported + Int(rowless) == own.failures, comment)
      }
      // The first two started before the success.
      #expect(try host.prune(before: RecordedHost.start + 2 * day + day / 2) == 2 + 4)
      try host.ship(to: bench.address, loads)
      try check(withRows: loads == .none ? 0 : 2, "the host had pruned four of them")
      #expect(try host.prune(before: host.clock.now().wall) == 1)
      try host.ship(to: bench.address, loads)
      try check(withRows: loads == .none ? 0 : 2, "the database has a row that the host has pruned")
      try bench.hosts.prune(before: host.clock.now().wall)
      try check(withRows: 0, "the database was pruned, too")
    }

    @Test func aRetriedAttemptHidesNoFailure() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      let site = "App/View.swift:42"
      let slow = try host.start("reviews", from: site)
      host.clock.advance(by: .seconds(1))
      try host.load("reviews", taking: .seconds(1))
      host.clock.advance(by: .seconds(1))
      try host.record(.finish(slow, .failed("refused")), from: site)
      host.clock.advance(by: .seconds(1))
      let attempt = try host.start("reviews")
      try host.record(.finish(attempt, .failed("exit 1")), isRetried: true)
      try host.ship(to: bench.address)
      let own = try host.reader.status(LoadFilter(), runningLimit: nil).feeds
      let fleet = FleetReader(bench.address, clock: host.clock)
      let found = try fleet.status(LoadFilter(), runningLimit: nil).feeds
      #expect(own.map(\.failedCallSite) == [site] && found.map(\.failedCallSite) == [site])
    }

    @Test func textsAreKeptByteByByte() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      let messages = ["Caf\u{E9}", "Cafe\u{301}"]
      for message in messages { try host.start("menu", message: message) }
      try host.ship(to: bench.address)
      let loads = try FleetReader(bench.address, clock: host.clock).history(LoadFilter()).loads
      #expect(Set(loads.compactMap(\.message).map { Array($0.utf8) }) == Set(messages.map { Array($0.utf8) }))
    }

    @Test func aQuestionIsNotCompiled() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      try host.load("reviews", taking: .seconds(1))
      try host.ship(to: bench.address)
      try bench.psql(
        """
        ALTER DATABASE \(bench.database) SET jit = on;
        CREATE FUNCTION is_read_as_it_is() RETURNS BOOLEAN LANGUAGE plpgsql AS $$
        BEGIN RETURN NOT current_setting('jit')::BOOLEAN; END $$;
        ALTER TABLE feed RENAME TO real_feed;
        CREATE VIEW feed AS SELECT * FROM real_feed WHERE is_read_as_it_is()
        """)
      #expect(try bench.psql("SELECT count(*) FROM feed") == "0", "others compile")
      #expect(try FleetReader(bench.address).feeds() == ["reviews"])
    }

    @Test func hostsAreChosenByName() throws {
      let bench = try PostgresBench()
      for (name, loads) in [("db-1", 1), ("web-1", 2), ("web-2", 4)] {
        let host = try RecordedHost(name)
        for _ in 0..<loads { try host.load("reviews", taking: .seconds(1)) }
        try host.ship(to: bench.address)
      }
      func loads(_ hosts: [FeedPattern]) throws -> Int {
        try FleetReader(bench.address, .init(hosts: hosts)).status(LoadFilter(), runningLimit: nil).totals
          .loads
      }
      #expect(
        try loads([]) == 7 && loads(["web-*"]) == 6 && loads(["web-?", "db-1"]) == 7 && loads(["db-1"]) == 1)
      let error = #expect(throws: LoadLogError.self) { try loads(["web-3"]) }
      #expect(error?.code == .notFound && error?.value == "web-3")
      try bench.hosts.retire("web-2")
      #expect(try loads([]) == 3 && loads(["web-*"]) == 2)
      #expect(try loads(["web-2"]) == 4, "a retired host is still there if it is named")
      let gone = #expect(throws: LoadLogError.self) { try loads(["web-2*"]) }
      #expect(gone?.code == .notFound && gone?.why == "no host in use matches this pattern")
      let successor = try RecordedHost("web-2")
      try successor.load("reviews", taking: .seconds(1))
      try successor.ship(to: bench.address)
      #expect(try loads(["web-2"]) == 1, "its successor has its name")
      try bench.hosts.retire("web-2")
      #expect(try loads(["web-2"]) == 1, "so it has when both are retired")
    }

    @Test func feedsCanBeNamedByTheirHosts() throws {
      let bench = try PostgresBench()
      let hosts = try ["db-1", "web-1"].map { try RecordedHost($0) }
      for (host, verdict) in zip(hosts, [Verdict.succeeded, .failed("refused")]) {
        try host.record(.expect(Expectation(maxFailures: 1), "reviews"))
        try host.load("reviews", verdict, taking: .seconds(1))
        try host.start("articles", from: "View.swift:42")
        try host.ship(to: bench.address)
      }
      let fleet = FleetReader(bench.address, .init(byHost: true), clock: hosts[0].clock)
      let status = try fleet.status(LoadFilter(), runningLimit: nil)
      #expect(
        status.feeds.map(\.feed) == ["db-1/articles", "db-1/reviews", "web-1/articles", "web-1/reviews"])
      #expect(status.feeds.map(\.problems) == [[], [], [], [.failing]] && status.totals.loads == 4)
      #expect(try fleet.status(LoadFilter(feeds: ["reviews"]), runningLimit: nil).feeds.count == 2)
      #expect(try fleet.status(LoadFilter(feeds: ["web-1/*"]), runningLimit: nil).totals.loads == 2)
      #expect(try fleet.history(LoadFilter(feeds: ["web-1/reviews"])).loads.map(\.feed) == ["web-1/reviews"])
      #expect(try fleet.dates(of: "web-1/reviews")?.lastVerdict == .failed)
      #expect(try fleet.expectations().map(\.pattern.text) == ["db-1/reviews", "web-1/reviews"])
      #expect(
        try fleet.suspects([]).map(\.feed) == ["db-1/articles", "web-1/articles", "web-1/reviews"],
        "nothing can be wrong with db-1/reviews: it neither runs nor fails, and no success is due")
    }

    @Test func aFeedThatAnyHostMayLoadIsLateOfAllHostsTogether() throws {
      let bench = try PostgresBench()
      let hosts = try ["web-1", "web-2"].map { try RecordedHost($0) }
      for host in hosts {
        try host.record(.expect(Self.hourly(anywhere: true), "leader"))
        try host.record(.expect(Self.hourly(), "each"))
      }
      func reader(_ patterns: [FeedPattern] = [], byHost: Bool = false) -> FleetReader {
        FleetReader(bench.address, .init(hosts: patterns, byHost: byHost), clock: hosts[0].clock)
      }
      func status(_ reader: FleetReader, _ feeds: [FeedPattern] = []) throws -> [FeedStatus] {
        try reader.status(LoadFilter(feeds: feeds), runningLimit: nil).feeds
      }
      func pass(seconds: Int) throws {
        for host in hosts { host.clock.advance(by: .seconds(seconds)) }
        for host in hosts { try host.ship(to: bench.address) }
      }
      try pass(seconds: 3600)
      for feed: Feed in ["each", "leader"] { try hosts[1].load(feed, taking: .zero) }
      try pass(seconds: 60)
      #expect(try status(reader()).problems.isEmpty)
      #expect(try status(reader(byHost: true)).problems == ["web-1/each": [.late]])
      #expect(try reader().suspects([]).map(\.feed) == ["web-1/each"])
      #expect(try status(reader(["web-1"])).problems == ["each": [.late], "leader": [.late]])
      // Now it runs on no host.
      try pass(seconds: 3600)
      #expect(try status(reader()).problems == ["each": [.late], "leader": [.late]])
      #expect(
        try status(reader(byHost: true)).problems == [
          "leader": [.late], "web-1/each": [.late], "web-2/each": [.late],
        ])
      #expect(try reader().suspects([]).map(\.feed) == ["web-1/each", "web-2/each"])
      let leader = try status(reader(byHost: true), ["leader"])
      #expect(leader.map(\.feed) == ["leader", "web-1/leader", "web-2/leader"])
      #expect(leader.map(\.isJudgedByFleet) == [false, true, true])
      #expect(leader.map(\.numbers.loads) == [0, 0, 1], "its loads are those of the hosts")
      #expect(leader[0].dates == leader[2].dates)
      #expect(try status(reader(byHost: true), ["web-2/*"]).problems == ["web-2/each": [.late]])
      // A load that runs may become the success.
      try hosts[0].start("leader")
      try pass(seconds: 1)
      #expect(try status(reader()).problems == ["each": [.late]])
      #expect(try status(reader(byHost: true), ["leader"]).problems.isEmpty)
      // What else is wrong with it is said of the host.
      try hosts[1].load("leader", .failed("x"), taking: .zero)
      try pass(seconds: 3700)
      #expect(
        try status(reader(byHost: true), ["leader"]).problems == [
          "leader": [.late], "web-2/leader": [.failing],
        ])
    }

    @Test func ofDifferentExpectationsTheOneThatWasSetLastHolds() throws {
      let bench = try PostgresBench()
      let hosts = try ["web-1", "web-2"].map { try RecordedHost($0) }
      for (host, seconds) in zip(hosts, [0, 3000]) {
        host.clock.advance(by: .seconds(seconds))
        try host.record(.expect(Self.hourly(anywhere: true), "leader"))
        try host.record(.expect(Self.hourly(anywhere: seconds == 0), "mixed"))
        try host.record(.expect(Self.hourly(), "each"))
        try host.ship(to: bench.address)
      }
      let fleet = FleetReader(bench.address, clock: hosts[1].clock)
      let expected = try fleet.expectations()
      #expect(expected.map(\.pattern.text) == ["each", "leader", "mixed"])
      #expect(expected.map(\.expectation.anywhere) == [nil, true, nil])
      let last = RecordedHost.start + 3_000_000_000
      #expect(expected.map(\.since) == [last, RecordedHost.start, last])
      hosts[1].clock.advance(by: .seconds(660))
      #expect(
        try fleet.status(LoadFilter(), runningLimit: nil).feeds.problems == ["leader": [.late]],
        "a host that joins does not put off what was due anywhere")
      let byHost = FleetReader(bench.address, .init(byHost: true), clock: hosts[1].clock)
      #expect(
        try byHost.status(LoadFilter(), runningLimit: nil).feeds.problems == [
          "leader": [.late], "web-1/each": [.late],
        ])
      try hosts[1].record(.clearExpectation("each"))
      try hosts[1].ship(to: bench.address)
      #expect(
        try fleet.expectations().first?.since == RecordedHost.start, "that of the other host holds again")
    }

    @Test func aHostWhoseOnlyProblemIsLatenessIsFound() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      for feed in ["reviews", "articles"] as [Feed] {
        try host.record(.expect(Self.hourly(), FeedPattern(exactly: feed)))
        try host.load(feed, taking: .seconds(1))
      }
      host.clock.advance(by: .seconds(3600))
      try host.load("articles", taking: .seconds(1))
      host.clock.advance(by: .seconds(660))
      try host.ship(to: bench.address)
      let found = try FleetReader(bench.address, clock: host.clock).suspects([])
      #expect(found.map(\.feed) == ["web-1/reviews"] && found.map(\.problems) == [[.late]])
    }

    private static func hourly(anywhere: Bool? = nil) -> LoadLogCore.Expectation {
      Expectation(.every(3_600_000_000_000), grace: 60_000_000_000, anywhere: anywhere)
    }

    @Test func theNewestVerdictOfAnyHostIsTheLast() throws {
      let bench = try PostgresBench()
      let hosts = try (1...2).map { try RecordedHost("web-\($0)") }
      try hosts[0].load("reviews", .failed("timed out"), taking: .seconds(10))
      try hosts[1].load("reviews", .failed("refused"), taking: .seconds(20))
      try hosts[0].load("articles", taking: .seconds(5))
      for host in hosts { try host.ship(to: bench.address, .none) }
      let fleet = FleetReader(bench.address)
      let dates = try #require(try fleet.dates(of: "reviews"))
      #expect(dates.lastFailed == RecordedHost.start + 20_000_000 && dates.lastFailure == "refused")
      #expect(dates.lastVerdict == .failed && dates.lastUpdated == nil)
      #expect(try fleet.dates(of: "nothing") == nil)
    }

    @Test(arguments: ["DELETE FROM owner", "DELETE FROM feed", "UPDATE session SET duration = -1"])
    func aRowThatIsMissingOrCannotBeIsDamage(_ sql: String) throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      try host.start("reviews")
      try host.ship(to: bench.address)
      try bench.psql(sql)
      let error = #expect(throws: LoadLogError.self) { try FleetReader(bench.address).history(LoadFilter()) }
      #expect(error?.code == .damaged && error?.what == "the fleet's database")
    }

    @Test func aCopiedStoreThatShipsAsANewHostIsReadOnce() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      for _ in 0..<3 { try host.load("reviews", taking: .seconds(1)) }
      let id = try host.start("reviews")
      try host.ship(to: bench.address)
      var settings = StoreOutbox.Settings()
      (settings.asNewHost, settings.name, settings.loads) = (true, "web-2", .all)
      try FleetSync(
        storeAt: host.place.path, settings: settings, processes: host.processes, clock: host.clock
      ) { [address = bench.address] in PostgresDestination(address) }.round()
      let fleet = FleetReader(bench.address, clock: host.clock)
      #expect(try fleet.loads(endingIn: id.description).map(\.id) == [id])
      #expect(try fleet.history(LoadFilter(states: [.running, .unknown])).loads.map(\.id) == [id])
      #expect(try fleet.history(LoadFilter(limit: 3)).loads.count == 3)
      let clock = host.clock
      for host in ["web-1", "web-2"] {
        let byHost = FleetReader(bench.address, .init(byHost: true), clock: clock)
        #expect(try byHost.history(LoadFilter(feeds: [FeedPattern("\(host)/reviews")])).loads.count == 4)
      }
      #expect(try fleet.imbalanceSummary(LoadFilter()).onlyCounted == 0)
      let last = [3, 2].map { RecordedHost.start + $0 * 1_000_000 }
      #expect(try fleet.successes(of: ["reviews"], limit: 2) == ["reviews": last])
      let byHost = FleetReader(bench.address, .init(byHost: true), clock: host.clock)
      let feeds: [Feed] = ["reviews", "web-1/reviews", "web-2/reviews"]
      #expect(
        try byHost.successes(of: feeds, limit: 2) == [
          "reviews": [], "web-1/reviews": last, "web-2/reviews": last,
        ])
    }

    /// There are more rows than are fetched at once.
    @Test func anExportHasEveryRowInTheOrderOfTheStore() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      try host.live(2_500)
      try host.ship(to: bench.address)
      func read(
        _ begin: () throws -> StoreExport
      ) throws -> (loads: [LoadingSession], others: Set<RecordLine>) {
        let (rows, lines) = (try begin(), try begin())
        var loads: [LoadingSession] = []
        var others: Set<RecordLine> = []
        while let page = try rows.nextRows() {
          for case .load(let load) in page { loads.append(load.withoutLocalFacts) }
        }
        while let page = try lines.nextLines() {
          for line in page {
            switch line {
            case .unmatched(var finish):
              finish.boot = nil
              others.insert(.unmatched(finish))
            case .acknowledged: others.insert(line)
            default: continue
            }
          }
        }
        return (loads, others)
      }
      let own = try read {
        try StoreExport(
          at: host.place.path, processes: host.processes, locks: ManualLocks(), clock: host.clock)
      }
      let fleet = FleetReader(bench.address, clock: host.clock)
      let found = try read { try fleet.export(LoadFilter(), onlyFlips: false).rows }
      #expect(found.loads == own.loads && own.loads.count > 500)
      #expect(found.others == own.others && own.others.count > 100)
      #expect(try fleet.hours(LoadFilter()) == host.reader.hours(LoadFilter()))
    }

    @Test func eachLoadOfAnExportMayHaveAnOwnerOfItsOwn() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      for _ in 0..<1_200 { try host.load("reviews", taking: .zero) }
      try host.ship(to: bench.address)
      let columns = ShippedTable.owner.columns.map(\.name)
      let values = columns.map { name in
        switch name {
        case "id", "pid": "s.seq + 10"
        case "uid": "gen_random_uuid()"
        default: "o.\(name)"
        }
      }
      try bench.psql(
        """
        INSERT INTO owner (host, \(columns.joined(separator: ", ")))
          SELECT o.host, \(values.joined(separator: ", ")) FROM owner AS o, session AS s;
        UPDATE session SET owner = seq + 10
        """)
      let rows = try FleetReader(bench.address, clock: host.clock).export(LoadFilter(), onlyFlips: false).rows
      var processes: Set<Int32> = []
      while let page = try rows.nextRows() {
        for case .load(let load) in page { processes.insert(load.owner.owner.process.pid) }
      }
      #expect(processes.count == 1_200)
    }

    @Test func aTextWithNULFindsWhatItFindsInTheStore() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      for message in ["a\0b", "ab"] { try host.start("reviews", message: message) }
      try host.ship(to: bench.address)
      let fleet = FleetReader(bench.address, clock: host.clock)
      let filters = [
        LoadFilter(text: "\0"), LoadFilter(text: "a\0b"), LoadFilter(text: "a\0c"), LoadFilter(tag: "\0"),
      ]
      for filter in filters {
        let own = try host.reader.history(filter).loads
        #expect(try fleet.history(filter).loads.map(\.id) == own.map(\.id), "\(filter)")
      }
    }

    @Test func hostsAreListedWithWhatTheyRecorded() throws {
      let bench = try PostgresBench()
      let none = try FleetReader(bench.address).fleetHosts(countingLoads: true)
      #expect(none.hosts.isEmpty && abs(none.now - Int64(Date().timeIntervalSince1970 * 1e6)) < 60_000_000)
      let hosts = try ["web-2", "web-1"].map { try RecordedHost($0) }
      for _ in 0..<3 { try hosts[1].load("reviews", taking: .seconds(1)) }
      try hosts[0].ship(to: bench.address)
      try hosts[1].ship(to: bench.address, .unusual)
      try bench.hosts.retire("web-2")
      let (found, now) = try FleetReader(bench.address).fleetHosts(countingLoads: true)
      #expect(found.map(\.name) == ["web-1", "web-2"] && found.map(\.recorded) == [3, 0])
      let uncounted = try FleetReader(bench.address).fleetHosts(countingLoads: false).hosts
      #expect(uncounted.map(\.recorded) == [nil, nil])
      #expect(
        found.map(\.state) == [.alive, .retired] && found.map(\.loads) == ["unusual", "all"])
      #expect(
        abs(found[0].heard - now) < 60_000_000
          && abs(now - Int64(Date().timeIntervalSince1970 * 1e6)) < 60_000_000)
      // The clock of a test's host stands elsewhere.
      #expect(
        found[0].hasWrongClock && abs(found[0].clockOffset - (now - hosts[1].clock.now().wall)) < 60_000_000)
    }

    @Test func theAdviceAboutAnUnknownFeedLeadsToTheFleet() throws {
      let bench = try PostgresBench()
      let error = #expect(throws: LoadLogError.self) {
        try FleetReader(bench.address).expectFeeds(["backup/*"])
      }
      #expect(error?.advice?.contains("loadlog status --fleet") == true)
    }

    @Test func aLoadWithoutARowIsNotDenied() throws {
      let bench = try PostgresBench()
      let error = #expect(throws: LoadLogError.self) {
        try FleetReader(bench.address).load(matching: IDTail("00000000"))
      }
      #expect(error?.why == "no host has shipped a row of a load with this id")
      #expect(error?.advice?.hasSuffix("loadlog history --fleet.") == true)
    }

    @Test func aReaderConnectsAgain() throws {
      let bench = try PostgresBench()
      let host = try RecordedHost("web-1")
      try host.load("reviews", taking: .seconds(1))
      try host.ship(to: bench.address)
      let fleet = FleetReader(bench.address)
      #expect(try fleet.feeds() == ["reviews"])
      try bench.psql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
      )
      #expect(try fleet.feeds() == ["reviews"])
    }
  }

  extension [FeedStatus] {
    fileprivate var problems: [Feed: [FeedProblem]] {
      let troubled = filter { !$0.problems.isEmpty }
      return Dictionary(uniqueKeysWithValues: troubled.map { ($0.feed, $0.problems) })
    }
  }

  extension LoadPage {
    fileprivate var withoutLocalFacts: LoadPage {
      var page = self
      page.loads = loads.map(\.withoutLocalFacts)
      return page
    }
  }

  extension LoadingSession {
    /// Without what has a meaning on its own host only, and with the name of that host.
    fileprivate var withoutLocalFacts: LoadingSession {
      var load = self
      load.started = LoadInstant(wall: started.wall, boot: 0)
      load.owner.opened = LoadInstant(wall: owner.opened.wall, boot: 0)
      load.owner.lastCommit = LoadInstant(wall: owner.lastCommit.wall, boot: 0)
      load.owner.owner.lock = nil
      load.owner.owner.process.startTicks = nil
      load.owner.owner.process.pidNamespace = nil
      load.owner.owner.process.timeNamespace = nil
      load.fleetHost = "web-1"
      return load
    }
  }

  extension Imbalance {
    /// As the fleet shows it.
    fileprivate var shipped: Imbalance {
      var imbalance = self
      imbalance.fleetHost = "web-1"
      return imbalance
    }
  }

  extension DayNumbers {
    /// Without the mark of numbers that may be approximate.
    fileprivate var exact: DayNumbers {
      var day = self
      day.numbers.isApproximate = false
      return day
    }
  }
#endif
