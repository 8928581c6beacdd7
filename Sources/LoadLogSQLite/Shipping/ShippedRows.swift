import GRDB
import LoadLogCore

/// Reads rows of a store as a fleet's database has them.
struct ShippedRows {
  let database: Database
  let withMessages: Bool
  private(set) var rows: [ShippedTable: [[ShippedValue]]] = [:]

  /// Where the rows of a table come from; `shipped_key` and `shipped_key2` are the key that waits.
  private static func source(of table: ShippedTable) -> String {
    let (name, keys) = table.stored
    let condition = zip(keys, ["shipped_key", "shipped_key2"]).map { "\(name).\($0) = \($1)" }
    let join = "JOIN \(name) ON \(condition.joined(separator: " AND "))"
    switch table {
    // What was removed is shipped as removed.
    case .expectation, .acknowledgement: return "LEFT \(join)"
    case .session:
      return """
        \(join) LEFT JOIN visibility ON visibility.session = session.seq
        LEFT JOIN run ON run.session = session.seq
        """
    default: return join
    }
  }

  private static func select(_ table: ShippedTable, from keys: String) -> String {
    "SELECT \(table.columns.map(\.source).joined(separator: ", ")) FROM \(keys) \(source(of: table))"
  }

  /// Adds the rows of tables other than `session` that a batch took from the outbox.
  mutating func add(_ table: ShippedTable, takenBy attempt: Int64) throws {
    let keys =
      "(SELECT key AS shipped_key, key2 AS shipped_key2 FROM unshipped WHERE kind = ? AND attempt = ?)"
    let statement = try RawStatement(database, Self.select(table, from: keys), table.rawValue, attempt)
    try add(table, statement)
  }

  /// Adds the rows with some numbers.
  mutating func add(_ table: ShippedTable, _ numbers: [Int64]) throws {
    let statement = try RawStatement(database, Self.select(table, from: "(SELECT ? AS shipped_key)"))
    for number in numbers {
      statement.bind(1, number)
      try add(table, statement)
    }
  }

  private mutating func add(_ table: ShippedTable, _ statement: RawStatement) throws {
    let columns = table.columns
    try statement.forEach { row in
      rows[table, default: []].append(
        try columns.enumerated().map { index, column in try value(column, row, Int32(index)) })
    }
  }

  private func value(_ column: ShippedColumn, _ row: RawStatement, _ index: Int32) throws -> ShippedValue {
    switch column.kind {
    case .bigint, .smallint, .boolean:
      guard withMessages || column.name != "message" else { return .null }
      return try row.integer(index).map { .integer($0) } ?? .null
    case .text: return try row.text(index).map { .text($0) } ?? .null
    case .uuid: return try row.id(index).map { .uuid($0) } ?? .null
    case .bytea: return try row.bytes(index).map { .bytes($0) } ?? .null
    }
  }

  /// The rows, with all rows that they refer to.
  mutating func complete() throws -> [ShippedTable: [[ShippedValue]]] {
    // Feeds and owners refer to texts, and nothing else refers to feeds and owners than what is read before.
    for target in [ShippedTable.feed, .owner, .text] {
      var missing = references(to: target)
      for case .integer(let number) in (rows[target] ?? []).map(\.[0]) { missing.remove(number) }
      try add(target, missing.sorted())
    }
    return rows
  }

  /// The numbers of the rows of a table that rows of others refer to.
  private func references(to target: ShippedTable) -> Set<Int64> {
    var found: Set<Int64> = []
    for (table, rows) in rows {
      for (index, column) in table.columns.enumerated() where column.target == target {
        for row in rows {
          if case .integer(let number) = row[index], number != 0 { found.insert(number) }
        }
      }
    }
    return found
  }
}
