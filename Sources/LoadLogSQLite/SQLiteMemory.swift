import CLoadLogShims
import GRDBSQLite

/// How SQLite deals with memory, in the whole process.
package enum SQLiteMemory {
  /// Lets SQLite not count what it allocates, for which it takes a lock each time: a sixteenth of the time of an import.
  ///
  /// For programs that nobody else's SQLite runs in, at their beginning: it comes too late after the first use.
  package static func forgoStatistics() { _ = loadlog_sqlite_configure_process(SQLITE_CONFIG_MEMSTATUS, 0) }
}
