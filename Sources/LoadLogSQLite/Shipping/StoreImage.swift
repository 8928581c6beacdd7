import GRDB
package import LoadLogCore

/// A store that holds rows of a fleet's database, so that questions about a fleet are answered by the reader of stores. It
/// is in memory, and beyond that in a temporary file.
///
/// Rows are added in the columns of their ``ShippedTable``, and may be sums of the rows of several hosts. Feeds and texts
/// have no numbers that hold for all hosts: where a column names one, the row has the feed's name or the text itself. Use
/// an image from one thread at a time.
package final class StoreImage {
  private let queue: DatabaseQueue
  private var feeds: [String: Int64] = [:]
  private var texts: [TextBytes: Int64] = [:]

  package init() throws(LoadLogError) {
    let queue = try StoreConnection.openTemporary()
    try mappedTemporary(path: Self.path) {
      try queue.writeWithoutTransaction { database in
        try RawStatement.run("PRAGMA cache_size = -\(Self.mostMemory)", in: database)
        try StoreSchema.migrate(database, now: 0)
      }
    }
    self.queue = queue
  }

  /// Adds rows to the store's table. Feeds come first, because the other rows name them; their numbers are ignored.
  ///
  /// - Throws: `damaged` if a row names a feed that is missing, or cannot be a row of a store.
  package func add(_ rows: [[ShippedValue]], to table: ShippedTable) throws(LoadLogError) {
    guard !rows.isEmpty else { return }
    try mappedTemporary(path: Self.path) {
      do {
        try queue.write { database in
          for part in StoredPart.parts(of: table) { try add(rows, part, in: database) }
        }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        throw Self.damaged("a row breaks a rule of stores (\(error.message ?? ""))")
      }
    }
  }

  /// A reader of the image, once all rows are added.
  ///
  /// - Parameters:
  ///   - unseen: why it is not known whether owners are alive, by their numbers in the image. All others are: each host
  ///     judges its own.
  ///   - isOfAllHosts: whether a feed of the image is that of all hosts together.
  package func reader(
    clock: any LoadClock, unseen: [Int64: String], isOfAllHosts: Bool
  ) throws(LoadLogError) -> SQLiteLoadReader {
    try mappedTemporary(path: Self.path) {
      try queue.write { database in
        // Feeds came with all of their failures in a row. Those that have no row here count beside the rows.
        try RawStatement.run(
          "UPDATE feed SET pruned_failures = max(0, pruned_failures - \(CountedFailure.failedInRow))",
          in: database)
      }
    }
    return SQLiteLoadReader(
      source: .queue(queue),
      court: Court(
        processes: SystemProcessTable(), locks: NoLocks(), clock: clock, unseenOwners: unseen,
        isOfAllHosts: isOfAllHosts))
  }

  /// How much of it is kept in memory, in KiB.
  private static let mostMemory = 32_768
  /// What errors of rows name.
  private static let path = "the fleet's database"
}

// MARK: - Rows

extension StoreImage {
  private func add(_ rows: [[ShippedValue]], _ part: StoredPart, in database: Database) throws {
    let statement = try RawStatement(database, part.insertion)
    for row in rows where part.presence.map({ row[$0] != .null }) ?? true {
      for (parameter, column) in part.columns.enumerated() {
        try bind(row, column, to: Int32(parameter + 1), of: statement, in: database)
      }
      try statement.run()
      if part.table == .feed, case .text(let name) = row[1] { feeds[name] = statement.lastInsertedRow }
    }
  }

  private func bind(
    _ row: [ShippedValue], _ column: StoredPart.Column, to parameter: Int32, of statement: RawStatement,
    in database: Database
  ) throws {
    // What belongs to no feed or no call site has the number 0 in a key.
    let absent: Int64? = column.shipped.isKey ? 0 : nil
    switch row[column.index] {
    case .null: statement.bind(parameter, column.shipped.namesRow ? absent : nil)
    case .integer(let number): statement.bind(parameter, number)
    case .text(let text) where column.shipped.namesFeed:
      guard let feed = feeds[text] else { throw Self.damaged("a row names a feed that is not there") }
      statement.bind(parameter, feed)
    case .text(let text) where column.shipped.target == .text:
      statement.bind(parameter, try number(of: text, in: database))
    case .text(let text): statement.bind(parameter, text)
    case .uuid(let id): statement.bind(parameter, id)
    case .bytes(let bytes): statement.bind(parameter, bytes)
    }
  }

  private func number(of text: String, in database: Database) throws -> Int64 {
    if let number = texts[TextBytes(text)] { return number }
    let statement = try RawStatement(database, "INSERT INTO text (value) VALUES (?)", text)
    try statement.run()
    texts[TextBytes(text)] = statement.lastInsertedRow
    return statement.lastInsertedRow
  }

  private static func damaged(_ why: String) -> LoadLogError {
    LoadLogError(.damaged, what: path, why: why)
  }
}

extension ShippedColumn {
  /// Whether it names a feed. In summaries and sites 0 stands for none.
  package var namesFeed: Bool { target == .feed || name == "feed" }

  /// Whether it names a feed or a text.
  package var namesRow: Bool { namesFeed || target == .text }
}

/// A table of a store, and the columns of a ``ShippedTable`` that its rows have.
private struct StoredPart {
  struct Column {
    let name: String
    let index: Int
    let shipped: ShippedColumn
  }

  let table: ShippedTable
  let name: String
  let columns: [Column]
  /// The column without which a row has nothing for this table.
  var presence: Int?
  /// Columns that are not shipped: times of the boot clock, which nothing outside of the host can use.
  var unshipped: [String] = []

  static func parts(of table: ShippedTable) -> [StoredPart] {
    let (name, all) = (table.stored.table, columns(of: table))
    switch table {
    case .feed: return [StoredPart(table: table, name: name, columns: Array(all.dropFirst()))]
    case .owner:
      return [
        StoredPart(table: table, name: name, columns: all, unshipped: ["opened_boot", "last_commit_boot"])
      ]
    case .session:
      func part(_ name: String, _ columns: some Sequence<Column>) -> StoredPart {
        let key = Column(name: "session", index: 0, shipped: all[0].shipped)
        let columns = Array(columns)
        return StoredPart(table: table, name: name, columns: [key] + columns, presence: columns.first?.index)
      }
      let seen = all.firstIndex { $0.name == "visible" } ?? all.endIndex
      let run = all.firstIndex { $0.name == "attempt" } ?? all.endIndex
      return [
        StoredPart(table: table, name: name, columns: Array(all[..<seen]), unshipped: ["started_boot"]),
        part("visibility", all[seen..<run]), part("run", all[run...]),
      ]
    case .unmatched:
      return [StoredPart(table: table, name: name, columns: all, unshipped: ["at_boot"])]
    case .text, .summary, .site, .expectation, .flip, .acknowledgement:
      return [StoredPart(table: table, name: name, columns: all)]
    }
  }

  private static func columns(of table: ShippedTable) -> [Column] {
    table.columns.enumerated().compactMap { index, column in
      if column.name == "is_removed" { return nil }
      return Column(name: column.stored, index: index, shipped: column)
    }
  }

  var insertion: String {
    let names = columns.map { "\"\($0.name)\"" } + unshipped
    let values = columns.map { _ in "?" } + unshipped.map { _ in "0" }
    // A copied store ships its loads twice, with the same ids: one of them is enough.
    let isShippedTwice = columns.contains { $0.name == "id" && $0.shipped.kind == .uuid }
    return """
      INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))
      \(isShippedTwice ? "ON CONFLICT (id) DO NOTHING" : "")
      """
  }
}
