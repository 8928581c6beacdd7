import Foundation
import GRDB
import LoadLogCore

/// The state of an import that grows with its file: the number of equal starts, the open pushes, and the
/// skipped or rejected starts. SQLite keeps it in a temporary file that is deleted when the import ends.
final class ImportScratch {
  private let queue: DatabaseQueue

  init() throws(LoadLogError) {
    try DaemonThread.require()
    queue = try mapped(path: Self.path) {
      var configuration = Configuration()
      configuration.label = "LoadLog import"
      configuration.allowsUnsafeTransactions = true
      // An empty path makes SQLite create a temporary file.
      let queue = try DatabaseQueue(path: "", configuration: configuration)
      try queue.writeWithoutTransaction { database in
        try database.execute(
          sql: """
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            CREATE TABLE occurrence (fields BLOB PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE TABLE push (
              number INTEGER PRIMARY KEY, feed INTEGER NOT NULL, owner INTEGER NOT NULL, file TEXT,
              session BLOB NOT NULL) STRICT;
            CREATE TABLE passed_over (session BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
            CREATE INDEX push_by_count ON push (feed, owner);
            CREATE TABLE credit (
              feed INTEGER NOT NULL, owner INTEGER NOT NULL, pops INTEGER NOT NULL, PRIMARY KEY (feed, owner)
            ) STRICT, WITHOUT ROWID;
            """)
      }
      return queue
    }
  }

  /// Counts an occurrence of the fields, and returns the number of earlier ones.
  func count(_ fields: StableHash) throws(LoadLogError) -> UInt32 {
    try mapped(path: Self.path) {
      try access { database in
        let key = withUnsafeBytes(of: fields.value.bigEndian) { Data($0) }
        let count = try UInt32.fetchOne(
          database.cachedStatement(
            sql: """
              INSERT INTO occurrence (fields, count) VALUES (?, 1)
              ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count
              """),
          arguments: [key])
        return (count ?? 1) - 1
      }
    }
  }

  /// Remembers a start that was skipped or rejected, so that what follows of its load is skipped, too.
  func passOver(_ session: SessionID) throws(LoadLogError) {
    try mapped(path: Self.path) {
      try access { database in
        try database.cachedStatement(sql: "INSERT OR IGNORE INTO passed_over (session) VALUES (?)")
          .execute(arguments: [session.data])
      }
    }
  }

  /// Whether a start was skipped or rejected.
  func isPassedOver(_ session: SessionID) throws -> Bool {
    try access { database in
      let statement = try database.cachedStatement(sql: "SELECT 1 FROM passed_over WHERE session = ?")
      return try Int64.fetchOne(statement, arguments: [session.data]) != nil
    }
  }

  /// Adds an open push.
  func push(_ session: SessionID, feed: Int64, owner: Int64, file: String?) throws {
    try access { database in
      try database.cachedStatement(sql: "INSERT INTO push (feed, owner, file, session) VALUES (?, ?, ?, ?)")
        .execute(arguments: [feed, owner, file, session.data])
    }
  }

  /// Removes the push that a pop closes, and returns its session; nil if none is open.
  func pop(feed: Int64, owner: Int64, file: String?) throws -> SessionID? {
    try access { database in
      let pushes = try Row.fetchCursor(
        database.cachedStatement(
          sql: "SELECT number, session, file FROM push WHERE feed = ? AND owner = ? ORDER BY number DESC"),
        arguments: [feed, owner])
      let push = try StateRules.pushToPop(from: file) {
        try pushes.next().map { row in (row.copy(), try row.at(2)) }
      }
      return try push.map { try take($0, from: database) }
    }
  }

  /// Removes one push that a reset ends, and forgives one pop for it.
  ///
  /// - Parameter feed: the feed whose count is reset; nil for all feeds.
  /// - Returns: the push's session and feed; nil if no push is open.
  func reset(_ feed: Int64?, owner: Int64) throws -> (session: SessionID, feed: Int64)? {
    try access { database in
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: "SELECT number, session, feed FROM push WHERE owner = ?1 AND (feed = ?2 OR ?2 IS NULL) LIMIT 1"
        ),
        arguments: [owner, feed])
      guard let row else { return nil }
      let feed: Int64 = try row.at(2)
      try add(1, feed: feed, owner: owner, to: database)
      return (try take(row, from: database), feed)
    }
  }

  /// Forgives further pops of the file.
  func addCredits(_ pops: Int64, feed: Int64, owner: Int64) throws {
    try access { try add(pops, feed: feed, owner: owner, to: $0) }
  }

  /// The number of pops that the file forgives and has not used; nil if the file has no push that was reset.
  func credits(feed: Int64, owner: Int64) throws -> Int64? {
    try access { database in
      try Int64.fetchOne(
        database.cachedStatement(sql: "SELECT pops FROM credit WHERE feed = ? AND owner = ?"),
        arguments: [feed, owner])
    }
  }

  /// Uses one forgiven pop.
  ///
  /// - Returns: false if there is none left.
  func takeCredit(feed: Int64, owner: Int64) throws -> Bool {
    try access { database in
      try database.cachedStatement(
        sql: "UPDATE credit SET pops = pops - 1 WHERE feed = ? AND owner = ? AND pops > 0"
      ).execute(arguments: [feed, owner])
      return database.changesCount > 0
    }
  }

  private static let path = "temporary file"

  private func access<Value>(_ work: (Database) throws -> Value) throws -> Value {
    try queue.writeWithoutTransaction(work)
  }

  private func add(_ pops: Int64, feed: Int64, owner: Int64, to database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO credit (feed, owner, pops) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET pops = pops + excluded.pops
        """
    ).execute(arguments: [feed, owner, pops])
  }

  private func take(_ push: Row, from database: Database) throws -> SessionID {
    try database.cachedStatement(sql: "DELETE FROM push WHERE number = ?")
      .execute(arguments: [try push.at(0) as Int64])
    return try SessionID(data: try push.at(1))
  }
}
