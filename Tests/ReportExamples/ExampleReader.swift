package import LoadLogCore

/// Answers questions about a record that does not exist.
package struct ExampleReader: LoadReading {
  package var summary: StatusSummary
  private let days: @Sendable (UTCDay, UTCDay, Set<Feed>) -> [DayNumbers]
  private let hours: @Sendable (Range<Int64>) -> [HourNumbers]
  private let successes: @Sendable (Feed) -> [Int64]
  private let page: @Sendable (LoadFilter) -> LoadPage
  private let busy: BusySummary
  private let imbalances: [Imbalance]

  /// - Parameters:
  ///   - summary: the numbers of the feeds.
  ///   - days: returns the numbers from one day to another, both included, of all feeds together and of some.
  ///   - hours: returns the numbers of feeds by hour in a range of wall times.
  ///   - successes: returns the finish times of a feed's successes.
  ///   - history: returns the loads that a filter lets through.
  ///   - busy: busy time and peak depth.
  ///   - imbalances: the imbalances.
  package init(
    _ summary: StatusSummary,
    days: @escaping @Sendable (UTCDay, UTCDay, Set<Feed>) -> [DayNumbers] = { _, _, _ in [] },
    hours: @escaping @Sendable (Range<Int64>) -> [HourNumbers] = { _ in [] },
    successes: @escaping @Sendable (Feed) -> [Int64] = { _ in [] },
    history: @escaping @Sendable (LoadFilter) -> LoadPage = { _ in LoadPage(loads: [], total: 0) },
    busy: BusySummary = BusySummary(), imbalances: [Imbalance] = []
  ) {
    (self.summary, self.busy, self.imbalances) = (summary, busy, imbalances)
    (self.days, self.hours, self.successes, page) = (days, hours, successes, history)
  }

  package func feeds() -> [Feed] { summary.feeds.map(\.feed) }
  package func expectations() -> [FeedExpectation] { [] }
  package func dates(of feed: Feed) -> FeedDates? { summary.feeds.first { $0.feed == feed }?.dates }
  package func status(_ filter: LoadFilter, runningLimit: Int64?) -> StatusSummary { summary }
  package func days(_ filter: LoadFilter, listing feeds: Set<Feed>) -> [DayNumbers] {
    days(UTCDay(of: filter.since ?? 0), UTCDay(of: (filter.until ?? .max) - 1), feeds)
  }
  package func hours(_ filter: LoadFilter) -> [HourNumbers] {
    hours((filter.since ?? 0)..<(filter.until ?? .max))
  }
  package func busy(_ filter: LoadFilter, progress: (Int64, Int64) -> Void) -> BusySummary { busy }
  package func history(_ filter: LoadFilter) -> LoadPage { page(filter) }
  package func unbalanced(_ filter: LoadFilter) -> [Imbalance] { imbalances }
  package func successes(of feeds: [Feed], limit: Int) -> [Feed: [Int64]] {
    var times: [Feed: [Int64]] = [:]
    for feed in feeds { times[feed] = Array(successes(feed).prefix(limit)) }
    return times
  }
}
