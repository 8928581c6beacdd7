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
  /// In the order of ``countColumns``: loads, verdicts by their codes 1 to 8, unmatched finishes by theirs, and what
  /// is acknowledged of the last six.
  private var counts = SIMD16<Int>()
  /// Wall time in microseconds.
  var firstStart: Int64?
  /// Of loads that succeeded or were unchanged.
  var succeeded = DurationTally()
  /// Of all others that finished.
  var others = DurationTally()
  var isSealed = false

  var loads: Int {
    get { counts[0] }
    set { counts[0] = newValue }
  }

  subscript(state: SessionState) -> Int {
    get { counts[Int(state.code)] }
    set { counts[Int(state.code)] = newValue }
  }

  subscript(kind: UnmatchedKind) -> Int {
    get { counts[9 + Int(kind.code)] }
    set { counts[9 + Int(kind.code)] = newValue }
  }

  var acknowledged: Int {
    get { counts[12] }
    set { counts[12] = newValue }
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
    counts &+= other.counts
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
  private static let countColumns = [
    "loads", "succeeded", "unchanged", "failed", "cancelled", "ended", "crashed", "rebooted", "abandoned",
    "orphan_finish", "duplicate_finish", "extra_pop", "acknowledged",
  ]
  private static let tallyColumns = ["count", "sum", "least", "greatest", "histogram"]
  private static let allColumns =
    countColumns + ["first_start", "is_sealed"] + tallyColumns.map { "success_\($0)" }
    + tallyColumns.map { "other_\($0)" }
  /// What ``init(_:from:)`` reads.
  static let columns = allColumns.joined(separator: ", ")
  private static let select = "SELECT \(columns) FROM summary WHERE feed = ? AND day = ?"

  /// Which columns a change may have touched; counts are always written.
  struct Parts: OptionSet {
    let rawValue: Int
    static let succeeded = Parts(rawValue: 1)
    static let others = Parts(rawValue: 2)
    static let all: Parts = [.succeeded, .others]

    fileprivate var columns: [String] {
      let count = Summary.countColumns.count + 2
      return Summary.allColumns.prefix(count)
        + (contains(.succeeded) ? Summary.allColumns.dropFirst(count).prefix(5) : [])
        + (contains(.others) ? Summary.allColumns.suffix(5) : [])
    }
  }

  private static let upserts: [String] = (0...3).map { parts in
    let names = Parts(rawValue: parts).columns
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let updates = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO summary (feed, day, \(names.joined(separator: ", "))) VALUES (?, ?, \(marks))
      ON CONFLICT (feed, day) DO UPDATE SET \(updates)
      """
  }

  /// The parts that have anything in them.
  var parts: Parts {
    (succeeded.count > 0 ? Parts.succeeded : []).union(others.count > 0 ? .others : [])
  }

  /// Reads ``columns`` from a column on.
  init(_ row: RawStatement, from column: Int32 = 0) throws {
    let countColumns = Int32(Self.countColumns.count)
    for index in 0..<countColumns { counts[Int(index)] = Int(try row.number(column + index)) }
    firstStart = try row.integer(column + countColumns)
    isSealed = try row.number(column + countColumns + 1) != 0
    succeeded = try DurationTally(row, from: column + countColumns + 2)
    others = try DurationTally(row, from: column + countColumns + 7)
  }

  static func fetch(_ key: SummaryKey, in database: Database) throws -> Summary? {
    let statement = try RawStatement(database, select)
    statement.bind(1, key.feed)
    statement.bind(2, key.day)
    return try statement.first { try Summary($0) }
  }

  /// Writes all but what a sweep adds up; of the durations only those of the parts.
  func write(_ key: SummaryKey, _ parts: Parts = .all, to database: Database) throws {
    let statement = try RawStatement(database, Self.upserts[parts.rawValue])
    statement.bind(1, key.feed)
    statement.bind(2, key.day)
    let countColumns = Int32(Self.countColumns.count)
    for index in 0..<countColumns { statement.bind(3 + index, Int64(counts[Int(index)])) }
    statement.bind(3 + countColumns, firstStart)
    statement.bind(4 + countColumns, isSealed ? 1 : 0)
    var next = 5 + countColumns
    for (part, tally) in [(Parts.succeeded, succeeded), (.others, others)] where parts.contains(part) {
      tally.bind(to: statement, from: next)
      next += 5
    }
    try statement.run()
  }
}

extension DurationTally {
  fileprivate init(_ row: RawStatement, from column: Int32) throws {
    let histogram = try DurationHistogram(stored: try row.bytes(column + 4))
    self.init(
      histogram: histogram, sum: try row.number(column + 1), least: try row.integer(column + 2) ?? .max,
      greatest: try row.integer(column + 3) ?? 0)
  }

  fileprivate func bind(to statement: RawStatement, from index: Int32) {
    statement.bind(index, Int64(count))
    statement.bind(index + 1, sum)
    statement.bind(index + 2, count > 0 ? least : nil)
    statement.bind(index + 3, count > 0 ? greatest : nil)
    statement.bind(index + 4, histogram.stored)
  }
}

/// Summaries that a writer remembers from one commit to the next: as long as nobody else has written, it need not
/// read them again.
struct SummaryCache {
  /// Memory stays bounded; the rows that change are few.
  private static let most = 1024
  private var kept: [SummaryKey: Summary] = [:]

  /// Adds a change to a row, which is made if it is new.
  mutating func merge(_ change: Summary, into key: SummaryKey, in database: Database) throws {
    if kept.count >= Self.most, kept[key] == nil { kept = [:] }
    if kept[key] == nil { kept[key] = try Summary.fetch(key, in: database) ?? Summary() }
    kept[key]?.merge(change)
    try kept[key]?.write(key, change.parts, to: database)
  }
}
