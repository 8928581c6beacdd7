#if Fleet
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  import LoadLogTestSupport
  import Synchronization
  import TestProcesses
  import Testing

  @Suite(.timeLimit(.minutes(10))) struct PostgresDestinationTests {
    private let bench: PostgresBench

    init() throws { bench = try PostgresBench() }

    @Test func aBatchMovesThePositionAndWritesRows() throws {
      #expect(try bench.destination.position(of: bench.host) == nil)
      let first = try bench.ship(bench.batch(nil, [.session: [ShippedTable.load(1, state: 0)]]))
      #expect(try bench.destination.position(of: bench.host) == first)
      let second = try bench.ship(bench.batch(first, [.session: [ShippedTable.load(1, state: 3)]]))
      #expect(try bench.destination.position(of: bench.host) == second)
      #expect(try bench.psql("SELECT seq, state FROM session") == "1|3")
      #expect(
        try bench.psql("SELECT rev, name, machine_id, loads, with_messages, waiting FROM host")
          == "2|web-1|m1|all|t|7")
    }

    @Test func aBatchWithAnotherBaseWritesNothing() throws {
      let first = try bench.ship(bench.batch())
      let second = try bench.ship(bench.batch(first))
      let rows: [ShippedTable: [[ShippedValue]]] = [.session: [ShippedTable.load(1, state: 1)]]
      let bases = [
        nil, first, ShippedPosition(token: SessionID(), rev: second.rev),
        ShippedPosition(token: second.token, rev: second.rev + 1),
      ]
      for base in bases {
        #expect(try !bench.destination.send(bench.batch(base, rows, gone: [1]), lease: PostgresBench.lease))
      }
      #expect(try bench.destination.position(of: bench.host) == second)
      #expect(try bench.psql("SELECT count(*) FROM session") == "0")
    }

    @Test func valuesOfAllKindsArriveUnchanged() throws {
      let texts = [
        "", "NULL", "{\"a\\b\",'c'}", "line\nbreak\ttab\r", "día 🌍 e\u{301}", "nul\0nul", "\\x00", "$1",
      ]
      let id = SessionID()
      let rows: [ShippedTable: [[ShippedValue]]] = [
        .text: texts.enumerated().map { [.integer(Int64($0)), .text($1)] },
        .summary: [
          ShippedTable.summary.row([
            "day": .integer(-1), "feed": .integer(0), "loads": .integer(.max),
            "success_histogram": .bytes([0, 0x22, 0x5C, 0x7F, 0x80, 0xFF]), "other_histogram": .bytes([]),
            "is_sealed": .integer(1),
          ])
        ],
        .acknowledgement: [
          ShippedTable.acknowledgement.row(["id": .uuid(id), "by": .text("me"), "is_removed": .integer(0)])
        ],
      ]
      try bench.ship(bench.batch(nil, rows))
      let stored = try bench.psql(
        "SELECT 'x' || encode(convert_to(value, 'UTF8'), 'hex') FROM text_value ORDER BY id")
      let hex = texts.map { text in
        "x" + text.replacing("\0", with: "\u{FFFD}").utf8.map { String(format: "%02x", $0) }.joined()
      }
      #expect(stored.components(separatedBy: "\n") == hex)
      #expect(
        try bench.psql(
          "SELECT day, loads, success_histogram, other_histogram, other_sum IS NULL, is_sealed FROM summary")
          == #"-1|9223372036854775807|\x00225c7f80ff|\x|t|t"#)
      #expect(
        try bench.psql("SELECT host, id, at IS NULL, is_removed FROM acknowledgement")
          == "\(bench.host)|\(id)|t|f")
    }

    @Test func aBatchOfManyRowsIsWrittenByManyStatements() throws {
      let loads = (1...4_321).map { ShippedTable.load($0, state: 1) }
      try bench.ship(bench.batch(nil, [.session: loads]))
      #expect(
        try bench.psql("SELECT count(*), min(seq), max(seq), sum(seq) FROM session") == "4321|1|4321|9337681")
    }

    @Test func onlyOpenLoadsThatAreGoneAreHidden() throws {
      let states: [Int64] = [0, 3, 0, 6]
      let loads = zip(1..., states).map { ShippedTable.load($0, state: $1) }
      let first = try bench.ship(bench.batch(nil, [.session: loads]))
      try bench.ship(bench.batch(nil, [.session: loads], of: SessionID()))
      try bench.ship(bench.batch(first, gone: [1, 2, 4, 99]))
      let rows = try bench.psql(
        "SELECT seq, state, duration FROM session WHERE host = '\(bench.host)' ORDER BY seq")
      #expect(rows == "1||5\n2|3|5\n3|0|5\n4||5")
      #expect(try bench.psql("SELECT count(*) FROM session WHERE state = 0") == "3")
      // A batch that is not taken hides nothing.
      #expect(try !bench.destination.send(bench.batch(first, gone: [3]), lease: PostgresBench.lease))
      #expect(try bench.psql("SELECT count(*) FROM session WHERE state = 0") == "3")
    }

    @Test func aTransactionThatMeetsAnotherIsTriedAgain() async throws {
      let first = try bench.ship(bench.batch())
      try bench.psql("ALTER DATABASE \(bench.database) SET default_transaction_isolation = 'repeatable read'")
      let other = try Child(bench.server.psqlCommand(bench.database))
      try other.write("BEGIN; UPDATE host SET waiting = 99; SELECT 'locked';")
      #expect(try other.line() == "locked")

      let (destination, batch) = (PostgresDestination(bench.address), bench.batch(first))
      let sending = Background { try destination.send(batch, lease: PostgresBench.lease) }
      let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      while try bench.psql(waiting) == "0" { try Task.checkCancellation() }
      try other.write("COMMIT; SELECT 'done';")
      #expect(try other.line() == "done")
      #expect(try sending.value() == true)
      #expect(try bench.destination.position(of: bench.host) == batch.next)
    }

    @Test func aConnectionThatBrokeIsMadeAgain() throws {
      let first = try bench.ship(bench.batch())
      try bench.psql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'loadlog' AND datname = '\(bench.database)'"
      )
      let error = #expect(throws: LoadLogError.self) { try bench.ship(bench.batch(first)) }
      #expect(error?.code == .fleetUnreachable)
      #expect(error?.description.contains(bench.database) == true)
      #expect(error?.why.contains("\t") == false, "lines that libpq has wrapped are one")
      try bench.ship(bench.batch(first))
    }

    @Test func theClocksAreCompared() throws {
      let clock = ManualClock()
      let destination = PostgresDestination(bench.address, clock: clock)
      #expect(try destination.send(bench.batch(), lease: PostgresBench.lease))
      let offset = try #require(Int64(try bench.psql("SELECT clock_offset FROM host")))
      let now = Int64(Date().timeIntervalSince1970 * 1e6)
      #expect(abs(offset - (now - clock.now().wall)) < 60_000_000)
    }

    /// A clock of which hours pass while the database answers.
    private final class SlowLink: LoadClock {
      private let readings = Atomic(0)

      func now() -> LoadInstant {
        let hours = readings.add(1, ordering: .relaxed).newValue * 2 - 3
        return LoadInstant(wall: BootClock().now().wall + Int64(hours) * 3_600_000_000, boot: 0)
      }

      func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm {
        BootClock().schedule(at: boot, action)
      }
    }

    @Test func timeThatPassesUntilAnAnswerIsNoWrongClock() throws {
      let destination = PostgresDestination(bench.address, clock: SlowLink())
      #expect(try destination.send(bench.batch(), lease: PostgresBench.lease))
      #expect(try bench.psql("SELECT clock_offset FROM host") == "0")
    }
  }
#endif
