#if Fleet
  package import LoadLogCore
  import LoadLogSQLite
  import PostgresMigrations

  /// The tables of a fleet's database, and who may use them.
  ///
  /// The role that makes them owns them, and is the only one that deletes rows and retires hosts. Hosts ship as a writer,
  /// which reads and writes rows; reports read as a reader.
  package struct FleetSchema {
    private let database: FleetDatabase

    package init(_ address: FleetAddress) {
      database = FleetDatabase(
        address,
        withoutRights:
          "Use the role that made the tables, or the first time one that may: GRANT CREATE ON SCHEMA public TO ROLE"
      )
    }

    /// Creates the tables that are missing, and grants rights to roles. Calling it again is harmless.
    ///
    /// - Returns: the steps that were applied, by name; none if all were.
    /// - Throws: `fleetUnreachable`, `busy`, or `fleetUnusable`; nothing is changed if a role does not exist.
    @discardableResult
    package func initialize(writer: String? = nil, reader: String? = nil) throws(LoadLogError) -> [String] {
      try database.use { (connection) throws(LoadLogError) in
        try expectUnicode(connection)
        for role in [writer, reader] { try expect(role, connection) }
        try Self.createMigrationTable(connection)
        var applied: [String] = []
        for step in postgresMigrations {
          let isNew = try connection.transaction { () throws(LoadLogError) in try Self.apply(step, connection)
          }
          if isNew { applied.append(step.name) }
        }
        try connection.transaction { () throws(LoadLogError) in
          let shipped = ShippedTable.allCases.map(\.rawValue).joined(separator: ", ")
          let read = [
            "SELECT ON host, \(shipped), migration, fleet_hosts, fleet_status, fleet_unbalanced, fleet_history"
          ]
          // Without UPDATE on `retired_at`, no host can take another one out of all answers.
          let write = [
            "INSERT ON host, \(shipped)", "UPDATE ON \(shipped)",
            "UPDATE (\(PostgresDestination.columns)) ON host",
          ]
          if writer != nil || reader != nil {
            // Of two that grant at once, one would get an error.
            try connection.run("SELECT version FROM migration FOR UPDATE")
          }
          try Self.grant(read + write, to: writer, connection)
          try Self.grant(read, to: reader, connection)
        }
        return applied
      }
    }

    /// Refuses a database that cannot hold all texts, or compares their bytes instead of their characters.
    private func expectUnicode(_ connection: PostgresConnection) throws(LoadLogError) {
      let encoding = try connection.run("SHOW server_encoding").rows.first?.first ?? nil
      guard let encoding, encoding != "UTF8" else { return }
      throw database.refusal(
        "its encoding is \(encoding), and texts need UTF8",
        advice: "Create another one: CREATE DATABASE loadlog ENCODING 'UTF8' TEMPLATE template0")
    }

    /// Refuses a role that does not exist, before anything is made: tables would belong to a role that may have been the
    /// wrong one to begin with.
    private func expect(_ role: String?, _ connection: PostgresConnection) throws(LoadLogError) {
      // PostgreSQL calls all roles together "public".
      guard let role, role != "public",
        try connection.run("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]).rows.isEmpty
      else { return }
      let name = try connection.quoted(name: role)
      throw database.refusal(
        "role \(name) does not exist, so nothing was changed", advice: "Create it: CREATE ROLE \(name) LOGIN")
    }

    private static func createMigrationTable(_ connection: PostgresConnection) throws(LoadLogError) {
      do {
        try connection.run(
          "CREATE TABLE IF NOT EXISTS migration (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at TIMESTAMPTZ)"
        )
      } catch {
        // Of two that create it at once, one gets the error that the table or its type exists.
        guard let state = error.postgresFailure?.state, ["23505", "42P07", "42710"].contains(state) else {
          throw error
        }
      }
    }

    /// Applies a step, and returns whether it was new. A second one that runs at the same time waits at the row.
    private static func apply(
      _ step: PostgresMigration, _ connection: PostgresConnection
    ) throws(LoadLogError) -> Bool {
      let row = try connection.run(
        "INSERT INTO migration (version, name, applied_at) VALUES ($1::BIGINT, $2, now()) ON CONFLICT (version) DO NOTHING",
        [String(step.version), step.name])
      guard row.changed == 1 else { return false }
      try connection.run(step.sql)
      return true
    }

    private static func grant(
      _ rights: [String], to role: String?, _ connection: PostgresConnection
    ) throws(LoadLogError) {
      guard let role else { return }
      let name = try connection.quoted(name: role)
      // Many administrators revoke the right that all roles have at first to use the schema `public`.
      let hidden = try connection.run(
        "SELECT current_schema() WHERE NOT has_schema_privilege($1, current_schema(), 'USAGE')", [role])
      if let schema = hidden.rows.first?.first ?? nil {
        try connection.run("GRANT USAGE ON SCHEMA \(connection.quoted(name: schema)) TO \(name)")
      }
      for right in rights { try connection.run("GRANT \(right) TO \(name)") }
    }
  }
#endif
