#if Fleet
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  import Testing

  @Suite struct FleetHostsTests {
    private let bench: PostgresBench

    init() throws { bench = try PostgresBench() }

    @Test func aHostIsAliveUntilItsLeaseEndsOrItSaysGoodbye() throws {
      let first = try bench.ship(bench.batch())
      let found = try #require(try bench.hosts.all().first)
      let alive = found.host
      #expect(alive.state == .alive && alive.id == bench.host && alive.name == "web-1" && alive.waiting == 7)
      #expect(alive.version == "0.1.0" && alive.loads == "all" && found.withMessages)
      #expect(try bench.psql("SELECT machine_id FROM fleet_hosts") == "m1")
      #expect(alive.leaseUntil == alive.heard + 300_000_000 && alive.retired == nil)
      #expect(abs(Date(microseconds: alive.heard).timeIntervalSinceNow) < 60 && found.silentFor >= .zero)

      let second = try bench.ship(bench.batch(first), lease: .zero)
      #expect(try bench.hosts.all().map(\.host.state) == [.silent])
      try bench.destination.endLease(of: bench.host)
      let closed = try #require(try bench.hosts.all().first).host
      #expect(closed.state == .closed && closed.leaseUntil == nil)
      try bench.ship(bench.batch(second))
      #expect(try bench.hosts.all().map(\.host.state) == [.alive])
    }

    @Test func aRetiredHostIsRefused() throws {
      let first = try bench.ship(bench.batch())
      try bench.hosts.retire("web-1")
      #expect(try bench.hosts.all().map(\.host.state) == [.retired])
      #expect(try !bench.destination.send(bench.batch(first), lease: PostgresBench.lease))
      #expect(try !bench.destination.send(bench.batch(), lease: PostgresBench.lease))
      let error = #expect(throws: LoadLogError.self) { try bench.destination.position(of: bench.host) }
      #expect(
        error?.code == .fleetUnusable && error?.why == "this host is retired and must not ship any more")
      #expect(error?.advice?.contains("--as-new-host") == true)
    }

    @Test func aNameThatSeveralHostsHaveIsAmbiguous() throws {
      try bench.ship(bench.batch())
      let other = SessionID()
      try bench.ship(bench.batch(of: other))
      let several = #expect(throws: LoadLogError.self) { try bench.hosts.retire("web-1") }
      #expect(
        several?.code == .ambiguousID && several?.advice?.contains("\(other) (alive, last heard ") == true)
      try bench.hosts.retire(other.description.uppercased())
      try bench.hosts.retire("web-1")
      #expect(try bench.hosts.all().map(\.host.state) == [.retired, .retired])
      let none = #expect(throws: LoadLogError.self) { try bench.hosts.retire("web-2") }
      #expect(none?.code == .notFound)
    }

    @Test func pruningDeletesWhatIsOldAndAllOfRetiredHosts() throws {
      let day = UTCDay.length
      let rows: [ShippedTable: [[ShippedValue]]] = [
        .text: [[.integer(1), .text("a")]],
        .summary: [-1, 3, 4].map { ShippedTable.summary.row(["day": .integer($0), "feed": .integer(1)]) },
        .site: [-1, 2, 3, 4].map {
          ShippedTable.site.row([
            "day": .integer($0), "feed": .integer(1), "kind": .integer(6), "call_site": .integer(0),
            "is_likely": .integer(0), "count": .integer($0 == 2 ? 1 : 0),
          ])
        },
        .flip: [1, 2].map { ShippedTable.flip.row(["n": .integer($0), "at": .integer(($0 + 2) * day)]) },
        .unmatched: [1, 2].map {
          ShippedTable.unmatched.row(["seq": .integer($0), "at": .integer(($0 + 2) * day)])
        },
        .session: [
          ShippedTable.load(1, state: 1, started: 3 * day), ShippedTable.load(2, state: 0, started: 3 * day),
          ShippedTable.load(3, state: 1, started: 4 * day), ShippedTable.load(4, state: 6, started: 3 * day),
        ],
      ]
      let retired = SessionID()
      try bench.ship(bench.batch(nil, rows))
      try bench.ship(bench.batch(nil, rows, of: retired, name: "web-2"))
      try bench.hosts.retire("web-2")

      #expect(try bench.hosts.prune(before: 4 * day + day / 2) == 4 + 16)
      #expect(try bench.hosts.prune(before: 5 * day - 1) == 0)
      let counts = try ["text_value", "summary", "site", "flip", "unmatched", "session"].map {
        try bench.psql("SELECT count(*), count(DISTINCT host) FROM \($0)")
      }
      #expect(counts == ["1|1", "2|1", "3|1", "1|1", "2|1", "3|1"])
      // As in a store, imbalances stay, and so do the days that say when they were.
      #expect(try bench.psql("SELECT seq FROM session ORDER BY seq") == "2\n3\n4")
      #expect(try bench.psql("SELECT day FROM site ORDER BY day") == "-1\n2\n4")
      #expect(try bench.psql("SELECT day FROM summary ORDER BY day") == "-1\n4")
      #expect(try bench.hosts.all().count == 2)
    }

    @Test func manyRowsAreDeletedInParts() throws {
      try bench.ship(bench.batch(nil, [.text: (0..<10_500).map { [.integer($0), .text("")] }]))
      try bench.hosts.retire("web-1")
      #expect(try bench.hosts.prune(before: 0) == 10_500)
      #expect(try bench.psql("SELECT count(*) FROM text_value") == "0")
    }
  }
#endif
