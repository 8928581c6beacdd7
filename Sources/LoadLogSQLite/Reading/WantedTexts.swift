import GRDB
import LoadLogCore

/// The texts that a filter names, as rows of their table: each text is stored once, so the search compares numbers.
struct WantedTexts {
  /// The row of the tag; nil if the filter names none, or if no load has it.
  let tag: Int64?
  /// The rows of the texts that contain the filter's text; nil if it names none.
  private let containing: Set<Int64>?
  /// Whether the filter names a tag or a text.
  let areNamed: Bool
  /// Whether the filter names a text that no load has.
  let areMissing: Bool
  private let columns: RawStatement?

  init(_ filter: LoadFilter, in database: Database) throws {
    tag = try filter.tag.flatMap { tag in
      try RawStatement(database, "SELECT id FROM text WHERE value = ?", tag).first { try $0.number(0) }
    }
    containing = try filter.text.map { try Self.rows(containing: $0, in: database) }
    areNamed = filter.tag != nil || filter.text != nil
    areMissing = filter.tag != nil && tag == nil || containing?.isEmpty == true
    columns =
      areNamed ? try RawStatement(database, "SELECT tag, message, reason FROM session WHERE seq = ?") : nil
  }

  /// Whether a session has the tag, and the text in its message or reason.
  func matches(_ session: StoredSession) throws -> Bool {
    guard let columns else { return true }
    guard !areMissing else { return false }
    columns.bind(1, session.row)
    return try columns.first { row in
      if let tag, try row.integer(0) != tag { return false }
      guard let containing else { return true }
      return try (1...2).contains { column in
        try row.integer(column).map { containing.contains($0) } ?? false
      }
    } ?? false
  }

  private static func rows(containing text: String, in database: Database) throws -> Set<Int64> {
    var rows: Set<Int64> = []
    let needle = text.lowercased()
    // SQLite knows upper and lower case of ASCII only, and is many times faster.
    let isPlain = needle.utf8.allSatisfy { $0 < 0x80 }
    let statement = try RawStatement(
      database,
      isPlain ? "SELECT id FROM text WHERE instr(lower(value), ?) > 0" : "SELECT id, value FROM text")
    if isPlain { statement.bind(1, needle) }
    try statement.forEach { row in
      if try isPlain || row.text(1)?.lowercased().contains(needle) == true { rows.insert(try row.number(0)) }
    }
    return rows
  }
}
