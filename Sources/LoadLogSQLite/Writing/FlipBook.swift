import Foundation
import GRDB
package import LoadLogCore

/// Writes the flips of a store, and what notifiers have delivered of them.
///
/// The store must exist. Calls block the thread, and wait for other writers up to a deadline; use a book from one thread
/// at a time. It opens the store for each change and closes it again: changes are rare, and a notifier lives long.
package final class FlipBook {
  private let path: String
  private let reader: SQLiteLoadReader
  private let processes: any ProcessTable
  private let clock: any LoadClock
  private let deadline: Duration

  /// Creates a book for the store of a reader.
  package init(
    at path: String, _ reader: SQLiteLoadReader, processes: any ProcessTable = SystemProcessTable(),
    clock: any LoadClock = BootClock(), deadline: Duration = .seconds(30)
  ) {
    self.path = path
    self.reader = reader
    self.processes = processes
    self.clock = clock
    self.deadline = deadline
  }

  /// The lock by which one notifier of a name works at a time. Each user who may share the store may share it.
  package func turn(of name: String) throws(LoadLogError) -> StoreGate {
    // One store has one lock, by whichever link it is called.
    let location = try StoreLocation(path, creatingFolder: false)
    try location.checkFolderForWriting()
    return try StoreGate(
      path: "\(location.path)-notify-\(StableHash(fields: [name]).name)", mode: location.fileMode,
      besides: location.path)
  }

  /// The newest flip of each feed.
  package func newest() throws(LoadLogError) -> [Feed: FeedFlip] {
    try reader.read { try FlipRows($0.database).newest() }
  }

  /// When the outages began in which feeds are, by their newest flips.
  package func outages(of feeds: [Feed]) throws(LoadLogError) -> [Feed: Int64] {
    guard !feeds.isEmpty else { return [:] }
    return try reader.read { connection in
      let rows = FlipRows(connection.database)
      var starts: [Feed: Int64] = [:]
      for feed in feeds { starts[feed] = try rows.outage(of: feed)?.start }
      return starts
    }
  }

  /// What a notifier has done; nil if it is new.
  package func record(of name: String) throws(LoadLogError) -> NotifierRecord? {
    try reader.read { try NotifierRows($0.database).record(of: name) }
  }

  /// Replaces what a notifier has done; durable when this returns.
  package func set(_ record: NotifierRecord, of name: String) throws(LoadLogError) {
    try write { try NotifierRows($0).set(record, of: name) }
  }

  /// Writes a flip for each feed whose state is not that of its newest flip; durable when this returns. A state that
  /// another program has found later stays.
  ///
  /// - Parameters:
  ///   - found: what a check found.
  ///   - now: when it did, in microseconds since 1970.
  /// - Returns: the flips.
  @discardableResult
  package func note(_ found: [FoundState], at now: Int64) throws(LoadLogError) -> [FeedFlip] {
    let known = try newest()
    let changed = found.filter { $0.state != known[$0.status.feed]?.to ?? .fine }
    guard !changed.isEmpty else { return [] }
    return try write { database in
      let rows = FlipRows(database)
      let known = try rows.newest()
      var cache = RowCache()
      var flips: [FeedFlip] = []
      for found in changed {
        let last = known[found.status.feed]
        guard found.state != last?.to ?? .fine, !Self.isNewer(last, at: now) else { continue }
        // The newest flip is the one with the latest time, also after a clock was ahead.
        let time = last.map { max(now, $0.at.addingClamping(1)) } ?? now
        let flip = try Self.flip(
          to: found, since: found.since(after: last, at: now), after: last, at: time, rows)
        // A store that keeps the flips of a record that is elsewhere does not know its feeds.
        try cache.addExpectedFeed(found.status.feed, in: database)
        try rows.insert(flip, lastSuccess: found.status.dates.lastSuccessStarted)
        flips.append(flip)
      }
      try rows.prune(at: now)
      return flips
    }
  }

  /// How far ahead of this check another notifier may have found a state, in microseconds. A flip that is further ahead
  /// came from a clock that was wrong, and is ignored.
  private static let ahead: Int64 = 60_000_000

  private static func isNewer(_ flip: FeedFlip?, at now: Int64) -> Bool {
    flip.map { $0.at > now && $0.at.subtractingClamping(now) <= ahead } ?? false
  }

  private static func flip(
    to found: FoundState, since: Int64, after last: FeedFlip?, at now: Int64, _ rows: FlipRows
  ) throws -> FeedFlip {
    var flip = FeedFlip(
      feed: found.status.feed, at: now, from: last?.to ?? .fine, to: found.state, since: since,
      reason: found.reason, callSite: found.callSite)
    guard !found.state.isOutage else { return flip }
    guard let outage = try rows.outage(of: found.status.feed) else {
      if found.state == .fine { flip.since = now }
      return flip
    }
    // A success ends an outage when it finishes, and meets a due time when it starts. One that the check before knew did
    // not end it. A pause ends it when it begins. Without either, the expectation has changed.
    let dates = found.status.dates
    let success = dates.lastUpdated.flatMap { success -> Int64? in
      guard success > outage.start, found.lastCheck?.knew(success, of: flip.feed) != true else { return nil }
      return min(success, now)
    }
    var end = success ?? now
    if found.state == .paused { end = min(end, max(found.since, outage.start)) }
    switch found.state {
    case .fine: flip.since = end
    case .unbalanced: flip.since = max(end, found.since)
    default: break
    }
    flip.down = end.subtractingClamping(outage.start).multipliedClamping(by: 1000)
    let met = success.flatMap { _ in dates.lastSuccessStarted } ?? end
    let pauseEnd = found.pauseEnd.flatMap { $0 <= outage.start ? $0 : nil }
    flip.missed = found.missed(
      after: outage.success, pauseEnd: try pauseEnd ?? rows.pauseEnd(of: flip.feed, before: outage.start),
      until: min(met, end))
    return flip
  }

  private func write<Value: Sendable>(_ work: (Database) throws -> Value) throws(LoadLogError) -> Value {
    let store = try SQLiteLoadStore(withoutOwnerAt: path, app: "notify", within: deadline, processes, clock)
    defer { store.close(finally: true) }
    return try store.write(within: deadline, work)
  }
}
