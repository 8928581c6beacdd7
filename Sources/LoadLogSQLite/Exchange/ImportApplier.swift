import Foundation
import GRDB
import LoadLogCore

/// Applies the items of an import to the record, inside one transaction, by the same state rules as
/// recording.
struct ImportApplier {
  /// An item, and the id of the row that it creates; nil if it creates none.
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
    // An import adds its changes to the counters itself, so the journal must be empty.
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

  /// Writes the collected dates and counts. Call it at the end of the transaction.
  ///
  /// - Returns: the state that the next transaction starts with.
  mutating func end() throws -> ImportScope {
    try dates.write(to: database)
    try countChanges()
    return scope
  }

  /// Adds the changes so far to the counters.
  mutating func countChanges() throws {
    let changes = rules.takeChanges()
    var counted = CounterChanges()
    for change in changes { counted.add(change) }
    try counted.write(to: database)
    try ChangeJournal.appendCounted(changes, in: database)
  }

  /// Runs work for one item. If the item is invalid, rejects it and lets the import go on.
  ///
  /// - Parameter start: the load that the item starts.
  mutating func reporting(
    _ position: FilePosition, startOf start: SessionID? = nil,
    _ work: (inout ImportApplier) throws -> Void
  ) throws {
    do {
      try work(&self)
    } catch let error as LoadLogError where error.code == .invalidInput {
      if let start { try scratch.passOver(start) }
      let value = error.value.map { " \(VisibleText.quoted($0))" } ?? ""
      scope.result.reject(ImportFault(at: position, "\(error.what)\(value): \(error.why)"))
    }
  }

  /// Counts an item as imported if it is new, and as skipped if the record has it already.
  mutating func count(_ items: WritableKeyPath<ImportResult, Int>, isNew: Bool) {
    scope.result[keyPath: isNew ? items : \.skipped] += 1
  }
}

extension ImportedItem {
  /// The item's identity, if it is of a kind that belongs to an owner and names none.
  fileprivate var identityWithoutOwner: LoadIdentity? {
    switch self {
    case .load(let load): return load.identity
    case .orphan(let finish): return finish.identity
    case .rejected, .skipped, .ignored, .fault: return nil
    case .line(let line):
      switch line.line {
      case .start(let start): return start.owner == nil ? line.identity : nil
      case .push(let count), .pop(let count): return count.owner == nil ? line.identity : nil
      case .unmatched(let unmatched): return unmatched.owner == nil ? line.identity : nil
      case .finish(let finish): return .id(finish.id)
      case .reset, .owner, .feed, .acknowledged, .expectation, .flip, .output, .sealedDay: return nil
      }
    }
  }
}

// MARK: - Loads of other tools

extension ImportApplier {
  private mutating func add(_ load: ForeignLoad, _ id: SessionID) throws {
    let started = try Self.checked(load.started)
    let ending = StateRules.Ending(
      state: load.state, duration: load.state.isFinished ? load.duration : load.duration ?? 0,
      wallDrift: load.state.isFinished && load.duration != nil ? 0 : nil,
      durationSource: load.durationSource, reason: try text(load.reason))
    if let known = try known(id, feed: nil, started: started) {
      guard try isOf(load.feed, known) else {
        return scope.result.skip("loads that the store has in another feed, by another --feed-by", count: 1)
      }
      // An earlier import of the file saw the load's start but not its end; now the end is there.
      let isNews =
        known.state == .running
        ? load.state != .running : !known.state.isFinished && load.state.isFinished
      if isNews { try conclude(known, ending) }
      return count(\.loads, isNew: isNews)
    }
    guard try !mayBePruned(load.feed, started) else { return }
    let tag = try text(load.tag, field: "tag", limit: TextLimit.tag)
    let callSite = try text(load.callSite, field: "call site", limit: TextLimit.message)
    let session = StateRules.NewSession(
      id: id, feed: try feedRow(load.feed), owner: try importOwner(),
      started: LoadInstant(wall: started, boot: 0), message: try text(load.message), tag: tag,
      callSite: callSite, ending: load.state == .running ? nil : ending)
    _ = try add(session)
    count(\.loads, isNew: true)
  }

  private mutating func add(_ finish: ForeignFinish, _ id: SessionID) throws {
    let at = try Self.checked(finish.at)
    let callSite = try text(finish.callSite, field: "call site", limit: TextLimit.message)
    let isNew = try rules.insert(
      StateRules.Unmatched(
        id: id, kind: finish.kind, feed: try finish.feed.map { try feedRow($0) }, session: nil,
        owner: try importOwner(), at: LoadInstant(wall: at, boot: 0), state: .ended, callSite: callSite))
    count(\.unmatched, isNew: isNew)
  }
}

// MARK: - Rows

extension ImportApplier {
  /// Adds a session, and moves the dates of its feed.
  ///
  /// - Parameter isDated: whether the file's line of the feed has these dates.
  /// - Returns: nil if the record has a session with that id.
  mutating func add(
    _ session: StateRules.NewSession, isDated: Bool = false, isRetried: Bool = false
  ) throws -> StoredSession? {
    guard let stored = try rules.insert(session) else { return nil }
    guard !isDated else { return stored }
    dates.noteStart(of: stored.feedRow, at: stored.started.wall)
    if let ending = session.ending { noteDates(of: stored, ending, isRetried: isRetried) }
    return stored
  }

  /// Gives a recorded session a verdict, and moves the dates of its feed.
  mutating func conclude(_ session: StoredSession, _ ending: StateRules.Ending) throws {
    noteDates(of: session, try rules.conclude(session, ending))
  }

  /// Returns the recorded session with an id; nil if there is none.
  ///
  /// - Parameter feed: its feed; nil if it may be in any.
  /// - Throws: `invalidInput` if another load has the id.
  mutating func known(_ id: SessionID, feed: Feed?, started: Int64) throws -> StoredSession? {
    guard let session = try StoredSession.fetch(id, in: database) else { return nil }
    guard session.started.wall == started, try feed.map({ try isOf($0, session) }) ?? true else {
      throw LoadLogError(.invalidInput, what: "id", value: "\(id)", why: "another load has this id")
    }
    return session
  }

  private mutating func isOf(_ feed: Feed, _ session: StoredSession) throws -> Bool {
    try scope.rows.feed(session.feedRow, in: database) == feed
  }

  /// Skips a load that may have been pruned, so that no load is counted twice.
  ///
  /// A load without a row that started on a day with pruned loads may be one of them, and is then part of the
  /// counters.
  ///
  /// - Returns: true if the load was skipped.
  mutating func mayBePruned(_ feed: Feed, _ started: Int64) throws -> Bool {
    guard scope.hasSealedDays, let row = try scope.rows.knownFeedRow(feed, in: database),
      try isSealed(row, started)
    else { return false }
    scope.result.skip("loads that may have been pruned: they started on days with pruned loads", count: 1)
    return true
  }

  /// Skips an orphan whose load may have been pruned, so that it is not reported as an imbalance.
  ///
  /// A pruned load seals every day on which it was open, so an orphan on a sealed day may belong to one.
  ///
  /// - Returns: true if the orphan was skipped.
  mutating func mayBePruned(_ orphan: StateRules.Unmatched) throws -> Bool {
    guard scope.hasSealedDays, orphan.session != nil, try isSealed(SummaryKey.store, orphan.at.wall),
      try !rules.hasUnmatched(orphan.id)
    else { return false }
    scope.result.skip(
      "finishes of loads that may have been pruned: they are from days with pruned loads", count: 1)
    try scratch.passOver(orphan.id)
    return true
  }

  private func isSealed(_ feed: Int64, _ wall: Int64) throws -> Bool {
    try RawStatement(
      database, "SELECT is_sealed FROM summary WHERE feed = ? AND day = ?", feed, SummaryKey.day(of: wall)
    ).first { try $0.integer(0) } == 1
  }

  /// Moves the dates of a session's feed.
  mutating func noteDates(
    of session: StoredSession, _ ending: StateRules.Ending, isRetried: Bool = false
  ) {
    // If the end is unknown, the start is the latest known time.
    let end = session.started.wall.addingClamping((ending.duration ?? 0) / 1000)
      .addingClamping(ending.wallDrift ?? 0)
    dates.note(
      ending.state, of: session.feedRow, at: end, started: session.started.wall, reason: ending.reason,
      isRetried: isRetried)
  }

  /// Returns the row of a feed, and inserts it if it is new. Check all else of an item first: a feed that a rejected item
  /// leaves behind stays in the record.
  mutating func feedRow(_ feed: Feed) throws -> Int64 {
    // A feed that has a row was validated before it was inserted.
    if let row = scope.rows.feeds[feed] { return row }
    return try scope.rows.feedRow(feed.validated(), in: database)
  }

  /// Returns the row of a text, and inserts it if it is new. Truncates a text that is too long.
  mutating func text(_ text: String?) throws -> Int64? {
    try scope.rows.textRow(text, in: database)
  }

  /// Returns the row of a text, and inserts it if it is new.
  ///
  /// - Throws: `invalidInput` if the text is too long.
  mutating func text(_ text: String?, field: String, limit: Int) throws -> Int64? {
    guard let text else { return nil }
    return try scope.rows.textRow(
      TextLimit.checked(text, field: field, limit: limit), limit: limit, in: database)
  }

  /// Rejects counts that no store reaches, so that counting further never overflows.
  static func check(_ counts: Int64...) throws(LoadLogError) {
    guard counts.allSatisfy((0...Summary.most).contains) else {
      throw LoadLogError(.invalidInput, what: "count", why: "it is not between 0 and \(Summary.most)")
    }
  }

  /// Returns a wall time in microseconds, and rejects one that is out of range.
  static func checked(_ wall: Int64) throws(LoadLogError) -> Int64 {
    guard RecordLine.times.contains(wall) else {
      throw LoadLogError(.invalidInput, what: "time", why: "it is not between 1970 and 2200")
    }
    return wall
  }
}
