import GRDB
import LoadLogCore

/// The summaries as of now: what is kept, and the loads that are not counted yet. Hold for one reading.
struct CurrentSummaries {
  private let database: Database
  private let uncounted: [SummaryKey: Summary]
  /// The loads that are not counted yet.
  let newLoads: NewLoads
  /// What is unbalanced among the loads that are not counted yet.
  let uncountedSites: ImbalanceSiteChanges

  init(_ database: Database) throws {
    self.database = database
    newLoads = try NewLoads(database)
    let changes = try SummaryChanges(newLoads, in: database)
    uncounted = changes.summaries
    uncountedSites = changes.sites
  }

  /// The summary of a day or of all time; nil if nothing was counted.
  func fetch(_ key: SummaryKey) throws -> Summary? {
    guard let more = uncounted[key] else { return try Summary.fetch(key, in: database) }
    return try Summary.fetch(key, in: database)?.merging(more) ?? more
  }

  /// The summaries of a feed's days, the first day first; with `isSealed` only of those of which loads were pruned.
  func days(
    of feed: Int64, _ days: Range<Int64>, isSealed: Bool = false
  ) throws -> [(day: Int64, summary: Summary)] {
    let rows = try RawStatement(
      database,
      "SELECT day, \(Summary.columns) FROM summary WHERE feed = ? AND day >= ? AND day < ? AND is_sealed >= ?"
    )
    rows.bind(1, feed)
    rows.bind(2, days.lowerBound)
    rows.bind(3, days.upperBound)
    rows.bind(4, isSealed ? 1 : 0)
    var found: [Int64: Summary] = [:]
    try rows.forEach { found[try $0.number(0)] = try Summary($0, from: 1) }
    for (key, more) in uncounted where key.feed == feed && days.contains(key.day) {
      if found[key.day] != nil || !isSealed { found[key.day, default: Summary()].merge(more) }
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
