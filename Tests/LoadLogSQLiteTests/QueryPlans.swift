import GRDB
import Synchronization

@testable import LoadLogSQLite

extension SQLiteLoadReader {
  /// Returns the query plans of all statements that a closure executes.
  func plans(_ question: () throws -> Void) throws -> [String] {
    let statements = Statements()
    try read { query in
      query.database.trace(options: .statement) { event in
        if case .statement(let statement) = event { statements.add(statement.sql) }
      }
    }
    try question()
    return try read { query in
      query.database.trace(options: [])
      return try statements.all.flatMap { sql in
        let bound = sql.replacing(/\?\d*/, with: "1")
        return try Row.fetchAll(query.database, sql: "EXPLAIN QUERY PLAN " + bound).map {
          $0["detail"] as String
        }
      }
    }
  }

  private final class Statements: Sendable {
    private let seen = Mutex<Set<String>>([])
    var all: Set<String> { seen.withLock { $0 } }
    func add(_ sql: String) { seen.withLock { _ = $0.insert(sql) } }
  }
}
