import Foundation
import GRDB
package import LoadLogCore
import Synchronization

/// Writes what clients report whose processes cannot be seen from here.
///
/// Calls block the thread, and wait for other writers up to a deadline. Any number of threads may call at the same time;
/// one writes at a time. The store stays open between calls.
package final class PingBook: Sendable {
  /// What became of a ping.
  package enum Outcome: Sendable, Hashable {
    /// It is durable, or the record knew it already.
    case recorded
    /// It is durable, and its feed is new.
    case created
    /// The record does not know its feed, and it was not to create it.
    case unknownFeed
  }

  private let path: String
  private let clock: any LoadClock
  private let processes: any ProcessTable
  /// This machine as the owners of the loads have it, without this process.
  private let here: ProcessIdentity
  private let deadline: Duration
  private let opened = Mutex<Opened?>(nil)

  /// The store while it is open, and the rows of it that are known.
  private struct Opened {
    let store: SQLiteLoadStore
    var rows = RowCache()
  }

  /// Creates a book for a store, which must exist.
  package init(
    at path: String, processes: any ProcessTable = SystemProcessTable(), clock: any LoadClock = BootClock(),
    deadline: Duration = .seconds(5)
  ) {
    self.path = path
    self.processes = processes
    self.clock = clock
    self.deadline = deadline
    var here = processes.current
    here.pid = 0
    here.startTicks = nil
    self.here = here
  }

  deinit { close() }

  /// Closes the store; the next ping opens it again.
  package func close() {
    opened.withLock { opened in
      opened?.store.maintain(closing: true)
      opened?.store.close(finally: true)
      opened = nil
    }
  }

  /// A ping, and who sent it.
  package struct Entry: Sendable {
    package let ping: Ping
    /// The address of the client, and the name that it gives itself, which may be empty.
    package let address: String, client: String
    /// Whether a feed that the record does not know is created.
    package let creates: Bool

    /// Creates an entry from its parts.
    package init(_ ping: Ping, from address: String, _ client: String, creates: Bool) {
      self.ping = ping
      self.address = address
      self.client = client
      self.creates = creates
    }
  }

  /// Records pings in one transaction. They are durable when this returns.
  ///
  /// - Returns: what became of each; `invalidInput` if its feed's name is not allowed. If nothing could be written, all
  ///   others have the same error: `storeMissing`, `busy`, and what opening and writing the store throws.
  package func record(_ entries: [Entry]) -> [Result<Outcome, LoadLogError>] {
    let names = entries.map { entry in Result { () throws(LoadLogError) in try entry.ping.feed.validated() } }
    let valid = zip(entries, names).filter { (try? $0.1.get()) != nil }.map(\.0)
    let outcomes: Result<[Outcome], LoadLogError> = Result { () throws(LoadLogError) in
      try valid.isEmpty ? [] : record(valid: valid)
    }
    var next = 0
    return names.map { name in
      name.flatMap { _ in
        defer { next += 1 }
        return outcomes.map { $0[next] }
      }
    }
  }

  private func record(valid entries: [Entry]) throws(LoadLogError) -> [Outcome] {
    try opened.withLock { opened throws(LoadLogError) in
      do throws(LoadLogError) {
        let store =
          if let opened { opened.store } else {
            try SQLiteLoadStore(withoutOwnerAt: path, app: "serve", within: deadline, processes, clock)
          }
        var known = opened?.rows.take() ?? RowCache()
        opened = Opened(store: store)
        let (outcomes, rows) = try store.write(within: deadline) { database in
          var writing = PingWriting(database: database, here: here, clock: clock, rows: known.take())
          let outcomes = try entries.map { try writing.record($0) }
          return (outcomes, try writing.finish())
        }
        opened?.rows = rows
        if store.maintenance == .soon { store.maintain(closing: false) }
        return outcomes
      } catch {
        // The files may have been replaced.
        if error.code != .busy {
          opened?.store.close(finally: true)
          opened = nil
        }
        throw error
      }
    }
  }
}

/// Records pings inside one transaction.
private struct PingWriting {
  struct Client: Hashable {
    let address: String, name: String
  }

  let database: Database
  let here: ProcessIdentity
  let clock: any LoadClock
  /// The rows that are known before the first event; then the applier has them.
  var rows: RowCache
  var known: Set<Feed> = []
  var owners: [Client: (owner: StoreOwner, registration: OwnerRow.Registration)] = [:]
  /// The client that sent the last events, what applies them, and the last of them.
  var current: (client: Client, applier: EventApplier, last: NumberedEvent)?

  mutating func record(_ entry: PingBook.Entry) throws -> PingBook.Outcome {
    let ping = entry.ping
    let isKnown = try known.contains(ping.feed) || isKnown(ping.feed)
    guard isKnown || entry.creates else { return .unknownFeed }
    let now = clock.now()
    let events = try PingRules(database: database, ping: ping, now: now.wall).events().map { kind in
      var event = LoadEvent(kind, at: now)
      if ping.verdict != nil { event.run = ping.body.map { RunDetails(output: $0) } }
      return event
    }
    if let last = events.last {
      try turn(to: Client(address: entry.address, name: entry.client), last)
      for event in events { _ = try current?.applier.apply(event) }
    }
    if isKnown || !events.isEmpty { known.insert(ping.feed) }
    return isKnown || events.isEmpty ? .recorded : .created
  }

  /// Writes what is left to be written.
  ///
  /// - Returns: the rows that are known.
  mutating func finish() throws -> RowCache {
    guard case (let client, var applier, let last)? = current else { return rows.take() }
    try applier.finish(after: last, dropped: 0)
    owners[client]?.registration = applier.registration
    current = nil
    return applier.rows
  }

  /// Lets the next events be those of a client. What one client did is written before the next one's, so that dates and
  /// journal keep the order of the pings.
  private mutating func turn(to client: Client, _ last: LoadEvent) throws {
    let last = NumberedEvent(number: 1, event: last)
    guard current?.client != client else {
      current?.last = last
      return
    }
    let known = owners[client]
    let owner = known?.owner ?? owner(client)
    let applier = try EventApplier(
      database, owner: owner, registration: known?.registration, rows: finish(), judge: {},
      isAlive: { _ in true })
    owners[client] = (owner, applier.registration)
    current = (client, applier, last)
  }

  private func isKnown(_ feed: Feed) throws -> Bool {
    try RawStatement(
      database, "SELECT 1 FROM \(FeedDates.source) WHERE feed.name = ? AND \(FeedDates.known)", feed.name
    ).hasRow()
  }

  /// The owner of all loads of a client during one boot of this machine.
  private func owner(_ client: Client) -> StoreOwner {
    let owner = Owner(
      kind: .remote, process: here, host: TextLimit.cut(client.address, to: TextLimit.tag) ?? "",
      app: TextLimit.cut(client.name, to: TextLimit.tag) ?? "")
    return StoreOwner(owner, opened: clock.now())
  }
}

/// Decides which events a ping is, by what the record knows of its run.
private struct PingRules {
  /// How long a run's end is known, in microseconds: the same verdict again is a client's retry, and a start is late.
  private static let memory: Int64 = 60_000_000

  let database: Database
  let ping: Ping
  let now: Int64

  func events() throws -> [LoadEvent.Kind] {
    let newest = if let loads = ping.loads { try newestOfRun(loads) } else { try newestWithoutRun() }
    let running = newest.flatMap { $0.load.state == .running ? $0.id : nil }
    let next = ping.load(after: newest?.id) ?? SessionID(milliseconds: now / 1000)
    switch ping.kind {
    case .log:
      guard let running, let message = ping.line else { return [] }
      return [.update(running, message: message)]
    case .start:
      let start = LoadEvent.Kind.start(next, ping.feed, message: nil, tag: nil)
      guard ping.run == nil else {
        // A run that runs already was started twice; one that has just ended was overtaken by its end.
        return running != nil || newest.map({ isFresh($0.load) }) == true ? [] : [start]
      }
      return (running.map { [.abandon($0, .superseded)] } ?? []) + [start]
    case .success, .failure:
      guard let verdict = ping.verdict else { return [] }
      if let running { return [.finish(running, verdict)] }
      if ping.run != nil, let load = newest?.load, load.state == verdict.state, isFresh(load) { return [] }
      return [.heard(next, ping.feed, verdict)]
    }
  }

  /// Whether a load ended a moment ago. One that ended in the future did not: the clock was ahead.
  private func isFresh(_ load: StoredSession) -> Bool {
    now.subtractingClamping(load.finishedAt).magnitude < Self.memory
  }

  private typealias Known = (id: SessionID, load: StoredSession)

  /// The newest load of a client's run, of those that were not pruned.
  private func newestOfRun(_ loads: ClosedRange<SessionID>) throws -> Known? {
    let rows = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns), session.id FROM session WHERE session.id BETWEEN ? AND ?
      ORDER BY session.id DESC LIMIT 1
      """, loads.lowerBound, loads.upperBound)
    return try known(rows)
  }

  /// The newest running load of the feed that a client reported without an id of its own; a message is about any.
  /// Those with one have an id of version 8, which is made from it.
  private func newestWithoutRun() throws -> Known? {
    let rows = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns), session.id FROM session
      JOIN owner ON owner.id = session.owner JOIN feed ON feed.id = session.feed
      WHERE session.state = 0 AND feed.name = ? AND owner.kind = 'remote'
        AND (? = 1 OR substr(hex(session.id), 13, 1) <> '8')
      ORDER BY session.seq DESC LIMIT 1
      """, ping.feed.name, ping.kind == .log)
    return try known(rows)
  }

  private func known(_ rows: RawStatement) throws -> Known? {
    try rows.first { row in
      try row.id(StoredSession.Column.columnCount).map { (id: $0, load: try StoredSession(row)) }
    }.flatMap(\.self)
  }
}
