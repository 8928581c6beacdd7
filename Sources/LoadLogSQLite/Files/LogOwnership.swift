import GRDB
import LoadLogCore

/// Whether a write-ahead log belongs to the database file beside it. SQLite does not tie them together, and takes the
/// pages of any sound log for newer ones: if the file was replaced while its old log stayed, a store would answer with a
/// mixture of both.
enum LogOwnership {
  /// The newest owner that a database knows: its row and its uid, which is random.
  private struct NewestOwner: Equatable {
    let row: Int64
    let uid: [UInt8]?

    init(_ statement: RawStatement) throws {
      row = try statement.number(0)
      uid = try statement.bytes(1)
    }
  }

  /// A read that races with a writer can look corrupt; retry this many times before reporting damage.
  private static let attempts = 3

  /// Refuses another store's log.
  ///
  /// Owners are never deleted, and every commit of rows writes a page of them: its owner's row, or ``mark(_:)``. So the newest
  /// owner in the file is known with the log too, unless the log belongs to another store. This holds for a sound file:
  /// after a power cut a checkpoint may be half done, and the log has the pages.
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
      guard let owner = newestOwner(in: file) else { return }
      let statement = try RawStatement(database, "SELECT id, uid FROM owner WHERE id = ?")
      statement.bind(1, owner.row)
      if try statement.first({ try NewestOwner($0) }) == owner { return }
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

  private static func newestOwner(in file: FrozenFile) -> NewestOwner? {
    try? file.first("SELECT id, uid FROM owner ORDER BY id DESC LIMIT 1") { try NewestOwner($0) }
  }

  private static func isSound(_ file: FrozenFile) -> Bool {
    (try? file.first("PRAGMA integrity_check(1)") { try $0.text(0) }) == "ok"
  }
}
