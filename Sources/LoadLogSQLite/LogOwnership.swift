import GRDB
import LoadLogCore

/// Whether a write-ahead log is that of the file it lies beside. SQLite has nothing that ties them, and takes the pages
/// of any sound log for newer ones: a store that was replaced while its old log stayed would answer with a mixture.
enum LogOwnership {
  /// An owner's row: its number and its id, which is random.
  private struct Owner: Equatable {
    let row: Int64
    let uid: [UInt8]?

    init(_ statement: RawStatement) throws {
      row = try statement.number(0)
      uid = try statement.bytes(1)
    }
  }

  /// What a torn look at the file may say is not said twice.
  private static let looks = 3

  /// Refuses another store's log.
  ///
  /// Owners are never taken away, and each log holds a page of them, for ``CommitCarriers`` writes one first, as
  /// ``mark(_:)`` does: so the newest owner that the file knows is known with the log too. That holds for a file that is
  /// sound alone: what was moved into it when the power was cut may be there by half, and the log has it whole.
  ///
  /// - Parameter database: the store with its log.
  /// - Throws: `damaged`.
  static func check(_ database: Database, at location: StoreLocation) throws {
    guard location.walSize > 0, (try? isKnown(newestOwnerIn: FilePages(database), database)) != true else {
      return
    }
    for _ in 0..<looks {
      // The file first: what is moved into it meanwhile was in the log before. What cannot be read of it is no log's fault.
      guard let file = try? FrozenFile(location) else { return }
      defer { file.close() }
      guard let owner = newestOwner(in: file) else { return }
      let statement = try RawStatement(database, "SELECT id, uid FROM owner WHERE id = ?")
      statement.bind(1, owner.row)
      if try statement.first({ try Owner($0) }) == owner { return }
      guard isSound(file) else { return }
    }
    throw LoadLogError(
      .damaged, what: "store", why: "the write-ahead log beside it is another store's",
      advice: "Keep both; moved away, the log no longer hides what the store itself holds.")
  }

  /// Whether the file's newest owner, if it has any, is known with the log, as seen at a glance; what is not seen so may
  /// be known all the same.
  private static func isKnown(newestOwnerIn pages: FilePages?, _ database: Database) throws -> Bool {
    let root = try RawStatement(database, "SELECT rootpage FROM sqlite_schema WHERE name = 'owner'")
    guard let pages, let root = try root.first({ try $0.number(0) }) else { return false }
    switch pages.lastRow(ofTableAt: root) {
    case .empty: return true
    case .unknown: return false
    case .row(let owner):
      let statement = try RawStatement(database, "SELECT uid FROM owner WHERE id = ?")
      statement.bind(1, owner.row)
      guard let uid = try statement.first({ try $0.bytes(0) }) ?? nil else { return false }
      return uid.count == 16 && owner.holds(uid)
    }
  }

  /// Lets the log hold the page of the newest owner, by which it is known whose it is, as far as that can be written. The
  /// caller is in a transaction that writes something else, which may be the first in its log.
  static func mark(_ database: Database) throws {
    // A page that was another meanwhile is written, though it is what it was; it must not stay the other.
    let sql = "UPDATE owner SET dropped = ~dropped WHERE id = (SELECT max(id) FROM owner)"
    guard let flip = try? RawStatement(database, sql), (try? flip.run()) != nil else { return }
    try flip.run()
  }

  private static func newestOwner(in file: FrozenFile) -> Owner? {
    try? file.first("SELECT id, uid FROM owner ORDER BY id DESC LIMIT 1") { try Owner($0) }
  }

  private static func isSound(_ file: FrozenFile) -> Bool {
    (try? file.first("PRAGMA integrity_check(1)") { try $0.text(0) }) == "ok"
  }
}
