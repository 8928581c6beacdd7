#if Fleet
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  import Testing

  /// The views of a fleet's database, which are a contract for SQL users.
  @Suite struct FleetViewTests {
    private let bench: PostgresBench
    private let loads = (1...4).map { SessionID(milliseconds: $0) }
    private let orphan = SessionID(milliseconds: 9)
    private let position: ShippedPosition

    /// Microseconds of 2026-11-24 14:00:00.123456 UTC.
    private static let start: Int64 = 1_795_528_800_123_456

    init() throws {
      bench = try PostgresBench()
      position = try bench.ship(bench.batch(nil, Self.rows(loads, orphan)))
    }

    private static func rows(_ loads: [SessionID], _ orphan: SessionID) -> [ShippedTable: [[ShippedValue]]] {
      let load = { (seq: Int, state: Int64, more: [String: ShippedValue]) in
        let usual: [String: ShippedValue] = [
          "seq": .integer(Int64(seq)), "id": .uuid(loads[seq - 1]), "feed": .integer(1), "owner": .integer(1),
          "state": .integer(state), "started_at": .integer(start), "is_anonymous": .integer(0),
          "is_finished_after_verdict": .integer(0), "duration_source": .integer(0),
        ]
        return ShippedTable.session.row(usual.merging(more) { $1 })
      }
      return [
        .text: [[.integer(1), .text("HTTP 500")], [.integer(2), .text("Reader/Feeds.swift:3")]],
        .feed: [
          ShippedTable.feed.row([
            "id": .integer(1), "name": .text("news"), "last_updated": .integer(start),
            "last_failure": .integer(1),
            "overlap_count": .integer(2),
          ]),
          // Its expectation was removed, and it was never loaded, so it is not known.
          ShippedTable.feed.row(["id": .integer(2), "name": .text("mews"), "is_expected": .integer(1)]),
        ],
        .owner: [
          ShippedTable.owner.row([
            "id": .integer(1), "kind": .text("inferred"), "name": .text("box"), "app": .text("curl"),
            "pid": .integer(0), "evidence": .text("it was killed"),
          ])
        ],
        .summary: [
          summary(day: -1, loads: 4), summary(day: 20_000, loads: 3),
        ],
        .acknowledgement: [
          acknowledgement(loads[2], isRemoved: 0, note: "known"), acknowledgement(orphan, isRemoved: 1),
        ],
        .unmatched: [
          ShippedTable.unmatched.row([
            "seq": .integer(1), "id": .uuid(orphan), "kind": .integer(2), "at": .integer(start),
          ]),
          // pop_after_reset is not unbalanced
          ShippedTable.unmatched.row(["seq": .integer(2), "id": .uuid(SessionID()), "kind": .integer(3)]),
        ],
        .session: [
          load(1, 1, ["duration": .integer(1_500_000_000), "wall_drift": .integer(2_000_000)]),
          load(2, 3, ["duration": .integer(1), "wall_drift": .integer(0), "reason": .integer(1)]),
          load(
            3, 6, ["duration": .integer(500_000_000), "call_site": .integer(2), "is_anonymous": .integer(1)]),
          load(4, 0, [:]),
        ],
      ]
    }

    private static func summary(day: Int64, loads: Int64) -> [ShippedValue] {
      var row: [String: ShippedValue] = [
        "day": .integer(day), "feed": .integer(1), "loads": .integer(loads), "succeeded": .integer(1),
        "failed": .integer(1), "crashed": .integer(1), "success_sum": .integer(1_500_000_000),
        "success_count": .integer(1), "success_greatest": .integer(1_500_000_000),
        "other_sum": .integer(500_000_000),
        "other_count": .integer(1), "other_greatest": .integer(500_000_000),
      ]
      for name in ["unchanged", "cancelled", "ended", "rebooted", "abandoned", "extra_pop"] {
        row[name] = .integer(0)
      }
      return ShippedTable.summary.row(row)
    }

    private static func acknowledgement(_ id: SessionID, isRemoved: Int64, note: String = "")
      -> [ShippedValue]
    {
      ShippedTable.acknowledgement.row([
        "id": .uuid(id), "note": .text(note), "is_removed": .integer(isRemoved),
      ])
    }

    @Test func statusHasARowForEachHostAndFeed() throws {
      let columns = """
        host, feed, last_updated AT TIME ZONE 'UTC', last_failure, loads, running, unknown, succeeded, crashed,
        extra_pop, mean_duration, max_duration, overlap_count
        """
      let alive = "web-1|news|2026-11-24 14:00:00.123456|HTTP 500|4|1|0|1|1|0|1|1.5|2"
      #expect(try bench.psql("SELECT \(columns) FROM fleet_status") == alive)
      // Nothing is known of a running load of a host that is silent.
      try bench.ship(bench.batch(position), lease: .zero)
      #expect(try bench.psql("SELECT running, unknown FROM fleet_status") == "0|1")
    }

    /// A store holds sums at their greatest value.
    @Test func statusAnswersWithTheGreatestSums() throws {
      let greatest = "UPDATE summary SET success_sum = \(Int64.max), other_sum = \(Int64.max)"
      #expect(try bench.psql("\(greatest); SELECT mean_duration > 9e9 FROM fleet_status").hasSuffix("t"))
    }

    @Test func historyHasARowForEachLoad() throws {
      let columns = """
        id, state, started AT TIME ZONE 'UTC', finished AT TIME ZONE 'UTC', duration, open_at_least, duration_source,
        clock_jump, pid, owner_host, app, inferred, call_site, reason
        """
      let start = "2026-11-24 14:00:00.123456"
      #expect(
        try bench.psql("SELECT \(columns) FROM fleet_history ORDER BY id") == """
          \(loads[0])|succeeded|\(start)|2026-11-24 14:00:03.623456|1.5||boot|2||box|curl|t||
          \(loads[1])|failed|\(start)|\(start)|1e-09||boot|||box|curl|t||HTTP 500
          \(loads[2])|crashed|\(start)|||0.5||||box|curl|t|Reader/Feeds.swift:3|
          \(loads[3])|running|\(start)|||||||box|curl|t||
          """)
      try bench.ship(bench.batch(position), lease: .zero)
      #expect(try bench.psql("SELECT state FROM fleet_history ORDER BY id DESC LIMIT 1") == "unknown")
    }

    @Test func unbalancedHasARowForEachImbalance() throws {
      #expect(
        try bench.psql(
          "SELECT id, kind, feed, evidence, call_site, likely, acknowledged, note FROM fleet_unbalanced ORDER BY id"
        )
          == """
          \(loads[2])|crashed|news|it was killed|Reader/Feeds.swift:3|t|t|known
          \(orphan)|extra_pop||||f|f|
          """)
    }

    @Test func aRetiredHostIsOnlyListed() throws {
      try bench.hosts.retire("web-1")
      for view in ["fleet_status", "fleet_history", "fleet_unbalanced"] {
        #expect(try bench.psql("SELECT count(*) FROM \(view)") == "0")
      }
      #expect(try bench.psql("SELECT host, state FROM fleet_hosts") == "web-1|retired")
    }
  }
#endif
