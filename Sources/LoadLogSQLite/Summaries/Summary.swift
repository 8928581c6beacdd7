import Foundation
import GRDB
import LoadLogCore

/// Which loads a summary is about.
struct SummaryKey: Hashable {
  /// The row of a feed; 0 for the store as a whole.
  var feed: Int64
  /// Days since 1970, UTC; -1 for all time. What is dated before 1970 counts for the first day.
  var day: Int64

  static let store: Int64 = 0
  static let allTime: Int64 = -1

  /// The day of a wall time in microseconds.
  static func day(of wall: Int64) -> Int64 { Swift.max(0, UTCDay(of: wall).number) }
}

/// What is counted of any number of loads and unmatched finishes.
struct Summary: Hashable {
  var loads = 0
  /// By the code of the verdict, 1 to 8.
  private var verdicts = [Int](repeating: 0, count: 9)
  /// By the code of the kind.
  private var unmatched = [0, 0, 0]
  var acknowledged = 0
  /// Wall time in microseconds.
  var firstStart: Int64?
  /// Of loads that succeeded or were unchanged.
  var succeeded = DurationTally()
  /// Of all others that finished.
  var others = DurationTally()
  var isSealed = false

  subscript(state: SessionState) -> Int {
    get { verdicts[Int(state.code)] }
    set { verdicts[Int(state.code)] = newValue }
  }

  subscript(kind: UnmatchedKind) -> Int {
    get { unmatched[Int(kind.code)] }
    set { unmatched[Int(kind.code)] = newValue }
  }

  subscript(kind: Imbalance.Kind) -> Int {
    get {
      switch kind {
      case .unfinishedStart(let state): self[state]
      case .unmatchedFinish(let kind): self[kind]
      }
    }
    set {
      switch kind {
      case .unfinishedStart(let state): self[state] = newValue
      case .unmatchedFinish(let kind): self[kind] = newValue
      }
    }
  }

  /// The durations of everything that finished.
  var durations: DurationTally {
    var all = succeeded
    all.merge(others)
    return all
  }

  mutating func addStart(_ wall: Int64) {
    loads += 1
    firstStart = min(firstStart ?? wall, wall)
  }

  mutating func addFinish(_ state: SessionState, duration: Int64?) {
    self[state] += 1
    if let duration { addDuration(duration, of: state) }
  }

  private mutating func addDuration(_ duration: Int64, of state: SessionState) {
    if state.isSuccess { succeeded.add(duration) } else { others.add(duration) }
  }

  /// Adds all of another; counts may be negative, where something was taken back.
  mutating func merge(_ other: Summary) {
    loads += other.loads
    for code in verdicts.indices { verdicts[code] += other.verdicts[code] }
    for code in unmatched.indices { unmatched[code] += other.unmatched[code] }
    acknowledged += other.acknowledged
    if let first = other.firstStart { firstStart = min(firstStart ?? first, first) }
    succeeded.merge(other.succeeded)
    others.merge(other.others)
    isSealed = isSealed || other.isSealed
  }

  /// Both together.
  func merging(_ other: Summary) -> Summary {
    var sum = self
    sum.merge(other)
    return sum
  }

  /// The counts as reports show them.
  var numbers: LoadNumbers {
    var numbers = LoadNumbers()
    numbers.loads = loads
    numbers.succeeded = self[.succeeded]
    numbers.unchanged = self[.unchanged]
    numbers.failed = self[.failed]
    numbers.cancelled = self[.cancelled]
    numbers.ended = self[.ended]
    numbers.unbalanced.crashed = self[.crashed]
    numbers.unbalanced.rebooted = self[.rebooted]
    numbers.unbalanced.abandoned = self[.abandoned]
    numbers.unbalanced.orphanFinish = self[.orphanFinish]
    numbers.unbalanced.duplicateFinish = self[.duplicateFinish]
    numbers.unbalanced.extraPop = self[.extraPop]
    numbers.unbalanced.unacknowledged = numbers.unbalanced.total - acknowledged
    numbers.isApproximate = isSealed
    return numbers
  }
}

// MARK: - As rows

extension Summary {
  private static let counts = [
    "loads", "succeeded", "unchanged", "failed", "cancelled", "ended", "crashed", "rebooted", "abandoned",
    "orphan_finish", "duplicate_finish", "extra_pop", "acknowledged",
  ]
  private static let values = [
    "first_start", "success_count", "success_sum", "success_least", "success_greatest", "success_histogram",
    "other_count", "other_sum", "other_least", "other_greatest", "other_histogram", "is_sealed",
  ]
  static let columns = (counts + values).joined(separator: ", ")
  private static let upsert: String = {
    let names = counts + values
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let updates = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO summary (feed, day, \(names.joined(separator: ", "))) VALUES (?, ?, \(marks))
      ON CONFLICT (feed, day) DO UPDATE SET \(updates)
      """
  }()

  private var countValues: [Int] {
    [loads] + verdicts.dropFirst() + unmatched + [acknowledged]
  }

  /// Reads ``columns`` from a column on.
  init(_ row: Row, from column: Int = 0) throws {
    loads = try row.at(column)
    for code in 1...8 { verdicts[code] = try row.at(column + code) }
    for code in 0...2 { unmatched[code] = try row.at(column + 9 + code) }
    acknowledged = try row.at(column + 12)
    firstStart = try row.at(column + 13)
    succeeded = try DurationTally(row, from: column + 14)
    others = try DurationTally(row, from: column + 19)
    isSealed = try row.at(column + 24)
  }

  static func fetch(_ key: SummaryKey, in database: Database) throws -> Summary? {
    let statement = try database.cachedStatement(
      sql: "SELECT \(columns) FROM summary WHERE feed = ? AND day = ?")
    return try Row.fetchOne(statement, arguments: [key.feed, key.day]).map { try Summary($0) }
  }

  /// Writes all but what a sweep adds up.
  func write(_ key: SummaryKey, to database: Database) throws {
    let statement = try database.cachedStatement(sql: Self.upsert)
    var arguments: [(any DatabaseValueConvertible)?] = [key.feed, key.day]
    arguments += countValues.map { $0 as (any DatabaseValueConvertible)? }
    arguments.append(firstStart)
    arguments += succeeded.stored + others.stored + [isSealed]
    try statement.execute(arguments: StatementArguments(arguments))
  }
}

extension DurationTally {
  fileprivate init(_ row: Row, from column: Int) throws {
    let histogram = try DurationHistogram(stored: try row.at(column + 4))
    self.init(
      histogram: histogram, sum: try row.at(column + 1), least: try row.at(column + 2) ?? .max,
      greatest: try row.at(column + 3) ?? 0)
  }

  fileprivate var stored: [(any DatabaseValueConvertible)?] {
    [count, sum, count > 0 ? least : nil, count > 0 ? greatest : nil, histogram.stored]
  }
}
