import Dispatch
public import Foundation
public import LoadLogCore
import LoadLogSQLite
public import Logging
import Synchronization

/// The problems of the feeds of a store, and how they change, in the app's own process.
///
///     for await flip in try LoadAlarm(storeAt: url) {
///       show("\(flip.feed) is \(flip.to.rawValue)")
///     }
///
/// It first yields a flip for each feed that has a problem now, and then each change of a feed, no matter what noticed it: the
/// alarm itself, another one, or `loadlog notify`. Changes that follow each other within one interval are one flip, from
/// the state that was yielded last to the newest one. A pause of an expectation is yielded, too.
///
/// The sequence has no end; cancel the task that iterates it. It waits for a store that is not there yet, and after an
/// error it logs a warning and tries again at the next interval. In a store that it may only read it notices changes all
/// the same, without the duration of an outage. Each iteration checks by itself, on a thread of its own, and not on the
/// cooperative pool.
public struct LoadAlarm: AsyncSequence, Sendable {
  /// A change of a feed.
  public typealias Element = FeedFlip
  /// An alarm never fails.
  public typealias Failure = Never

  private let path: String
  private let filter: LoadFilter
  private let interval: Duration
  private let logger: Logger

  /// Creates an alarm.
  ///
  /// - Parameters:
  ///   - url: the store.
  ///   - feeds: the feeds to watch; empty for all.
  ///   - interval: how often to check whether the store has changed. Without a change, feeds are checked every 30 s.
  ///   - logger: where errors go, at level warning; until a check succeeds, only the first error of a kind.
  /// - Throws: `storeUnusable` if the URL is not a file URL; `invalidInput` if the interval is not longer than 0.
  public init(
    storeAt url: URL, feeds: [FeedPattern] = [], interval: Duration = .seconds(2),
    logger: Logger = Logger(label: "LoadLog")
  ) throws(LoadLogError) {
    guard interval > .zero else {
      throw LoadLogError(
        .invalidInput, what: "interval", value: "\(interval)", why: "it is not longer than 0")
    }
    path = try GivenPath.path(of: url)
    filter = LoadFilter(feeds: feeds)
    self.interval = interval
    self.logger = logger
  }

  /// Begins to check.
  public func makeAsyncIterator() -> Iterator {
    Iterator(source: AlarmSource(path: path, filter: filter, logger: logger), interval: interval)
  }

  /// An iteration over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: AlarmSource
    fileprivate let interval: Duration
    private var waiting: [FeedFlip] = []
    private var isFirst = true

    fileprivate init(source: AlarmSource, interval: Duration) {
      self.source = source
      self.interval = interval
    }

    /// The next change; nil if the task is cancelled.
    public mutating func next() async -> FeedFlip? { await next(isolation: nil) }

    /// The next change; nil if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> FeedFlip? {
      while waiting.isEmpty {
        if !isFirst { try? await Task.sleep(for: interval) }
        guard !Task.isCancelled else { return nil }
        isFirst = false
        waiting = await source.check()
      }
      return waiting.removeFirst()
    }
  }
}

/// Checks a store on a queue of its own.
private final class AlarmSource: Sendable {
  private struct State {
    var reader: SQLiteLoadReader?
    /// The version of the data at the last check, and when it was, in nanoseconds since boot.
    var version: Int64 = -1
    var checked = Int64.min
    var lastCheck: Int64?
    var gap: CheckGap?
    var yielded: [Feed: FeedFlip] = [:]
    /// The kinds of errors that were logged since a check succeeded last.
    var logged: Set<LoadLogError.Code> = []
  }

  /// Without a commit, feeds are checked again after this many nanoseconds: time alone makes them late, and owners die.
  private static let patience: Int64 = 30_000_000_000

  private let path: String
  private let filter: LoadFilter
  private let logger: Logger
  private let clock = BootClock()
  private let queue = DispatchQueue(label: "loadlog.alarm")
  private let state = Mutex(State())

  init(path: String, filter: LoadFilter, logger: Logger) {
    self.path = path
    self.filter = filter
    self.logger = logger
  }

  /// The changes since the last check.
  func check() async -> [FeedFlip] {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(returning: state.withLock { flips(&$0) })
      }
    }
  }

  private func flips(_ state: inout State) -> [FeedFlip] {
    do throws(LoadLogError) {
      return try check(&state)
    } catch {
      // A store that is not there yet is no error.
      if error.code != .storeMissing { report(error, &state) }
      return []
    }
  }

  private func report(_ error: LoadLogError, _ state: inout State) {
    guard state.logged.insert(error.code).inserted else { return }
    logger.warning(
      "an alarm could not check or write to its store",
      metadata: ["error": "\(error)", "code": "\(error.code.rawValue)"])
  }

  private func check(_ state: inout State) throws(LoadLogError) -> [FeedFlip] {
    let now = clock.now()
    let isPatient = now.boot.subtractingClamping(state.checked) < Self.patience
    // The file may have been replaced.
    if !isPatient { state.reader = nil }
    if state.reader == nil { state.reader = try SQLiteLoadReader(at: path) }
    guard let reader = state.reader else { return [] }
    let version = try reader.dataVersion()
    guard version != state.version || !isPatient else { return [] }
    state.gap =
      CheckGap(since: state.lastCheck ?? now.wall, at: now.wall, interval: Self.patience) ?? state.gap
    let check = AlarmCheck(reader, filter, FlipBook(at: path, reader)) { summary, _ in
      summary.feeds.map { status in
        let reason = status.problems.first == .failing ? status.dates.lastFailure : nil
        return FoundState(status, in: summary, reason: reason)
      }
    }
    let look = try check.look(after: state.gap)
    var written: [FeedFlip] = []
    do throws(LoadLogError) {
      written = try check.note(look)
      state.logged = []
    } catch {
      report(error, &state)
    }
    (state.version, state.checked, state.lastCheck) = (version, now.boot, now.wall)
    // In a store that can be written to, every change is a flip. In others, changes follow from what was found.
    let news = written.filter { $0.at > state.yielded[$0.feed]?.at ?? .min }
    let known = Set(news.map(\.feed))
    let unwritten = look.found.filter { !known.contains($0.status.feed) }.map {
      FeedFlip(
        feed: $0.status.feed, at: now.wall, from: .fine, to: $0.state, since: $0.since, reason: $0.reason,
        callSite: $0.callSite)
    }
    let flips = (news + unwritten).sorted { $0.feed < $1.feed }.compactMap { flip -> FeedFlip? in
      let last = state.yielded[flip.feed]
      guard flip.to != last?.to ?? .fine else { return nil }
      var net = flip
      net.from = last?.to ?? .fine
      return net
    }
    for flip in flips { state.yielded[flip.feed] = flip }
    return flips
  }
}
