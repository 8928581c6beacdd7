import LoadLogCore
package import LoadLogReports

/// Example contents of report pages, for tests and for the pictures in the documentation.
package enum ExamplePages {
  /// All pages that are checked in a browser, with their names.
  package static let all: [(name: String, make: @Sendable () throws -> ReportContents)] = [
    ("realistic", realistic), ("hostile", { try carrying(hostileTexts, store: hostileTexts[1]) }),
    ("harmless", { try carrying(hostileTexts.indices.map { "text-\($0)" }, store: "text") }),
    ("empty", empty), ("young", young), ("thousand", thousand),
  ]

  /// Contents of an empty store.
  package static func empty() throws -> ReportContents {
    try contents(
      StatusSummary(
        generated: ExampleStore.now, since: nil, until: nil, feeds: [], totals: LoadNumbers(), callSites: [],
        firstStart: nil))
  }

  /// Contents of a summary.
  static func contents(
    _ summary: StatusSummary, store: String = "/home/ada/.local/state/loadlog/loadlog.db",
    days: @escaping @Sendable (UTCDay, UTCDay) -> [DayNumbers] = { _, _ in [] },
    hours: @escaping @Sendable (Range<Int64>) -> [HourNumbers] = { _ in [] },
    successes: @escaping @Sendable (Feed) -> [Int64] = { _ in [] },
    loads: @escaping @Sendable (Feed, Range<Int64>) -> LoadPage = { _, _ in LoadPage(loads: [], total: 0) },
    failures: @escaping @Sendable (Feed) -> [LoadingSession] = { _ in [] }
  ) throws -> ReportContents {
    let reader = ExampleReader(
      summary,
      days: { first, last, feeds in
        let all = days(first, last)
        return sums(of: all) + all.filter { $0.feed.map(feeds.contains) ?? false }
      }, hours: hours, successes: successes,
      history: { filter in
        let feed = Feed(filter.feeds.first?.text ?? "")
        guard filter.states.isEmpty else { return LoadPage(loads: failures(feed), total: 0) }
        return loads(feed, (filter.since ?? .min)..<(filter.until ?? .max))
      })
    return try ReportContents(reading: reader, LoadFilter(), store: store)
  }

  /// The numbers of all feeds together, by day.
  private static func sums(of days: [DayNumbers]) -> [DayNumbers] {
    Dictionary(grouping: days, by: \.day).sorted { $0.key < $1.key }.map { day, parts in
      parts.reduce(into: DayNumbers(feed: nil, day: day)) { sum, part in
        sum.numbers.loads += part.numbers.loads
        sum.numbers.failed += part.numbers.failed
        sum.succeeded.merge(part.succeeded)
      }
    }
  }

  /// Tally of durations in seconds.
  static func tally(_ seconds: [Double]) -> DurationTally {
    seconds.reduce(into: DurationTally()) { $0.add(Int64($1 * 1e9)) }
  }

  /// Load of an example process.
  static func load(
    _ feed: Feed, at wall: Int64, _ state: SessionState, took seconds: Double, callSite: String,
    reason: String? = nil
  ) -> LoadingSession {
    let process = ProcessIdentity(
      machineID: "m", bootID: "b", pid: 4711, startTicks: 1, pidNamespace: 1, timeNamespace: 1)
    let start = LoadInstant(wall: wall, boot: 0)
    let owner = OwnerRecord(
      owner: Owner(kind: .library, process: process, host: "ada", app: "Reader"), opened: start,
      lastCommit: start, closed: nil, dropped: 0)
    let duration = state.isFinished ? Int64(seconds * 1e9) : nil
    return LoadingSession(
      id: SessionID(milliseconds: wall / 1000), feed: feed, isAnonymous: false, state: state,
      isUnknown: false, isFinishedAfterVerdict: false, started: start,
      finished: duration.map { wall + $0 / 1000 }, duration: duration, openAtLeast: Int64(seconds * 1e9),
      owner: owner, callSite: callSite, reason: reason)
  }
}
