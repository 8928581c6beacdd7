import GRDB
import GRDBSQLite
import LoadLogCore
import Synchronization

/// The deadline of one question: once it has passed, every statement that the question runs is interrupted.
///
/// `sqlite3_interrupt` would not do: it has no effect if it is called between two statements
/// (https://sqlite.org/c3ref/interrupt.html).
package final class QuestionDeadline: Sendable {
  /// When the question ends that this thread answers with several reads, on the boot clock in nanoseconds; nil if each
  /// read is a question of its own.
  @TaskLocal static var end: Int64?

  /// The time until then, negative after it.
  package static var left: Duration? {
    end.map { .nanoseconds($0.subtractingClamping(BootClock().now().boot)) }
  }

  /// When it passes, on the clock of the reader in nanoseconds.
  let end: Int64
  private let hasPassed = Atomic(false)

  init(_ end: Int64) { self.end = end }

  /// Lets the deadline pass. May be called from any thread, also after the question has been answered.
  func pass() { hasPassed.store(true, ordering: .relaxed) }

  /// Runs work on the database under the deadline.
  ///
  /// - Throws: what `work` throws. After the deadline SQLite's calls fail with `SQLITE_INTERRUPT`.
  func watched<Value>(_ database: Database, _ work: () throws -> Value) rethrows -> Value {
    let connection = database.sqliteConnection
    // Check after every thousand instructions of SQLite's virtual machine, which take about ten microseconds.
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
