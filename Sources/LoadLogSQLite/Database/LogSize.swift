import GRDB
import GRDBSQLite
import Synchronization

/// How many pages the write-ahead log holds, as SQLite tells after each commit of a connection. The file's
/// size does not tell: it stays when the log starts again at its beginning.
final class LogSize: Sendable {
  private let count = Atomic<Int>(0)

  var pages: Int { count.load(ordering: .relaxed) }

  /// Follows a connection, which must not outlive this object. Setting `wal_autocheckpoint` ends it.
  func watch(_ database: Database) {
    sqlite3_wal_hook(
      database.sqliteConnection,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<LogSize>.fromOpaque(context).takeUnretainedValue().count.store(
          Int(pages), ordering: .relaxed)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
