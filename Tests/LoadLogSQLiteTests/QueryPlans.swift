import GRDB
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
