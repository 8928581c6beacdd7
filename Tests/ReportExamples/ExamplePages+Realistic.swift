import Foundation
import LoadLogCore
package import LoadLogReports

extension ExamplePages {
  /// Contents for three months of a news reader and some background jobs.
  package static func realistic() throws -> ReportContents {
    let store = try ExampleStore()
    try record(in: store)
    var contents = try store.contents(store: "/home/ada/.local/state/loadlog/loadlog.db")
    contents.flips = flips
    return contents
  }

  /// Records the loads of the realistic page.
  package static func record(in store: ExampleStore) throws {
    var dice = Dice(42)
    for plan in plans { plan.add(to: store, &dice) }
    addTroubles(to: store)
    try store.record()
    addDeaths(to: store)
    try store.record(dying: true)
  }

  static let day: Int64 = 86_400_000_000
  static let minute: Int64 = 60_000_000
  /// Fri 14 Aug 2026, 00:00 UTC.
  static let start: Int64 = 1_786_665_600_000_000
  static let dayCount = 100

  private struct Plan {
    let feed: Feed
    let callSite: String
    /// Mean number of loads per day.
    let rate: Double
    /// Median duration in seconds.
    let median: Double
    var sigma = 0.5
    /// Share of loads that are served from a cache and therefore much faster.
    var cached = 0.0
    var failing = 0.0
    var reason = "HTTP 503"
    var unchanged = 0.0
    /// Factor by which the median grows until the last day.
    var growth = 1.0
    /// Days on which loads are slow and many fail.
    var badDays: ClosedRange<Int> = -2 ... -1
    var isAnonymous = false
    /// Number of loads that start shortly after one another.
    var burst = 1

    func add(to store: ExampleStore, _ dice: inout Dice) {
      for day in 0..<dayCount {
        let isBad = badDays.contains(day)
        let weekend = (day + 5) % 7 >= 5 ? 0.7 : 1
        for _ in 0..<dice.count(rate * weekend / Double(burst)) {
          // More loads by day than by night, most of them in the evening.
          let hour = min(23.9, max(0, dice.share() < 0.35 ? 8 + 12 * dice.share() : 24 * dice.share()))
          let wall = start + Int64(day) * ExamplePages.day + Int64(hour * 3.6e9)
          for number in 0..<(1 + Int(Double(2 * burst - 1) * dice.share())) {
            add(at: wall + Int64(number) * 130_000, to: store, &dice, day: day, isBad: isBad)
          }
        }
      }
    }

    private func add(at wall: Int64, to store: ExampleStore, _ dice: inout Dice, day: Int, isBad: Bool) {
      let typical = median * pow(growth, Double(day) / Double(dayCount)) * (isBad ? 2.5 : 1)
      var seconds = dice.spread(around: typical, sigma)
      if dice.share() < cached { seconds = dice.spread(around: median / 14, 0.3) }
      guard wall + Int64(seconds * 1e6) < ExampleStore.now else { return }
      let fails = dice.share() < (isBad ? failing * 8 : failing)
      let verdict: Verdict = fails ? .failed(reason) : dice.share() < unchanged ? .unchanged : .succeeded
      if isAnonymous {
        store.add(.push(feed), at: wall, from: callSite)
        store.add(.pop(feed, .ended), at: wall + Int64(seconds * 1e6), from: callSite)
      } else {
        store.load(feed, at: wall, took: fails ? seconds / 3 : seconds, verdict, from: callSite)
      }
    }
  }

  private static let plans = [
    Plan(
      feed: "feeds/news", callSite: "Reader/NewsFeed.swift:31", rate: 105, median: 0.8, sigma: 0.55,
      failing: 0.012, unchanged: 0.3, badDays: 61...64),
    Plan(
      feed: "images", callSite: "Reader/ImageCache.swift:88", rate: 60, median: 0.9, sigma: 0.45,
      cached: 0.35,
      failing: 0.001),
    Plan(
      feed: "network", callSite: "Reader/Uploader.swift:88", rate: 64, median: 0.4, sigma: 0.7,
      isAnonymous: true, burst: 4),
    Plan(
      feed: "reviews", callSite: "Reader/ReviewsView.swift:42", rate: 24, median: 1.2, sigma: 0.5,
      failing: 0.012, reason: "the network connection was lost", growth: 1.5),
    Plan(
      feed: "search", callSite: "Reader/Search.swift:120", rate: 44, median: 0.35, sigma: 0.6, failing: 0.004),
    Plan(
      feed: "sync/bookmarks", callSite: "Reader/Sync.swift:64", rate: 32, median: 2.4, sigma: 0.35,
      failing: 0.006, unchanged: 0.6, growth: 0.6),
    Plan(
      feed: "weather", callSite: "Reader/Weather.swift:17", rate: 48, median: 0.25, sigma: 0.3, unchanged: 0.5
    ),
    Plan(
      feed: "login", callSite: "Reader/Login.swift:9", rate: 0.9, median: 0.9, failing: 0.05,
      reason: "wrong password"),
  ]

  private static func addTroubles(to store: ExampleStore) {
    var dice = Dice(7)
    let now = ExampleStore.now
    for day in 0..<dayCount {
      let night = start + Int64(day) * Self.day + 70 * minute
      let fails = day == dayCount - 1 || day % 41 == 12
      store.load(
        "backup/db", at: night, took: fails ? 0.2 : dice.spread(around: 250 + Double(day) * 0.6, 0.08),
        fails ? .failed("exit 2: pg_dump: connection refused") : .succeeded, from: "/srv/jobs/backup.sh:12")
      for hour in 0..<24 where day < dayCount - 1 || hour < 1 {
        store.load(
          "podcasts", at: night + Int64(hour) * 60 * minute - 31 * minute,
          took: dice.spread(around: 6, 0.4), from: "jobs/podcasts.sh:8")
      }
    }
    for try_ in 0..<2 {
      store.load(
        "archive", at: now - 2 * day - Int64(try_) * 41 * minute, took: 30, .failed("timed out after 30.0 s"),
        from: "Reader/Archive.swift:55")
    }
    for hours in [19, 94, 277] {
      let wall = now - Int64(hours) * 60 * minute - 30 * minute
      let id = store.start("reviews", at: wall, from: "Reader/ReviewsView.swift:42")
      store.add(.abandon(id, .dropped), at: wall + 2_100_000, from: nil)
    }
    for hours in [14, 39] {
      store.add(
        .pop("network", .ended), at: now - Int64(hours) * 60 * minute + 11,
        from: "Reader/ImageCache.swift:117")
    }
    store.start("reviews", at: now - 192 * minute - 4_000_000, from: "Reader/ReviewsView.swift:42")
    store.load("feeds/news", at: now - 15 * minute, took: 1.1, from: "Reader/NewsFeed.swift:31")
    store.start("feeds/news", at: now - 2_000_000, from: "Reader/NewsFeed.swift:31")
  }

  /// What a notifier noticed in the last three months.
  private static var flips: [FeedFlip] {
    let outages: [(feed: Feed, state: FeedState, day: Int64, minutes: Int64?)] = [
      ("backup/db", .failing, 12, 1440), ("feeds/news", .failing, 61, 44), ("feeds/news", .late, 63, 310),
      ("archive", .failing, 97, nil), ("podcasts", .late, 76, 45 * 24 * 3), ("backup/db", .late, 99, nil),
    ]
    return outages.flatMap { feed, state, number, minutes in
      let began = start + number * day + 190 * minute
      let bad = FeedFlip(feed: feed, at: began, from: .fine, to: state, since: began)
      guard let minutes else { return [bad] }
      let end = began + minutes * minute
      return [
        bad,
        FeedFlip(
          feed: feed, at: end, from: state, to: .fine, since: end, down: minutes * minute * 1000),
      ]
    }.sorted { $0.at < $1.at }
  }

  /// Adds the loads of a process that died.
  private static func addDeaths(to store: ExampleStore) {
    let now = ExampleStore.now
    store.add(.push("network"), at: now - 9 * day, from: "Reader/Uploader.swift:88")
    store.start("backup/db", at: now - 3 * day - 391 * minute, from: "/srv/jobs/backup.sh:12")
  }
}
