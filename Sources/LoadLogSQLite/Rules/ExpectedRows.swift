import GRDB
import LoadLogCore

struct ExpectedRows {
  private enum Column: Int32, ColumnList {
    case pattern, isGlob, every, cron, timezone, grace, maxRunning, maxFailures, anywhere, note, since,
      pausedAt, pausedUntil
  }

  private let database: Database

  init(_ database: Database) { self.database = database }

  /// All expectations, ordered by pattern.
  func all() throws -> [FeedExpectation] {
    var schedules: [String: Expectation.Schedule] = [:]
    return try lines().map { $0.read(&schedules) }
  }

  /// All rows, ordered by pattern.
  func lines() throws -> [ExpectationLine] {
    let statement = try RawStatement(
      database, "SELECT \(Column.list(of: "expected")) FROM expected ORDER BY pattern")
    return try statement.map(Self.line)
  }

  /// The row of a feed or pattern; nil if there is none.
  func line(of pattern: FeedPattern) throws -> ExpectationLine? {
    try RawStatement(
      database, "SELECT \(Column.list(of: "expected")) FROM expected WHERE pattern = ?", pattern.text
    ).first(Self.line)
  }

  /// The expectation of a row.
  func read(_ line: ExpectationLine) -> FeedExpectation {
    var schedules: [String: Expectation.Schedule] = [:]
    return line.read(&schedules)
  }

  /// Inserts or replaces an expectation. A schedule that this machine cannot read stays as it is.
  func set(_ expected: FeedExpectation) throws {
    var line = ExpectationLine(expected)
    if expected.fault != nil, let stored = try self.line(of: expected.pattern) {
      (line.every, line.cron, line.timezone) = (stored.every, stored.cron, stored.timezone)
    }
    try set(line)
  }

  /// Inserts or replaces a row.
  func set(_ line: ExpectationLine) throws {
    try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO expected (\(Column.names)) VALUES (\(Column.marks))"
    ).execute(arguments: [
      line.pattern, line.isGlob, line.every, line.cron, line.cron == nil ? nil : line.timezone ?? "UTC",
      line.grace, line.maxRunning, line.maxFailures, line.anywhere, TextLimit.cut(line.note), line.since,
      line.pausedAt, line.pausedUntil,
    ])
  }

  /// Removes the expectation of a feed or pattern.
  func remove(_ pattern: FeedPattern) throws {
    try database.cachedStatement(sql: "DELETE FROM expected WHERE pattern = ?")
      .execute(arguments: [pattern.text])
  }

  private static func line(_ row: RawStatement) throws -> ExpectationLine {
    var line = ExpectationLine(
      pattern: try row.text(Column.pattern) ?? "", since: try row.number(Column.since))
    line.isGlob = try row.flag(Column.isGlob)
    line.every = try row.integer(Column.every)
    line.cron = try row.text(Column.cron)
    line.timezone = try row.text(Column.timezone)
    line.grace = try row.integer(Column.grace)
    line.maxRunning = try row.integer(Column.maxRunning)
    line.maxFailures = try row.integer(Column.maxFailures)
    line.anywhere = try row.flag(Column.anywhere)
    line.note = try row.text(Column.note)
    line.pausedAt = try row.integer(Column.pausedAt)
    line.pausedUntil = try row.integer(Column.pausedUntil)
    return line
  }
}
