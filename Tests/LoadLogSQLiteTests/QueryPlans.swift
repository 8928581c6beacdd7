import GRDB
import GRDBSQLite
import Synchronization

@testable import LoadLogSQLite

extension SQLiteLoadReader {
  /// Returns the query plans of all statements that a closure executes.
  func plans(_ question: () throws -> Void) throws -> [String] {
    let statements = Statements()
    try read { statements.watch($0.database) }
    try question()
    return try read { try statements.plans(in: $0.database) }
  }
}

extension SQLiteLoadReader {
  /// Returns the texts of all statements that a closure executes, in their order.
  func statements(_ question: () throws -> Void) throws -> [String] {
    let statements = Statements()
    try read { statements.watch($0.database) }
    try question()
    return try read { statements.texts(in: $0.database) }
  }
}

extension SQLiteLoadReader {
  /// Returns the number of instructions of SQLite's virtual machine that a closure takes.
  func instructions(_ question: () throws -> Void) throws -> Int {
    _ = try read { instructions(in: $0.database) }
    try question()
    return try read { instructions(in: $0.database) }
  }

  /// Counts the instructions of all cached statements since the last call.
  private func instructions(in database: Database) -> Int {
    var sum = 0
    var statement = sqlite3_next_stmt(database.sqliteConnection, nil)
    while let next = statement {
      sum += Int(sqlite3_stmt_status(next, SQLITE_STMTSTATUS_VM_STEP, 1))
      statement = sqlite3_next_stmt(database.sqliteConnection, next)
    }
    return sum
  }
}

extension DatabaseQueue {
  /// Returns the texts of all statements that a closure executes on this connection, in their order.
  func statements(_ work: () throws -> Void) throws -> [String] {
    let statements = Statements()
    unsafeRead { statements.watch($0) }
    try work()
    return unsafeRead { statements.texts(in: $0) }
  }

  /// Returns the query plans of all statements that a closure executes on this connection.
  func plans(_ work: () throws -> Void) throws -> [String] {
    let statements = Statements()
    unsafeRead { statements.watch($0) }
    try work()
    return try unsafeRead { try statements.plans(in: $0) }
  }
}

private final class Statements: Sendable {
  private let seen = Mutex<[String]>([])

  func watch(_ database: Database) {
    database.trace(options: .statement) { event in
      if case .statement(let statement) = event { self.seen.withLock { $0.append(statement.sql) } }
    }
  }

  func texts(in database: Database) -> [String] {
    database.trace(options: [])
    return seen.withLock { $0 }.filter { !$0.hasPrefix("--") }
  }

  func plans(in database: Database) throws -> [String] {
    try Set(texts(in: database)).flatMap { sql in
      let bound = sql.replacing(/\?\d*/, with: "1")
      return try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + bound).map { $0["detail"] as String }
    }
  }
}
