import GRDB

/// The records that a table or an index of the newest schema holds. They identify a page to which nothing leads.
///
/// All tables are STRICT, so every value has its column's type.
struct TreeShape: Sendable {
  struct Column: Sendable {
    let name: String
    let type: String
    let isOptional: Bool
    /// Whether it is the row's number, which the record does not hold.
    var isRowNumber = false
  }

  /// The table's name, or the index's.
  let name: String
  let isTable: Bool
  /// Whether it is a table with row ids.
  let hasRowNumbers: Bool
  /// The columns in the order of records.
  let columns: [Column]
  /// The rows of a table that only migrations write to; nil for other tables.
  let fixedRows: Set<[RecordValue]>?
  /// Whether a new store has rows that a recovered one replaces.
  let replacesRows: Bool

  /// Whether a store keeps something there that a new one does not have by itself.
  var holdsRows: Bool { isTable && fixedRows == nil }

  /// The statement that inserts a row.
  var insert: String {
    let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT \(replacesRows ? "OR REPLACE " : "")INTO \"\(name)\" (\(names)) VALUES (\(marks))"
  }

  /// Whether a record can be one of this table or index.
  func fits(_ values: [RecordValue]) -> Bool {
    guard values.count == columns.count else { return false }
    if let fixedRows { return fixedRows.contains(values) }
    return zip(columns, values).allSatisfy { column, value in
      switch (value, column.type) {
      case (.null, _): column.isOptional || column.isRowNumber
      case (_, "ANY"): true
      case (.integer, "INTEGER"): !column.isRowNumber
      case (.text, "TEXT"), (.blob, "BLOB"): true
      default: false
      }
    }
  }

  /// Whether pages of a kind can belong to it.
  func fits(_ kind: TreePage.Kind) -> Bool { kind.isTable == hasRowNumbers }
}

extension TreeShape {
  /// The table of all tables and indexes.
  static let schema = TreeShape(
    name: "sqlite_schema", isTable: true, hasRowNumbers: true,
    columns: [
      Column(name: "type", type: "TEXT", isOptional: false),
      Column(name: "name", type: "TEXT", isOptional: false),
      Column(name: "tbl_name", type: "TEXT", isOptional: false),
      Column(name: "rootpage", type: "INTEGER", isOptional: false),
      Column(name: "sql", type: "TEXT", isOptional: true),
    ], fixedRows: nil, replacesRows: false)

  /// The table with the last row number of each table that never gives a number twice.
  static let sequence = TreeShape(
    name: "sqlite_sequence", isTable: true, hasRowNumbers: true,
    columns: [
      Column(name: "name", type: "TEXT", isOptional: false),
      Column(name: "seq", type: "INTEGER", isOptional: false),
    ], fixedRows: nil, replacesRows: false)

  /// Tables of the names of codes, which migrations alone write to. The new store has them.
  private static let fixedTables: Set = ["state", "unmatched_kind"]

  /// The tables and indexes of a new store; tables come after those that they refer to.
  static func all(in database: Database) throws -> [TreeShape] {
    let sql = """
      SELECT name, (SELECT wr FROM pragma_table_list(s.name) WHERE schema = 'main')
      FROM sqlite_schema AS s WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid
      """
    return try RawStatement(database, sql).map { (try $0.text(0) ?? "", try $0.number(1) == 0) }
      .flatMap { try trees(of: $0, hasRowNumbers: $1, in: database) }
  }

  private static func trees(of table: String, hasRowNumbers: Bool, in database: Database) throws
    -> [TreeShape]
  {
    var columns = try RawStatement(
      database, "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?)", table
    ).map { row in
      Column(
        name: try row.text(0) ?? "", type: try row.text(1) ?? "",
        isOptional: try row.number(2) == 0 && (hasRowNumbers || row.number(3) == 0))
    }
    let keys = try String.fetchAll(
      database, sql: "SELECT name FROM pragma_table_info(?) WHERE pk > 0", arguments: [table])
    if hasRowNumbers, keys.count == 1, let index = columns.firstIndex(where: { $0.name == keys[0] }),
      columns[index].type == "INTEGER"
    {
      columns[index].isRowNumber = true
    }
    var indexes: [TreeShape] = []
    let names = try RawStatement(database, "SELECT name, origin FROM pragma_index_list(?)", table)
      .map { (try $0.text(0) ?? "", try $0.text(1)) }
    for (name, origin) in names {
      let parts = try RawStatement(database, "SELECT name FROM pragma_index_xinfo(?)", name)
      let ordered = try parts.map { row -> Column in
        let name = try row.text(0)
        return columns.first { $0.name == name }.map {
          Column(name: $0.name, type: $0.type, isOptional: true)
        }
          ?? Column(name: "rowid", type: "INTEGER", isOptional: false)
      }
      // A table without row ids is the index of its own primary key.
      if !hasRowNumbers, origin == "pk" {
        columns = ordered.compactMap { part in columns.first { $0.name == part.name } }
      } else {
        indexes.append(
          TreeShape(
            name: name, isTable: false, hasRowNumbers: false, columns: ordered, fixedRows: nil,
            replacesRows: false))
      }
    }
    let rows = try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\"")
    let isFixed = fixedTables.contains(table)
    let fixed = isFixed ? Set(rows.map { fixedRow($0, columns) }) : nil
    return [
      TreeShape(
        name: table, isTable: true, hasRowNumbers: hasRowNumbers, columns: columns, fixedRows: fixed,
        replacesRows: !isFixed && !rows.isEmpty)
    ] + indexes
  }

  /// A row as its record holds it.
  private static func fixedRow(_ row: Row, _ columns: [Column]) -> [RecordValue] {
    columns.map { column in
      guard !column.isRowNumber else { return .null }
      return switch (row[column.name] as DatabaseValue).storage {
      case .int64(let number): .integer(number)
      case .string(let text): .text(Array(text.utf8))
      default: .null
      }
    }
  }
}
