import Foundation
import GRDB
import LoadLogCore

/// Applies items of an import to the record, inside one transaction, by the rules of states.
struct ImportApplier {
  /// An item, and the id under which it is recorded if it makes a row.
  struct Entry {
    let item: ImportedItem
    let id: SessionID?
  }

  let database: Database
  let source: String
  let scratch: ImportScratch
  let now: LoadInstant
  var scope: ImportScope
  var rules: StateRules
  var dates = FeedDateChanges(.onlyForward)

  init(
    _ database: Database, _ scope: ImportScope, source: String, scratch: ImportScratch, now: LoadInstant
  ) throws {
    self.database = database
    self.source = source
    self.scratch = scratch
    self.now = now
    self.scope = scope
    rules = try StateRules(database)
    // An import counts its changes itself, so nothing may wait in the journal.
    try ChangeJournal.apply(in: database)
    if scope.lastSession == nil {
      self.scope.lastSession = try Int64.fetchOne(database, sql: "SELECT max(seq) FROM session") ?? 0
    }
    self.scope.hasSealedDays =
      try Summary.fetch(SummaryKey(feed: SummaryKey.store, day: SummaryKey.allTime), in: database)?.isSealed
      ?? false
  }

  /// Applies one item.
  mutating func apply(_ entry: Entry) throws {
    scope.firstOwnerless = scope.firstOwnerless ?? entry.item.identityWithoutOwner
    switch (entry.item, entry.id) {
    case (.load(let load), let id?): try reporting(load.position) { try $0.add(load, id) }
    case (.orphan(let finish), let id?): try reporting(finish.position) { try $0.add(finish, id) }
    case (.line(let line), let id): try reporting(line.position) { try $0.apply(line, id) }
    default: break
    }
  }

  /// Writes what was collected; call it at the end of the transaction.
  ///
  /// - Returns: what the next transaction needs.
  mutating func end() throws -> ImportScope {
    try dates.write(to: database)
    try countChanges()
    return scope
  }

  /// Adds the changes so far to the counters.
  mutating func countChanges() throws {
    var counted = CounterChanges()
    for change in rules.takeChanges() { counted.add(change) }
    try counted.write(to: database)
  }

  /// An item that the record cannot take is rejected; what follows it is not.
  mutating func reporting(
    _ position: FilePosition, _ work: (inout ImportApplier) throws -> Void
  ) throws {
    do {
      try work(&self)
    } catch let error as LoadLogError where error.code == .invalidInput {
      let value = error.value.map { " \(VisibleText.quoted($0))" } ?? ""
      scope.result.reject(ImportFault(at: position, "\(error.what)\(value): \(error.why)"))
    }
  }

  /// Counts something that the file holds.
  mutating func count(isNew: Bool) {
    if isNew { scope.result.imported += 1 } else { scope.result.skipped += 1 }
  }
}

extension ImportedItem {
  /// What it is, if it belongs to somebody and names nobody.
  fileprivate var identityWithoutOwner: LoadIdentity? {
    switch self {
    case .load(let load): return load.identity
    case .orphan(let finish): return finish.identity
    case .rejected, .skipped, .fault: return nil
    case .line(let line):
      switch line.line {
      case .start(let start): return start.owner == nil ? line.identity : nil
      case .push(let count), .pop(let count): return count.owner == nil ? line.identity : nil
      case .unmatched(let unmatched): return unmatched.owner == nil ? line.identity : nil
      case .finish(let finish): return .id(finish.id)
      case .reset, .owner, .feed, .acknowledged, .sealedDay: return nil
      }
    }
  }
}

// MARK: - Loads of other tools

extension ImportApplier {
  private mutating func add(_ load: ForeignLoad, _ id: SessionID) throws {
    let started = try Self.checked(load.started)
    let id = try Self.isOwn(load.identity) ? id : free(id, at: started, of: .session)
    let ending = StateRules.Ending(
      state: load.state, duration: load.state.isFinished ? load.duration : load.duration ?? 0,
      wallDrift: load.state.isFinished && load.duration != nil ? 0 : nil, reason: try text(load.reason))
    if let known = try known(id, feed: load.feed, started: started) {
      // The file, or what was known of the load, ended too early when it was imported before: now there is an end.
      let isNews = !known.state.isFinished && load.state.isFinished
      if isNews { try conclude(known, ending) }
      return count(isNew: isNews)
    }
    guard try !mayBePruned(load.feed, started) else { return }
    let session = StateRules.NewSession(
      id: id, feed: try feedRow(load.feed), owner: try importOwner(),
      started: LoadInstant(wall: started, boot: 0), message: try text(load.message),
      tag: try text(load.tag, field: "tag", limit: TextLimit.tag),
      callSite: try text(load.callSite, field: "call site", limit: TextLimit.message), ending: ending)
    _ = try add(session)
    count(isNew: true)
  }

  private mutating func add(_ finish: ForeignFinish, _ id: SessionID) throws {
    let at = try Self.checked(finish.at)
    let isNew = try rules.insert(
      StateRules.Unmatched(
        id: Self.isOwn(finish.identity) ? id : free(id, at: at, of: .unmatched), kind: finish.kind,
        feed: try finish.feed.map { try feedRow($0) }, session: nil, owner: try importOwner(),
        at: LoadInstant(wall: at, boot: 0), state: .ended,
        callSite: try text(finish.callSite, field: "call site", limit: TextLimit.message)))
    count(isNew: isNew)
  }

  private enum Table { case session, unmatched }

  private static func isOwn(_ identity: LoadIdentity) -> Bool {
    if case .id = identity { true } else { false }
  }

  /// Times in a file may be relative: what starts alike in two files, but at another time, is not the same. Whatever comes
  /// second then has an id of its own, which the time makes too.
  private func free(_ id: SessionID, at wall: Int64, of table: Table) throws -> SessionID {
    let time = table == .session ? "session WHERE started_at" : "unmatched WHERE at"
    let look = try RawStatement(database, "SELECT 1 FROM \(time) <> ? AND id = ?")
    look.bind(1, wall)
    look.bind(2, id)
    guard try look.first({ _ in true }) != nil else { return id }
    var hash = StableHash()
    hash.add(bytes: id.bytes)
    hash.add(bytes: withUnsafeBytes(of: wall.littleEndian, Array.init))
    return LoadIdentity.id(hash, occurrence: 0)
  }
}

// MARK: - Rows

extension ImportApplier {
  /// Adds a session that the record does not know, and moves dates.
  mutating func add(_ session: StateRules.NewSession) throws -> StoredSession? {
    guard let stored = try rules.insert(session) else { return nil }
    if !scope.datedFeeds.contains(stored.feedRow) {
      dates.noteStart(of: stored.feedRow, at: stored.started.wall)
    }
    if let ending = session.ending { noteDates(of: stored, ending) }
    return stored
  }

  /// Gives a session of the record a verdict.
  mutating func conclude(_ session: StoredSession, _ ending: StateRules.Ending) throws {
    noteDates(of: session, try rules.conclude(session, ending))
  }

  /// The session of the record that has an id; nil if there is none.
  ///
  /// - Throws: `invalidInput` if another load has the id.
  mutating func known(_ id: SessionID, feed: Feed, started: Int64) throws -> StoredSession? {
    guard let session = try StoredSession.fetch(id, in: database) else { return nil }
    guard session.started.wall == started, try scope.rows.feed(session.feedRow, in: database) == feed else {
      throw LoadLogError(.invalidInput, what: "id", value: "\(id)", why: "another load has it")
    }
    return session
  }

  /// Of a load that the record does not know, and that started on a day whose loads were pruned, nobody can tell whether
  /// it was one of them. It is skipped, so that nothing is ever counted twice.
  mutating func mayBePruned(_ feed: Feed, _ started: Int64) throws -> Bool {
    guard scope.hasSealedDays, let row = try scope.rows.knownFeedRow(feed, in: database),
      try isSealed(row, started)
    else { return false }
    scope.result.skip("loads that may have been pruned: they are of days on which loads were", count: 1)
    return true
  }

  /// A finish of a load that is nowhere, on a day on which loads of some feed were pruned, may be of one of them: a load
  /// that is pruned seals every day on which it was open. It is skipped, so that nothing is told to be an orphan that
  /// was none.
  mutating func mayBePruned(_ orphan: StateRules.Unmatched) throws -> Bool {
    guard scope.hasSealedDays, orphan.session != nil, try isSealed(SummaryKey.store, orphan.at.wall),
      try !rules.hasUnmatched(orphan.id)
    else { return false }
    scope.result.skip(
      "finishes of loads that may have been pruned: they are of days on which loads were", count: 1)
    try scratch.passOver(orphan.id)
    return true
  }

  private func isSealed(_ feed: Int64, _ wall: Int64) throws -> Bool {
    let statement = try RawStatement(database, "SELECT is_sealed FROM summary WHERE feed = ? AND day = ?")
    statement.bind(1, feed)
    statement.bind(2, SummaryKey.day(of: wall))
    return try statement.first { try $0.integer(0) } == 1
  }

  /// Moves the dates of a session's feed, unless the file has the feed's own dates.
  mutating func noteDates(of session: StoredSession, _ ending: StateRules.Ending) {
    guard !scope.datedFeeds.contains(session.feedRow) else { return }
    // If the end is unknown, the load had begun at least.
    let end = session.started.wall.addingClamping((ending.duration ?? 0) / 1000)
      .addingClamping(ending.wallDrift ?? 0)
    dates.note(ending.state, of: session.feedRow, at: end, reason: ending.reason)
  }

  /// The row of a feed, made if it is new.
  mutating func feedRow(_ feed: Feed) throws -> Int64 {
    // What has a row was checked when it got it.
    if let row = scope.rows.feeds[feed] { return row }
    return try scope.rows.feedRow(feed.validated(), in: database)
  }

  /// The row of a text, made if it is new; too long a one is cut.
  mutating func text(_ text: String?) throws -> Int64? {
    try scope.rows.textRow(text, in: database)
  }

  /// The row of a text that must not be too long.
  mutating func text(_ text: String?, field: String, limit: Int) throws -> Int64? {
    guard let text else { return nil }
    return try scope.rows.textRow(
      TextLimit.checked(text, field: field, limit: limit), limit: limit, in: database)
  }

  /// 1 January 1970 to 1 January 2200, wall time in microseconds.
  private static let times: Range<Int64> = 0..<7_258_118_400_000_000

  /// A wall time that a load can have.
  static func checked(_ wall: Int64) throws(LoadLogError) -> Int64 {
    guard times.contains(wall) else {
      throw LoadLogError(.invalidInput, what: "time", why: "it is not between 1970 and 2200")
    }
    return wall
  }
}
