public import Foundation
public import LoadLogCore
import LoadLogSQLite
public import Logging

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
  ///   - interval: how often to check whether the store has changed. Without a change, feeds are checked
  ///     every 30 s, or at each interval if that is longer.
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
    Iterator(source: AlarmSource(path: path, filter: filter, interval: interval, logger: logger))
  }

  /// An iteration over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: AlarmSource
    private var waiting: [FeedFlip] = []
    private var isFirst = true

    fileprivate init(source: AlarmSource) { self.source = source }

    /// The next change; nil if the task is cancelled.
    public mutating func next() async -> FeedFlip? { await next(isolation: nil) }

    /// The next change; nil if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> FeedFlip? {
      while waiting.isEmpty {
        if !isFirst { try? await Task.sleep(for: source.interval) }
        guard !Task.isCancelled else { return nil }
        isFirst = false
        waiting = await source.check()
      }
      guard !Task.isCancelled else { return nil }
      return waiting.removeFirst()
    }
  }
}
