#if Fleet
  import Dispatch
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  import Synchronization
  import Testing

  @Suite struct FleetSchemaTests {
    @Test(arguments: ShippedTable.allCases)
    func aTableHasExactlyTheShippedColumns(table: ShippedTable) throws {
      let bench = try PostgresBench()
      let columns = try bench.psql(
        """
        SELECT a.attname || ' ' || upper(format_type(a.atttypid, NULL)) FROM pg_attribute AS a
        WHERE a.attrelid = '\(table.rawValue)'::regclass AND a.attnum > 0 ORDER BY a.attnum
        """)
      let shipped = ["host UUID"] + table.columns.map { "\($0.name) \($0.kind.rawValue)" }
      #expect(columns == shipped.joined(separator: "\n"))
      let key = try bench.psql(
        """
        SELECT string_agg(a.attname, ', ' ORDER BY array_position(i.indkey::int2[], a.attnum))
        FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid = '\(table.rawValue)'::regclass AND i.indisprimary
        """)
      #expect(key == (["host"] + table.columns.filter(\.isKey).map(\.name)).joined(separator: ", "))
    }

    @Test func initializingAgainChangesNothing() throws {
      let bench = try PostgresBench(isInitialized: false)
      #expect(try FleetSchema(bench.address).initialize() == ["0001_initial"])
      try bench.ship(bench.batch())
      #expect(try FleetSchema(bench.address).initialize() == [])
      #expect(try bench.hosts.all().count == 1)
    }

    @Test func severalMayInitializeAtOnce() throws {
      let bench = try PostgresBench(isInitialized: false)
      let all = (1...4).map { _ in Background { try FleetSchema(bench.address).initialize() } }
      #expect(try all.compactMap { try $0.value() }.filter { $0 == ["0001_initial"] }.count == 1)
    }

    @Test func tablesAreMissingUntilTheyAreMade() throws {
      let bench = try PostgresBench(isInitialized: false)
      let error = #expect(throws: LoadLogError.self) { try bench.destination.position(of: bench.host) }
      #expect(error?.code == .fleetUnusable)
      #expect(
        error?.description.contains("it has no tables of LoadLog. Create them: loadlog fleet init")
          == true)
      try FleetSchema(bench.address).initialize()
      #expect(try bench.destination.position(of: bench.host) == nil)
    }

    @Test func tablesOfANewerVersionAreLeftAlone() throws {
      let bench = try PostgresBench()
      try bench.psql("INSERT INTO migration (version, name) VALUES (99, 'later')")
      let error = #expect(throws: LoadLogError.self) { try bench.destination.position(of: bench.host) }
      #expect(error?.code == .fleetUnusable && error?.why.contains("newer version") == true)
    }

    @Test func aWriterShipsButDoesNotDeleteAndAReaderReads() throws {
      let bench = try PostgresBench(isInitialized: false)
      let (writer, reader) = ("writer \"\(bench.host)\"", "reader_\(bench.host)")
      for role in [writer, reader] {
        try bench.psql("CREATE ROLE \"\(role.replacing("\"", with: "\"\""))\" LOGIN")
      }
      try FleetSchema(bench.address).initialize(writer: writer, reader: reader)
      let options = { (user: String) in
        try FleetAddress(
          "host=\(bench.server.folder.path) port=\(bench.server.port) dbname=\(bench.database) user='\(user)'"
        )
      }
      let batch = bench.batch(nil, [.session: [ShippedTable.load(1, state: 1)]])
      #expect(try PostgresDestination(options(writer)).send(batch, lease: PostgresBench.lease))
      #expect(try FleetHosts(options(reader)).all().map(\.host.id) == [bench.host])
      let asked = try FleetReader(options(reader))
      #expect(try asked.history(LoadFilter(states: [.running], minimumDuration: 1)).loads.isEmpty)
      #expect(try asked.imbalanceSummary(LoadFilter()).imbalances.isEmpty)
      #expect(try bench.server.psql(bench.database, "SELECT count(*) FROM session", user: reader) == "1")

      #expect(
        try PostgresDestination(options(writer)).send(bench.batch(batch.next), lease: PostgresBench.lease))
      try PostgresDestination(options(writer)).endLease(of: bench.host)
      let forOwners: [(FleetHosts) throws -> Void] = [
        { try $0.prune(before: .max) }, { try $0.retire(bench.host.description) },
      ]
      for work in forOwners {
        let refusal = #expect(throws: LoadLogError.self) { try work(FleetHosts(options(writer))) }
        #expect(refusal?.code == .fleetUnusable && refusal?.why.contains("permission denied") == true)
        #expect(refusal?.advice?.contains("Only the role that made the tables") == true)
      }
      let making = #expect(throws: LoadLogError.self) { try FleetSchema(options(writer)).initialize() }
      #expect(making?.advice?.contains("GRANT CREATE ON SCHEMA public") == true)
      let stranger = "stranger_\(bench.host)"
      try bench.psql("CREATE ROLE \"\(stranger)\" LOGIN")
      let asking = #expect(throws: LoadLogError.self) { try FleetReader(options(stranger)).feeds() }
      #expect(asking?.advice?.contains("fleet init --reader") == true)
      let writing = #expect(throws: LoadLogError.self) {
        try PostgresDestination(options(reader)).send(bench.batch(batch.next), lease: PostgresBench.lease)
      }
      #expect(writing?.code == .fleetUnusable && writing?.advice?.contains("fleet init --writer") == true)
    }

    @Test func rightsCanBeGrantedToAllRoles() throws {
      let bench = try PostgresBench(isInitialized: false)
      try FleetSchema(bench.address).initialize(reader: "public")
      let anybody = "anybody_\(bench.host)"
      try bench.psql("CREATE ROLE \"\(anybody)\" LOGIN")
      #expect(try bench.server.psql(bench.database, "SELECT count(*) FROM session", user: anybody) == "0")
    }

    @Test func aRoleMayUseASchemaThatIsHiddenFromOthers() throws {
      let bench = try PostgresBench(isInitialized: false)
      try bench.psql("REVOKE ALL ON SCHEMA public FROM PUBLIC")
      let reader = "reader_\(bench.host)"
      try bench.psql("CREATE ROLE \"\(reader)\" LOGIN")
      try FleetSchema(bench.address).initialize(reader: reader)
      #expect(try bench.server.psql(bench.database, "SELECT count(*) FROM session", user: reader) == "0")
    }

    @Test func aDatabaseThatCannotHoldAllTextsIsRefused() throws {
      let bench = try PostgresBench(isInitialized: false)
      let name = "latin_\(bench.database)"
      try bench.psql("CREATE DATABASE \(name) ENCODING 'LATIN1' TEMPLATE template0")
      let address = try FleetAddress(
        "host=\(bench.server.folder.path) port=\(bench.server.port) dbname=\(name) user=postgres")
      let error = #expect(throws: LoadLogError.self) { try FleetSchema(address).initialize() }
      #expect(error?.code == .fleetUnusable && error?.why.contains("LATIN1") == true)
      #expect(error?.advice?.contains("ENCODING 'UTF8'") == true)
    }

    @Test func rightsCanBeGrantedByTwoAtOnce() throws {
      let bench = try PostgresBench(isInitialized: false)
      let writer = "writer_\(bench.host)"
      try bench.psql("CREATE ROLE \"\(writer)\" LOGIN")
      let address = bench.address
      let errors = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 6) { _ in
        do {
          try FleetSchema(address).initialize(writer: writer)
        } catch {
          errors.withLock { $0.append("\(error)") }
        }
      }
      #expect(errors.withLock { $0 } == [])
    }

    @Test func aRoleMustExist() throws {
      let bench = try PostgresBench(isInitialized: false)
      let error = #expect(throws: LoadLogError.self) {
        try FleetSchema(bench.address).initialize(writer: "nobody_here")
      }
      #expect(
        error?.code == .fleetUnusable
          && error?.why == "role \"nobody_here\" does not exist, so nothing was changed")
      #expect(try bench.psql("SELECT count(*) FROM pg_class WHERE relname IN ('migration', 'host')") == "0")
    }
  }
#endif
