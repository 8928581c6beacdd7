import GRDB
import LoadLogCore

/// The row numbers of feeds, texts and owners that a writer has used, so that it need not fetch them for each
/// event.
///
/// Such rows are never deleted or changed by other writers, so the cache stays valid between transactions. After a
/// failed transaction it must be discarded, because its rows may have been rolled back.
struct RowCache {
  private(set) var feeds: [Feed: Int64] = [:]
  private var names: [Int64: Feed] = [:]
  private var texts: [TextBytes: Int64] = [:]
  private var textBytes = 0
  private var processes: [Int64: ProcessIdentity] = [:]
  /// The push that this owner's last pop or reset ended, by feed; forgotten with the feeds. It may be pruned meanwhile.
  var endedPushes: [Int64: Int64] = [:]

  /// Limits that bound memory however many different feeds, texts and owners there are.
  private static let mostFeeds = 16_384, mostTexts = 4096, mostTextBytes = 1 << 22, mostOwners = 1024

  /// Returns the rows, and forgets them: while two caches had them, the first change of either one would copy them all.
  mutating func take() -> RowCache {
    defer { self = RowCache() }
    return self
  }

  /// The row of a feed, inserted if it is new.
  mutating func feedRow(_ feed: Feed, in database: Database) throws -> Int64 {
    if let row = feeds[feed] { return row }
    let row = try Self.row(
      of: feed.name, in: database, select: "SELECT id FROM feed WHERE name = ?",
      insert: "INSERT INTO feed (name) VALUES (?)")
    remember(row, feed)
    return row
  }

  /// Inserts the row of a feed that is expected by its name, if it is new.
  mutating func addExpectedFeed(_ feed: Feed, in database: Database) throws {
    guard try knownFeedRow(feed, in: database) == nil else { return }
    let row = try feedRow(feed, in: database)
    try database.execute(sql: "UPDATE feed SET is_expected = 1 WHERE id = ?", arguments: [row])
  }

  /// The row of a feed; nil if the store does not know it.
  func knownFeedRow(_ feed: Feed, in database: Database) throws -> Int64? {
    if let row = feeds[feed] { return row }
    return try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT id FROM feed WHERE name = ?"), arguments: [feed.name])
  }

  /// The feed of a row.
  mutating func feed(_ row: Int64, in database: Database) throws -> Feed {
    if let feed = names[row] { return feed }
    let feed = try Feed.named(row, in: database)
    remember(row, feed)
    return feed
  }

  private mutating func remember(_ row: Int64, _ feed: Feed) {
    if feeds.count >= Self.mostFeeds { (feeds, names, endedPushes) = ([:], [:], [:]) }
    feeds[feed] = row
    names[row] = feed
  }

  /// The row of a text, inserted if it is new; a text that is too long is cut.
  mutating func textRow(_ text: String?, limit: Int = TextLimit.message, in database: Database) throws
    -> Int64?
  {
    guard let text = TextLimit.cut(text, to: limit) else { return nil }
    if let row = texts[TextBytes(text)] { return row }
    let size = text.utf8.count
    if texts.count >= Self.mostTexts || textBytes + size > Self.mostTextBytes {
      (texts, textBytes) = ([:], 0)
    }
    let row = try Self.row(
      of: text, in: database, select: "SELECT id FROM text WHERE value = ?",
      insert: "INSERT INTO text (value) VALUES (?)")
    texts[TextBytes(text)] = row
    textBytes += size
    return row
  }

  /// The text of a row; nil if there is none.
  static func text(_ row: Int64, in database: Database) throws -> String? {
    try RawStatement(database, "SELECT value FROM text WHERE id = ?", row).first { try $0.text(0) }
      ?? nil
  }

  /// Whether the boot-clock readings of two owners can be subtracted.
  mutating func shareBootClock(_ starter: Int64, _ finisher: Int64, in database: Database) throws -> Bool {
    guard let one = try process(ofOwner: starter, in: database),
      let other = try process(ofOwner: finisher, in: database)
    else { return false }
    return one.sharesBootClock(with: other)
  }

  private mutating func process(ofOwner row: Int64, in database: Database) throws -> ProcessIdentity? {
    if let known = processes[row] { return known }
    guard let process = try OwnerRow.fetch(row, in: database)?.record.owner.process else { return nil }
    if processes.count >= Self.mostOwners { processes = [:] }
    processes[row] = process
    return process
  }

  private static func row(
    of value: String, in database: Database, select: String, insert: String
  ) throws -> Int64 {
    let select = try RawStatement(database, select, value)
    if let found = try select.first({ try $0.integer(0) }) ?? nil { return found }
    let insert = try RawStatement(database, insert, value)
    try insert.run()
    return insert.lastInsertedRow
  }
}

/// A text as SQLite compares it, byte by byte. Swift takes texts for equal that differ in their Unicode normalization.
struct TextBytes: Hashable {
  private let text: String

  init(_ text: String) { self.text = text }

  static func == (one: TextBytes, other: TextBytes) -> Bool {
    one.withBytes { one in other.withBytes { one.elementsEqual($0) } }
  }

  func hash(into hasher: inout Hasher) {
    withBytes { hasher.combine(bytes: $0) }
  }

  private func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    var text = text
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
