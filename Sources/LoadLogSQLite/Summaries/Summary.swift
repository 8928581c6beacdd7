import GRDB
import LoadLogCore

/// Which loads a summary counts.
struct SummaryKey: Hashable {
  /// The row of a feed; 0 for the store as a whole.
  var feed: Int64
  /// Days since 1970, UTC; -1 for all time. What is dated before 1970 counts for the first day.
  var day: Int64

  static let store: Int64 = 0
  static let allTime: Int64 = -1

  /// The summaries that count what a day's summary counts: the feed's and the store's, of the day and of all time.
  var totals: Set<SummaryKey> {
    var totals: Set<SummaryKey> = []
    for feed in [feed, Self.store] {
      for day in [day, Self.allTime] { totals.insert(SummaryKey(feed: feed, day: day)) }
    }
    return totals
  }

  /// The day of a wall time in microseconds.
  static func day(of wall: Int64) -> Int64 { Swift.max(0, UTCDay(of: wall).number) }
}

/// Busy time and peak depth of the part of a day from which loads were pruned.
struct SealedTime: Hashable {
  var time: BusyTime
  /// The end of that part: wall time in microseconds. All loads that were open later have rows.
  var until: Int64
}

/// Counters of loads and unmatched finishes. Two of them add up to one without loss.
struct Summary: Hashable {
  /// Loads, verdicts by their codes 1 to 8, unmatched finishes by theirs (withdrawn ones are never counted), and how
  /// many imbalances are acknowledged.
  private var counts = SIMD16<Int>()
  /// Wall time in microseconds.
  var firstStart: Int64?
  /// The durations of loads that succeeded or were unchanged.
  var succeeded = DurationTally()
  /// The durations of all others that finished.
  var others = DurationTally()
  /// How many durations it counts that were not read: of successes, and of all others.
  private var unread = SIMD2<Int>()
  /// Loads that it counts were pruned.
  var isSealed = false
  /// Of a sealed day: what can no longer be computed from rows.
  var sealedTime: SealedTime?

  private static let firstUnfinished = 6, firstUnmatched = 9, acknowledgedIndex = 13

  var loads: Int {
    get { counts[0] }
    set { counts[0] = newValue }
  }

  subscript(state: SessionState) -> Int {
    get { counts[Int(state.code)] }
    set { counts[Int(state.code)] = newValue }
  }

  subscript(kind: UnmatchedKind) -> Int {
    get { kind == .withdrawn ? 0 : counts[Self.firstUnmatched + Int(kind.code)] }
    set { if kind != .withdrawn { counts[Self.firstUnmatched + Int(kind.code)] = newValue } }
  }

  var acknowledged: Int {
    get { counts[Self.acknowledgedIndex] }
    set { counts[Self.acknowledgedIndex] = newValue }
  }

  /// The durations of everything that finished.
  var durations: DurationTally {
    var all = succeeded
    all.merge(others)
    return all
  }

  var successCount: Int { succeeded.count.addingClamping(unread[0]) }

  var durationCount: Int { successCount.addingClamping(others.count).addingClamping(unread[1]) }

  /// The longest time that a finished load took, in nanoseconds.
  var longestLoad: Int64 { max(succeeded.greatest, others.greatest) }

  mutating func addStart(_ wall: Int64) {
    loads += 1
    firstStart = min(firstStart ?? wall, wall)
  }

  /// Counts a verdict; a finish with its duration in nanoseconds.
  mutating func addVerdict(_ state: SessionState, duration: Int64?) {
    self[state] += 1
    guard state.isFinished, let duration else { return }
    if state.isSuccess { succeeded.add(duration) } else { others.add(duration) }
  }

  /// These numbers, with another summary's counts of imbalances and of pops after a reset.
  func withImbalances(of other: Summary) -> Summary {
    var summary = self
    for index in Self.firstUnfinished...Self.acknowledgedIndex { summary.counts[index] = other.counts[index] }
    return summary
  }

  /// Whether a store can hold these numbers. Only a damaged one holds others.
  private var isPossible: Bool {
    (0...Self.acknowledgedIndex).allSatisfy { (0..<Self.most).contains(Int64(counts[$0])) }
      && [succeeded, others].allSatisfy { $0.sum >= 0 && $0.least >= 0 && $0.greatest >= 0 }
      && sealedTime?.time.busy ?? 0 >= 0 && sealedTime?.time.peakDepth ?? 0 >= 0
  }

  /// The wall time in microseconds up to which busy time comes from this summary, not from rows.
  var sealedUntil: Int64 { isSealed ? sealedTime?.until ?? .max : .min }

  /// Adds another summary. Its counts may be negative, where something was taken back.
  mutating func merge(_ other: Summary) {
    counts &+= other.counts
    if let first = other.firstStart { firstStart = min(firstStart ?? first, first) }
    succeeded.merge(other.succeeded)
    others.merge(other.others)
    unread &+= other.unread
    isSealed = isSealed || other.isSealed
    sealedTime = sealedTime ?? other.sealedTime
  }

  /// The sum of both.
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
    numbers.popsAfterReset = self[.popAfterReset]
    numbers.isApproximate = isSealed
    return numbers
  }
}

// MARK: - As rows

extension Summary {
  enum Column: Int32, ColumnList {
    case loads, succeeded, unchanged, failed, cancelled, ended, crashed, rebooted, abandoned
    case orphanFinish, duplicateFinish, extraPop, popsAfterReset, acknowledged
    case firstStart, isSealed, busy, peakDepth, busyUntil
    case successCount, successSum, successLeast, successGreatest, successHistogram
    case otherCount, otherSum, otherLeast, otherGreatest, otherHistogram
    case day, feed
  }

  static let columns = Column.list(of: "summary")
  private static let select = "SELECT \(columns) FROM summary WHERE day = ? AND feed = ?"
  private static let upsert: String = {
    let changes = Column.allCases.dropLast(2).map { "\($0.name) = excluded.\($0.name)" }
    return """
      INSERT INTO summary (\(Column.names)) VALUES (\(Column.marks))
      ON CONFLICT (day, feed) DO UPDATE SET \(changes.joined(separator: ", "))
      """
  }()

  /// More than a store can hold. A damaged store's larger counts are read as this, so that no sum overflows.
  static let most: Int64 = 1 << 40

  /// A count that a store holds.
  static func bounded(_ count: Int64) -> Int { Int(clamping: min(max(count, 0), most)) }

  /// Reads ``columns``, which must be the first ones of the SELECT.
  ///
  /// - Parameter hasDurations: false to read only how many durations there are.
  init(_ row: RawStatement, hasDurations: Bool = true) throws {
    for index in Column.loads.rawValue...Column.acknowledged.rawValue {
      counts[Int(index)] = Int(clamping: min(max(try row.number(index), -Self.most), Self.most))
    }
    firstStart = try row.integer(Column.firstStart)
    isSealed = try row.flag(Column.isSealed)
    if let busy = try row.integer(Column.busy), let peak = try row.integer(Column.peakDepth),
      let until = try row.integer(Column.busyUntil)
    {
      let time = BusyTime(busy: busy, peakDepth: Int(peak), isApproximate: true)
      sealedTime = SealedTime(time: time, until: until)
    }
    guard hasDurations else {
      for (index, column) in [Column.successCount, .otherCount].enumerated() {
        unread[index] = Self.bounded(try row.number(column))
      }
      return
    }
    succeeded = try DurationTally(row, from: .successCount)
    others = try DurationTally(row, from: .otherCount)
  }

  /// Reads ``columns``; nil if a store cannot hold their numbers, or if they cannot be read.
  static func ifPossible(_ row: RawStatement) throws -> Summary? {
    do {
      let summary = try Summary(row)
      return summary.isPossible ? summary : nil
    } catch let error as LoadLogError where error.code == .damaged {
      return nil
    }
  }

  static func key(_ row: RawStatement) throws -> SummaryKey {
    SummaryKey(feed: try row.number(Column.feed), day: try row.number(Column.day))
  }

  /// The counters do not agree with themselves or with the rows.
  static func damage(_ why: String) -> LoadLogError {
    LoadLogError(
      .damaged, what: "store", why: why,
      advice: "Run loadlog doctor for details; with --repair it counts the loads again.")
  }

  /// The keys of all stored summaries.
  static func keys(in database: Database) throws -> [SummaryKey] {
    try RawStatement(database, "SELECT feed, day FROM summary").map { row in
      SummaryKey(feed: try row.number(0), day: try row.number(1))
    }
  }

  static func fetch(_ key: SummaryKey, in database: Database) throws -> Summary? {
    try RawStatement(database, select, key.day, key.feed).first { try Summary($0) }
  }

  func write(_ key: SummaryKey, to database: Database) throws {
    let statement = try RawStatement(database, Self.upsert)
    for index in Column.loads.rawValue...Column.acknowledged.rawValue {
      statement.bind(index + 1, Int64(counts[Int(index)]))
    }
    statement.bind(Column.firstStart, firstStart)
    statement.bind(Column.isSealed, isSealed ? 1 : 0)
    statement.bind(Column.busy, sealedTime?.time.busy)
    statement.bind(Column.peakDepth, (sealedTime?.time.peakDepth).map(Int64.init))
    statement.bind(Column.busyUntil, sealedTime?.until)
    succeeded.bind(to: statement, from: .successCount)
    others.bind(to: statement, from: .otherCount)
    statement.bind(Column.day, key.day)
    statement.bind(Column.feed, key.feed)
    try statement.run()
  }
}

extension RawStatement {
  /// Binds a value to the parameter of a column; parameters stand in the columns' order.
  fileprivate func bind(_ column: Summary.Column, _ value: Int64?) { bind(column.rawValue + 1, value) }
}

extension DurationTally {
  fileprivate init(_ row: RawStatement, from column: Summary.Column) throws {
    let first = column.rawValue
    let histogram = try DurationHistogram(stored: try row.bytes(first + 4))
    self.init(
      histogram: histogram, sum: try row.number(first + 1), least: try row.integer(first + 2) ?? .max,
      greatest: try row.integer(first + 3) ?? 0)
  }

  fileprivate func bind(to statement: RawStatement, from column: Summary.Column) {
    let first = column.rawValue + 1
    statement.bind(first, Int64(count))
    statement.bind(first + 1, sum)
    statement.bind(first + 2, count > 0 ? least : nil)
    statement.bind(first + 3, count > 0 ? greatest : nil)
    statement.bind(first + 4, histogram.stored)
  }
}
