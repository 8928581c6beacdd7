import GRDB
import LoadLogCore

/// Whether a write-ahead log belongs to the database file beside it. SQLite does not tie them together, and takes the
/// pages of any sound log for newer ones: if the file was replaced while its old log stayed, a store would answer with a
/// mixture of both.
///
/// Owners are never deleted and keep their uid, and every commit of rows writes a page of them: its owner's row, or
/// ``mark(_:)``. So a store and its log agree about owners.
enum LogOwnership {
  /// A read that races with a writer can look corrupt; retry this many times before reporting damage.
  private static let attempts = 3

  /// Refuses another store's log: one whose first commit has other owners than the file, or that hides the newest owner
  /// of the file.
  ///
  /// This holds for a sound file: after a power cut a checkpoint may be half done, and the log has the pages.
  ///
  /// - Parameter database: the store, read with its log.
  /// - Throws: `damaged`.
  static func check(_ database: Database, at location: StoreLocation) throws {
    guard location.walSize > 0 else { return }
    for _ in 0..<attempts {
      // Read the file first: what a checkpoint moves into it meanwhile was in the log before. A file that cannot be read
      // says nothing about the log.
      guard let file = try? FrozenFile(location) else { return }
      defer { file.close() }
      guard let newest = try? owners("ORDER BY id DESC LIMIT 1", in: file).first else { return }
      if try agrees(location, with: file, upTo: newest.row) && isKnown(newest, in: database) { return }
      guard isSound(file) else { return }
    }
    throw LoadLogError(
      .damaged, what: "store", why: "the write-ahead log beside it belongs to another store",
      advice: "Keep both files. Move the -wal file away to see what the database file itself contains.")
  }

  /// Writes the page of the newest owner, so that the log holds it. The caller is in a transaction that writes something
  /// else and may be the first in its log.
  static func mark(_ database: Database) throws {
    // An update that changes nothing writes no page, so change the row twice. If it cannot be written, the rest of the
    // transaction decides whether the commit fails.
    let sql = "UPDATE owner SET dropped = ~dropped WHERE id = (SELECT max(id) FROM owner)"
    guard let flip = try? RawStatement(database, sql), (try? flip.run()) != nil else { return }
    try flip.run()
  }

  /// Whether the store has an owner, read with its log.
  private static func isKnown(_ owner: StoredOwner, in database: Database) throws -> Bool {
    try RawStatement(database, "SELECT id, uid FROM owner WHERE id = ?", owner.row).first {
      try StoredOwner($0)
    } == owner
  }

  /// Whether the owners of the log's first commit are those of the file, or follow its newest one.
  ///
  /// The store itself does not show that: where the file has something else, nothing leads to the pages of another log's
  /// owners.
  private static func agrees(
    _ location: StoreLocation, with file: FrozenFile, upTo newest: Int64
  ) -> Bool {
    // SQLite never locks this file, so it may be opened and closed.
    guard let log = try? RawFile(location.walPath), let size = log.bytes(at: 8, 4)?.number(at: 0, bytes: 4),
      let first = LogFrames(log, pageSize: Int(clamping: size), onlyFirst: true)
    else { return true }
    var logged: Set<StoredOwner> = []
    for (number, offset) in first.offsets {
      let page = log.bytes(at: offset, first.pageSize).flatMap {
        TreePage($0, number: number, usable: first.pageSize)
      }
      logged.formUnion(page.map(StoredOwner.all) ?? [])
    }
    // Owners are numbered one after another.
    guard let least = logged.map(\.row).min(), least <= newest + 1 else { return logged.isEmpty }
    logged = logged.filter { $0.row <= newest }
    let rows = logged.map { "\($0.row)" }.joined(separator: ", ")
    let known = try? owners("WHERE id IN (\(rows))", in: file)
    return known.map { logged.isSubset(of: $0) } ?? false
  }

  private static func owners(_ condition: String, in file: FrozenFile) throws -> [StoredOwner] {
    try file.rows("SELECT id, uid FROM owner \(condition)") { try StoredOwner($0) }
  }

  private static func isSound(_ file: FrozenFile) -> Bool {
    (try? file.rows("PRAGMA integrity_check(1)") { try $0.text(0) }) == ["ok"]
  }
}

/// What identifies an owner: its row, and its uid, which is random.
struct StoredOwner: Hashable {
  let row: Int64
  let uid: SessionID?
}

extension StoredOwner {
  fileprivate init(_ statement: RawStatement) throws {
    row = try statement.number(0)
    uid = try statement.id(1)
  }

  /// The owners in a page of a b-tree; none if it is not one of the table of owners, whose rows begin with the uid and the
  /// name of a kind.
  static func all(in page: TreePage) -> [StoredOwner] {
    guard page.kind == .leafTable else { return [] }
    return (0..<page.cellCount).compactMap { index in
      guard let cell = page.cell(index), let row = cell.row, cell.overflow == nil,
        let values = StoredRecord.values(Array(page.bytes[cell.local])), values.count > 2, values[0] == .null,
        case .blob(let bytes) = values[1], let uid = SessionID(bytes: bytes),
        case .text(let kind) = values[2],
        Owner.Kind(rawValue: String(decoding: kind, as: UTF8.self)) != nil
      else { return nil }
      return StoredOwner(row: row, uid: uid)
    }
  }
}
