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
  /// Loads, verdicts by their codes 1 to 8, unmatched finishes by theirs, and what
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

  var durationCount: Int { succeeded.count.addingClamping(others.count) }

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
  private static let startColumns = ["loads", "first_start"]
  private static let endColumns = [
    "succeeded", "unchanged", "failed", "cancelled", "ended", "crashed", "rebooted", "abandoned",
    "orphan_finish", "duplicate_finish", "extra_pop", "acknowledged", "is_sealed",
  ]
  private static let tallyColumns = ["count", "sum", "least", "greatest", "histogram"]
  private static let columnCount = Int32(Parts.all.columns.count)
  /// What ``init(_:from:)`` reads.
  static let columns = Parts.all.columns.joined(separator: ", ")
  private static let select = "SELECT \(columns), rowid FROM summary WHERE feed = ? AND day = ?"

  /// Which columns a change touches, besides those of starts.
  struct Parts: OptionSet {
    let rawValue: Int
    static let ends = Parts(rawValue: 1)
    static let succeeded = Parts(rawValue: 2)
    static let others = Parts(rawValue: 4)
    static let all: Parts = [.ends, .succeeded, .others]

    fileprivate var columns: [String] {
      Summary.startColumns + (contains(.ends) ? Summary.endColumns : [])
        + (contains(.succeeded) ? Summary.tallyColumns.map { "success_\($0)" } : [])
        + (contains(.others) ? Summary.tallyColumns.map { "other_\($0)" } : [])
    }
  }

  private static let upsert: String = {
    let names = Parts.all.columns
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let updates = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO summary (\(names.joined(separator: ", ")), feed, day) VALUES (\(marks), ?, ?)
      ON CONFLICT (feed, day) DO UPDATE SET \(updates)
      """
  }()
  private static let updates: [String] = (0...Parts.all.rawValue).map { parts in
    let names = Parts(rawValue: parts).columns
    return "UPDATE summary SET \(names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE rowid = ?"
  }

  /// The parts that have anything in them.
  var parts: Parts {
    var ends = counts
    ends[0] = 0
    return (ends == SIMD16() && !isSealed ? [] : Parts.ends).union(succeeded.count > 0 ? .succeeded : [])
      .union(others.count > 0 ? .others : [])
  }

  /// More than any store can hold. What a damaged store says beyond that is taken for as much, so that no sum of counts
  /// overflows.
  static let most: Int64 = 1 << 40

  /// Reads ``columns`` from a column on.
  init(_ row: RawStatement, from column: Int32 = 0) throws {
    loads = try Self.count(row, column)
    firstStart = try row.integer(column + 1)
    for index: Int32 in 1...12 { counts[Int(index)] = try Self.count(row, column + 1 + index) }
    isSealed = try row.number(column + 14) != 0
    succeeded = try DurationTally(row, from: column + 15)
    others = try DurationTally(row, from: column + 20)
  }

  private static func count(_ row: RawStatement, _ column: Int32) throws -> Int {
    Int(min(max(try row.number(column), -most), most))
  }

  /// What was counted is not to be believed.
  static func damage(_ why: String) -> LoadLogError {
    LoadLogError(
      .damaged, what: "store", why: why,
      advice: "loadlog doctor says more; with --repair it counts the loads anew.")
  }

  static func fetch(_ key: SummaryKey, in database: Database) throws -> Summary? {
    try fetchRow(key, in: database)?.summary
  }

  fileprivate static func fetchRow(
    _ key: SummaryKey, in database: Database
  ) throws -> (summary: Summary, row: Int64)? {
    let statement = try RawStatement(database, select)
    statement.bind(1, key.feed)
    statement.bind(2, key.day)
    return try statement.first { (try Summary($0), try $0.number(columnCount)) }
  }

  /// Writes all but what a sweep adds up.
  func write(_ key: SummaryKey, to database: Database) throws {
    let statement = try RawStatement(database, Self.upsert)
    let next = bind(.all, to: statement)
    statement.bind(next, key.feed)
    statement.bind(next + 1, key.day)
    try statement.run()
  }

  /// Writes what a change has touched.
  fileprivate func write(_ parts: Parts, toRow row: Int64, in database: Database) throws {
    let statement = try RawStatement(database, Self.updates[parts.rawValue])
    statement.bind(bind(parts, to: statement), row)
    try statement.run()
  }

  /// - Returns: the next place to bind to.
  private func bind(_ parts: Parts, to statement: RawStatement) -> Int32 {
    statement.bind(1, Int64(loads))
    statement.bind(2, firstStart)
    var next: Int32 = 3
    if parts.contains(.ends) {
      for index: Int32 in 1...12 { statement.bind(2 + index, Int64(counts[Int(index)])) }
      statement.bind(15, isSealed ? 1 : 0)
      next = 16
    }
    for (part, tally) in [(Parts.succeeded, succeeded), (.others, others)] where parts.contains(part) {
      tally.bind(to: statement, from: next)
      next += 5
    }
    return next
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
  private var kept: [SummaryKey: (summary: Summary, row: Int64)] = [:]

  /// Adds a change to a row, which is made if it is new.
  mutating func merge(_ change: Summary, into key: SummaryKey, in database: Database) throws {
    if let index = kept.index(forKey: key) {
      kept.values[index].summary.merge(change)
      return try kept.values[index].summary.write(change.parts, toRow: kept.values[index].row, in: database)
    }
    if kept.count >= Self.most { kept = [:] }
    if var known = try Summary.fetchRow(key, in: database) {
      known.summary.merge(change)
      try known.summary.write(change.parts, toRow: known.row, in: database)
      kept[key] = known
    } else {
      try change.write(key, to: database)
      kept[key] = (change, database.lastInsertedRowID)
    }
  }
}
