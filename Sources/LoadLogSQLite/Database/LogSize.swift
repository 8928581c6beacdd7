import GRDB
import GRDBSQLite
import Synchronization

/// The number of pages in the write-ahead log, which SQLite reports after each commit of a connection.
///
/// The size of the file cannot be used: it does not shrink when the log starts again at its beginning.
final class LogSize: Sendable {
  private let count = Atomic<Int>(0)

  var pages: Int { count.load(ordering: .relaxed) }

  /// Observes a connection, which must not outlive this object. Setting `wal_autocheckpoint` on it ends the
  /// observation.
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
