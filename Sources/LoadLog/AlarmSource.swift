import Dispatch
package import LoadLogCore
import LoadLogSQLite
package import Logging
import Synchronization

/// Checks a store for a `LoadAlarm`, on a queue of its own.
package final class AlarmSource: Sendable {
  private struct State {
    var reader: SQLiteLoadReader?
    /// The version of the data at the last check, and when it was, in nanoseconds since boot.
    var version: Int64 = -1
    var checked = Int64.min
    var lastCheck: Int64?
    var gap: CheckGap?
    /// The last check whose flips were written.
    var noted: EarlierCheck?
    var yielded: [Feed: FeedFlip] = [:]
    /// The kinds of errors that were logged since a check succeeded last.
    var logged: Set<LoadLogError.Code> = []
  }

  /// Without a commit, feeds are checked again after this many nanoseconds: time alone makes them late, and owners die.
  private static let patience: Int64 = 30_000_000_000

  private let path: String
  private let filter: LoadFilter
  /// How often it is asked to check.
  let interval: Duration
  private let logger: Logger
  private let clock: any LoadClock
  private let queue = DispatchQueue(label: "loadlog.alarm")
  private let state = Mutex(State())

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - path: the store's path.
  ///   - filter: the feeds; the rest is ignored.
  ///   - interval: how often it is asked to check.
  ///   - logger: where errors go.
  ///   - clock: the clock by which feeds are late.
  package init(
    path: String, filter: LoadFilter, interval: Duration, logger: Logger, clock: any LoadClock = BootClock()
  ) {
    self.path = path
    self.filter = filter
    self.interval = interval
    self.logger = logger
    self.clock = clock
  }

  /// The changes since the last check.
  package func check() async -> [FeedFlip] {
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
    if state.reader == nil { state.reader = try SQLiteLoadReader(at: path, clock: clock) }
    guard let reader = state.reader else { return [] }
    let version = try reader.dataVersion()
    guard version != state.version || !isPatient else { return [] }
    let usual = max(interval.wholeNanoseconds, Self.patience)
    state.gap =
      CheckGap(since: state.lastCheck ?? now.wall, at: now.wall, interval: usual) ?? state.gap
    let book = FlipBook(at: path, reader, clock: clock)
    let check = AlarmCheck(reader, filter, book) { summary, _, lastCheck in
      summary.feeds.map { status in
        let reason = status.problems.first == .failing ? status.failureReason : nil
        return FoundState(status, in: summary, reason: reason, lastCheck: lastCheck)
      }
    }
    let look = try check.look(after: state.gap, state.noted)
    var written: [FeedFlip] = []
    do throws(LoadLogError) {
      written = try check.note(look)
      state.noted = look.earlier(at: now.wall)
      state.logged = []
    } catch {
      report(error, &state)
    }
    (state.version, state.checked, state.lastCheck) = (version, now.boot, now.wall)
    // In a store that can be written to, every change is a flip. In others, changes follow from what was found.
    let news = written.filter { $0.at > state.yielded[$0.feed]?.at ?? .min }
    let known = Set(news.map(\.feed))
    let unwritten = look.found.filter { !known.contains($0.status.feed) }.map { found in
      FeedFlip(
        feed: found.status.feed, at: now.wall, from: .fine, to: found.state,
        since: found.since(after: state.yielded[found.status.feed], at: now.wall), reason: found.reason,
        callSite: found.callSite)
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
