import GRDB
import LoadLogCore

/// What the writer remembers between commits, so that hot rows are not looked up again. Thrown away after
/// every failure.
struct WriteScope {
  /// The owner's row, and the last of its events that was committed.
  var registered: (id: Int64, lastEvent: Int64)?
  var feeds: [Feed: Int64] = [:]
  private var texts: [String: Int64] = [:]
  /// Those of this program's own lines, which need not be put together each time.
  private var callSites: [CallSite: Int64] = [:]
  private var textBytes = 0
  var owners: [Int64: ProcessIdentity] = [:]
  /// The session that this owner's last pop or reset ended, by feed.
  var lastPopped: [Int64: Int64] = [:]
  var settlement: Settlement
  var carriers = CommitCarriers()
  /// The names of ``feeds``.
  private var names: [Int64: Feed] = [:]
  /// Hold while nobody else writes.
  var summaries = SummaryCache()
  private var running: [SessionID: OpenSession] = [:]
  private var marks: SettlementMarks?
  private var mayHaveOrphans: Bool?
  /// SQLite's number for what others have written.
  private var dataVersion: Int64?

  /// Memory stays bounded however many different feeds and texts there are.
  private static let mostFeeds = 16_384, mostTexts = 4096, mostBytes = 1 << 22
  private static let mostRunning = 8192, mostCallSites = 1024

  init(settlement: Settlement) { self.settlement = settlement }

  /// Forgets what does not hold any more if somebody else has written since the last transaction; call it at the
  /// beginning of each.
  mutating func refresh(_ database: Database) throws {
    let version = try RawStatement(database, "PRAGMA data_version").first { try $0.number(0) }
    carriers.refresh(isAlone: version == dataVersion)
    if version != dataVersion { forgetRows() }
    dataVersion = version
  }

  /// Counts and takes in what waits, if that is enough; call it at the end of a transaction in which a session started.
  ///
  /// - Parameter last: the last session that there is.
  mutating func settleIfDue(_ database: Database, last: Int64, now: Int64) throws {
    if let new = try settlement.settleIfDue(database, last: last, now: now, &summaries) { marks = new }
  }

  /// How far sessions are counted and in the kept sweeps.
  mutating func marks(in database: Database) throws -> SettlementMarks {
    if let marks { return marks }
    let marks = try SettlementMarks(database)
    self.marks = marks
    return marks
  }

  /// Counts all sessions that there are.
  mutating func count(_ database: Database) throws {
    marks = try Settlement.count(database, &summaries)
  }

  /// For whoever changes them otherwise.
  mutating func forgetRows() {
    summaries = SummaryCache()
    running = [:]
    marks = nil
    mayHaveOrphans = nil
  }

  /// Remembers a session that has just started, for its finish.
  mutating func remember(_ session: OpenSession, _ id: SessionID) {
    if running.count >= Self.mostRunning { running = [:] }
    running[id] = session
  }

  /// The session with an id, to be given a verdict.
  mutating func session(_ id: SessionID, in database: Database) throws -> OpenSession? {
    try running.removeValue(forKey: id) ?? OpenSession.fetch(id, in: database)
  }

  /// Whether a start may have a finish that came before it.
  mutating func mayHaveOrphans(in database: Database) throws -> Bool {
    if let mayHaveOrphans { return mayHaveOrphans }
    let isThere = try Self.hasOrphans(database)
    mayHaveOrphans = isThere
    return isThere
  }

  /// Remembers that a start may have one from now on.
  mutating func noteOrphan() { mayHaveOrphans = true }

  /// Whether any unmatched finish names a session.
  static func hasOrphans(_ database: Database) throws -> Bool {
    try RawStatement(database, "SELECT 1 FROM unmatched WHERE session IS NOT NULL LIMIT 1")
      .first { _ in true } ?? false
  }

  /// The feed of a row.
  mutating func feed(_ row: Int64, in database: Database) throws -> Feed {
    if let feed = names[row] { return feed }
    let feed = try Feed.named(row, in: database)
    if names.count >= Self.mostFeeds { names = [:] }
    names[row] = feed
    return feed
  }

  /// The row of a text, made if it is new.
  mutating func textRow(_ value: String?, in database: Database) throws -> Int64? {
    guard let value else { return nil }
    if let row = texts[value] { return row }
    let size = value.utf8.count
    if texts.count >= Self.mostTexts || textBytes + size > Self.mostBytes { (texts, textBytes) = ([:], 0) }
    let row = try Self.row(
      of: value, in: database, select: "SELECT id FROM text WHERE value = ?",
      insert: "INSERT INTO text (value) VALUES (?)")
    texts[value] = row
    textBytes += size
    return row
  }

  /// The row of a call site's text, made if it is new.
  mutating func row(of callSite: CallSite?, in database: Database) throws -> Int64? {
    guard let callSite else { return nil }
    if callSite.isOwnLine, let row = callSites[callSite] { return row }
    let row = try textRow(TextLimit.cut(callSite.text), in: database)
    if callSite.isOwnLine {
      if callSites.count >= Self.mostCallSites { callSites = [:] }
      callSites[callSite] = row
    }
    return row
  }

  /// The row of a feed, made if it is new.
  mutating func feedRow(_ feed: Feed, in database: Database) throws -> Int64 {
    if let row = feeds[feed] { return row }
    let row = try Self.row(
      of: feed.name, in: database, select: "SELECT id FROM feed WHERE name = ?",
      insert: "INSERT INTO feed (name) VALUES (?)")
    if feeds.count >= Self.mostFeeds { (feeds, names) = ([:], [:]) }
    feeds[feed] = row
    names[row] = feed
    return row
  }

  /// The row of a feed that the store knows.
  mutating func knownFeedRow(_ feed: Feed, in database: Database) throws -> Int64? {
    if let row = feeds[feed] { return row }
    return try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT id FROM feed WHERE name = ?"), arguments: [feed.name])
  }

  private static func row(
    of value: String, in database: Database, select: String, insert: String
  ) throws -> Int64 {
    let select = try RawStatement(database, select)
    select.bind(1, value)
    if let found = try select.first({ try $0.integer(0) }) ?? nil { return found }
    let insert = try RawStatement(database, insert)
    insert.bind(1, value)
    try insert.run()
    return database.lastInsertedRowID
  }
}
