import GRDB
import GRDBSQLite
import Synchronization

/// The end of one question's time. Once it has passed, whatever the question still asks of SQLite is interrupted;
/// `sqlite3_interrupt` would be forgotten where it comes between two statements
/// (https://sqlite.org/c3ref/interrupt.html).
final class QuestionDeadline: Sendable {
  private let hasPassed = Atomic(false)

  /// From any thread, also when the question has been answered.
  func pass() { hasPassed.store(true, ordering: .relaxed) }

  /// Works with the database until the time has passed.
  ///
  /// - Throws: what `work` throws, in which SQLite's calls fail with `SQLITE_INTERRUPT` from then on.
  func watched<Value>(_ database: Database, _ work: () throws -> Value) rethrows -> Value {
    let connection = database.sqliteConnection
    // Looked at each thousand steps of SQLite's machine, which take some ten microseconds.
    sqlite3_progress_handler(
      connection, 1000,
      { context in
        let deadline = context.map { Unmanaged<QuestionDeadline>.fromOpaque($0).takeUnretainedValue() }
        return deadline?.hasPassed.load(ordering: .relaxed) == true ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_progress_handler(connection, 0, nil, nil) }
    return try work()
  }
}
