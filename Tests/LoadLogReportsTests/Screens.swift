@testable import LoadLogCore
import LoadLogReports
import ReportExamples

/// Hand-made data of the screens in the tests.
enum Screens {
  static let cet = LocalZone.fixed(hours: 1, "CET")
  static let store = "/home/ada/.local/state/loadlog/loadlog.db"
  static let now = at("2026-11-21T09:41:07")
  static let second: Int64 = 1_000_000_000

  static func at(_ text: String) -> Int64 {
    (try? TimeExpression(now: 0, zone: cet).microseconds(text)) ?? 0
  }

  static func seconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }

  static func page(_ width: Int = 100, glyphs: Glyphs = .unicode, hints: Bool = true) -> PageStyle {
    PageStyle(width: width, glyphs: glyphs, hasHints: hints, zone: cet)
  }

  /// The style of output to a pipe.
  static let pipe = PageStyle(isFitted: false, zone: cet)

  static func id(_ tail: String) -> SessionID {
    let digits = "01a1f90f98247b1ea0d255e9241b6c1e".dropLast(tail.count) + tail
    let bytes = stride(from: 0, to: 32, by: 2).compactMap { offset in
      UInt8(String(digits.dropFirst(offset).prefix(2)), radix: 16)
    }
    return SessionID(bytes: bytes) ?? SessionID(milliseconds: 0)
  }

  static func statistics(
    _ median: Double, _ p95: Double, _ max: Double, count: Int = 10,
    _ quantiles: DurationStatistics.Quantiles = .exact
  ) -> DurationStatistics {
    DurationStatistics(
      count: count, sum: seconds(median) * Int64(count), min: seconds(median) / 2, max: seconds(max),
      p50: median * 1e9, p90: p95 * 0.9e9, p95: p95 * 1e9, p99: max * 0.9e9, quantiles: quantiles)
  }

  static func feed(
    _ name: String, loads: Int, failed: Int, _ durations: DurationStatistics, unbalanced: Int = 0,
    change: (inout FeedStatus) -> Void = { _ in }
  ) -> FeedStatus {
    var status = FeedStatus(feed: Feed(name))
    status.numbers.loads = loads
    status.numbers.failed = failed
    status.numbers.succeeded = loads - failed
    status.numbers.durationSucceeded = durations
    status.numbers.duration = durations
    for _ in 0..<unbalanced {
      status.numbers.unbalanced.add(.unfinishedStart(.abandoned), acknowledged: false)
    }
    status.dates.lastVerdict = .succeeded
    status.dates.lastAttempted = now
    change(&status)
    return status.judged(at: now)
  }

  static func owner(
    _ pid: Int32, app: String = "Reader", kind: Owner.Kind = .library, opened: String = "2026-11-20T13:58:20",
    closed: String? = nil
  ) -> OwnerRecord {
    let process = ProcessIdentity(
      machineID: "m", bootID: "b", pid: pid, startTicks: 1, pidNamespace: 1, timeNamespace: 1)
    let instant = LoadInstant(wall: at(opened), boot: 0)
    return OwnerRecord(
      owner: Owner(kind: kind, process: process, host: "ada", app: app), opened: instant, lastCommit: instant,
      closed: closed.map(at), dropped: 0)
  }

  static func load(
    _ tail: String, _ feed: Feed, _ started: String, _ state: SessionState, _ took: Double,
    message: String? = nil, change: (inout LoadingSession) -> Void = { _ in }
  ) -> LoadingSession {
    let start = at(started)
    let duration = state.isFinished ? seconds(took) : nil
    var load = LoadingSession(
      id: id(tail), feed: feed, message: message, isAnonymous: false, state: state, isUnknown: false,
      isFinishedAfterVerdict: false, started: LoadInstant(wall: start, boot: 0),
      finished: duration.map { start + $0 / 1000 }, duration: duration, openAtLeast: seconds(took),
      durationSource: duration == nil ? nil : .boot, owner: owner(4098),
      callSite: "Reader/ReviewsView.swift:42")
    change(&load)
    return load
  }

  /// Four months of flips: the end of an outage whose beginning was deleted, an outage over the end of a month, two within
  /// one, and one that goes on.
  static let flips: [FeedFlip] = {
    func flip(
      _ feed: Feed, _ time: String, _ from: FeedState, _ to: FeedState, since: String? = nil,
      change: (inout FeedFlip) -> Void = { _ in }
    ) -> FeedFlip {
      var flip = FeedFlip(feed: feed, at: at(time), from: from, to: to, since: at(since ?? time))
      change(&flip)
      return flip
    }
    return [
      flip("mirror", "2026-08-12T09:30:00", .late, .fine) { $0.down = seconds(7200) },
      flip("backup/db", "2026-09-30T04:10:00", .fine, .late, since: "2026-09-30T03:10:00") {
        $0.reason = "late: due 02:10, and no success came within the grace of 1 h"
      },
      flip("backup/db", "2026-10-01T02:20:30", .late, .fine, since: "2026-10-01T02:20:00") {
        $0.down = seconds(83_400)
        $0.missed = 1
      },
      flip("feeds/news", "2026-10-09T11:00:00", .fine, .failing) { $0.reason = "failing: HTTP 503" },
      flip("feeds/news", "2026-10-09T11:02:00", .failing, .overrunning) {
        ($0.reason, $0.callSite) = ("overrunning: a load runs for 2 m 00 s", "Reader/NewsFeed.swift:31")
      },
      flip("feeds/news", "2026-10-09T11:12:00", .overrunning, .fine) { $0.down = seconds(720) },
      flip("reviews", "2026-10-12T08:00:00", .fine, .unbalanced) {
        $0.reason = "unbalanced: a push was never popped"
      },
      flip("feeds/news", "2026-10-20T11:00:00", .fine, .failing) { $0.reason = "failing: HTTP 503" },
      flip("feeds/news", "2026-10-20T11:05:00", .failing, .paused) { $0.down = seconds(300) },
      flip("archive", "2026-11-21T08:11:07", .fine, .failing) {
        $0.reason = "failing: timed out after 30.0 s"
      },
    ]
  }()

  static let overrunning = load(
    "81be07d", "reviews", "2026-11-21T06:29:03", .running, 11_524, message: "Loading reviews…"
  ) { $0.owner = owner(4711) }

  static let dropped = load("41b6c1e", "reviews", "2026-11-20T14:05:11", .abandoned, 2.1) {
    $0.reason = "dropped"
    $0.evidence = "token dropped unfinished after 2.10 s"
    $0.owner = owner(4098, closed: "2026-11-20T14:31:07")
  }

  static let unchanged = load(
    "90ac4d2", "reviews", "2026-11-20T21:14:02", .unchanged, 1.4, message: "Loading reviews…")

  static let feeds: [FeedStatus] = [
    feed("archive", loads: 2, failed: 2, statistics(30, 30, 30)) {
      $0.dates.lastVerdict = .failed
      $0.dates.lastFailed = at("2026-11-19T03:00:00")
      $0.dates.lastFailure = "timed out after 30.0 s"
    },
    feed("backup/db", loads: 99, failed: 3, statistics(250, 302, 588), unbalanced: 1) {
      $0.dates.lastVerdict = .failed
      $0.dates.lastUpdated = at("2026-11-20T02:14:00")
      $0.dates.lastFailed = at("2026-11-21T02:10:00")
      $0.dates.lastFailure = "exit 2: pg_dump: connection refused"
    },
    feed("feeds/news", loads: 3102, failed: 44, statistics(0.8, 2.6, 31)) {
      $0.dates.lastUpdated = at("2026-11-21T09:25:50")
      $0.numbers.running = 1
      $0.numbers.runningSince = at("2026-11-21T09:41:05")
    },
    feed("images", loads: 912, failed: 0, statistics(0.3, 1.1, 6.4)) {
      $0.dates.lastUpdated = at("2026-11-21T09:38:50")
    },
    feed("login", loads: 61, failed: 4, statistics(0.9, 2.2, 4)) {
      $0.dates.lastUpdated = at("2026-11-20T11:00:00")
    },
    feed("network", loads: 18_730, failed: 0, statistics(0.4, 1.9, 41.3), unbalanced: 3) {
      $0.numbers.succeeded = 0
      $0.numbers.ended = 18_729
      $0.dates.lastVerdict = .ended
    },
    feed("reviews", loads: 1204, failed: 18, statistics(1.2, 3.9, 12), unbalanced: 3) {
      $0.dates.lastUpdated = at("2026-11-20T22:58:41")
      $0.numbers.running = 1
      $0.numbers.overrunning = 1
      $0.numbers.runningSince = at("2026-11-21T06:29:03")
      $0.oldestRunning = overrunning
      $0.usualMaximum = seconds(8.8)
      $0.runningLimit = seconds(26.4)
    },
  ]

  /// Busy time and peak depth of all feeds, where they are asked for.
  static var busy: BusySummary {
    let times = feeds.map { ($0.feed, BusyTime(busy: seconds(1234.5), peakDepth: 2)) }
    return BusySummary(
      feeds: Dictionary(uniqueKeysWithValues: times), store: BusyTime(busy: seconds(86_400), peakDepth: 9))
  }

  static var totals: LoadNumbers {
    var totals = LoadNumbers()
    totals.loads = 24_110
    totals.failed = 71
    totals.running = 2
    for _ in 0..<5 { totals.unbalanced.add(.unfinishedStart(.abandoned), acknowledged: false) }
    for _ in 0..<2 { totals.unbalanced.add(.unmatchedFinish(.extraPop), acknowledged: false) }
    return totals
  }

  static let callSites = [
    CallSiteCount(
      feed: "reviews", callSite: "Reader/ReviewsView.swift:42", isLikely: false,
      kind: .unfinishedStart(.abandoned), count: 3, last: at("2026-11-20T14:05:11")),
    CallSiteCount(
      feed: "network", callSite: "Reader/ImageCache.swift:117", isLikely: false,
      kind: .unmatchedFinish(.extraPop), count: 2, last: at("2026-11-19T18:30:02")),
    CallSiteCount(
      feed: "network", callSite: "Reader/Uploader.swift:88", isLikely: true,
      kind: .unfinishedStart(.crashed), count: 1, last: at("2026-11-11T21:15:00")),
    CallSiteCount(
      feed: "backup/db", callSite: "/srv/jobs/backup.sh:12", isLikely: false,
      kind: .unfinishedStart(.rebooted), count: 1, last: at("2026-11-18T02:10:00")),
  ]

  static let status = StatusSummary(
    generated: now, since: nil, until: nil, feeds: feeds, totals: totals, callSites: callSites,
    firstStart: at("2026-08-14T08:00:00"))

  static let history = LoadPage(
    loads: [
      overrunning,
      load("d3047aa", "backup/db", "2026-11-21T02:10:00", .failed, 0.2) {
        $0.reason = "exit 2: pg_dump: connection refused"
      },
      load("2f6e9b0", "reviews", "2026-11-20T22:58:40", .succeeded, 1.1, message: "Loading reviews…"),
      unchanged, dropped,
    ], total: 1303)

  static func imbalance(
    _ tail: String, _ kind: Imbalance.Kind, _ feed: Feed, _ time: String, _ evidence: String,
    _ callSite: String,
    isLikely: Bool = false
  ) -> Imbalance {
    Imbalance(
      id: id(tail), kind: kind, feed: feed, session: id(tail), at: at(time), evidence: evidence,
      callSite: callSite, isLikely: isLikely)
  }

  static let imbalances = ImbalanceSummary(
    generated: now, since: nil, until: nil,
    imbalances: [
      imbalance(
        "41b6c1e", .unfinishedStart(.abandoned), "reviews", "2026-11-20T14:05:11",
        "token dropped unfinished after 2.10 s", "Reader/ReviewsView.swift:42"),
      imbalance(
        "b7f2e80", .unmatchedFinish(.extraPop), "network", "2026-11-19T18:30:02", "count already 0",
        "Reader/ImageCache.swift:117"),
      imbalance(
        "b7f2e7f", .unmatchedFinish(.extraPop), "network", "2026-11-19T18:29:58", "count already 0",
        "Reader/ImageCache.swift:117"),
      imbalance(
        "a90b3f4", .unfinishedStart(.rebooted), "backup/db", "2026-11-18T02:10:00",
        "the machine restarted at 02:12, before any finish", "/srv/jobs/backup.sh:12"),
      imbalance(
        "c02fa91", .unfinishedStart(.abandoned), "reviews", "2026-11-17T08:12:40",
        "token dropped unfinished after 1.90 s", "Reader/ReviewsView.swift:42"),
      imbalance(
        "0e51c77", .unfinishedStart(.crashed), "network", "2026-11-11T21:15:00",
        "pid 2990 is gone and its lock is free", "Reader/Uploader.swift:88", isLikely: true),
      imbalance(
        "7d1105e", .unfinishedStart(.crashed), "reviews", "2026-11-09T23:58:02",
        "pid 3102 is gone and its lock is free", "Reader/ReviewsView.swift:42"),
    ],
    overrunning: [
      ImbalanceSummary.OverrunningLoad(load: overrunning, limit: seconds(26.4), usualMaximum: seconds(8.8))
    ])

  static let context = LoadContext(
    load: dropped, usual: 1.2e9,
    before: load("7777aaa", "reviews", "2026-11-20T14:05:04", .failed, 2), nextSuccess: unchanged)
}
