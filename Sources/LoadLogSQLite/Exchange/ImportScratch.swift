import GRDB
import LoadLogCore

/// The state of an import that grows with its file: the number of equal starts, the open pushes, and the
/// skipped or rejected starts. SQLite keeps it in a temporary file that is deleted when the import ends.
final class ImportScratch {
  private let queue: DatabaseQueue

  init() throws(LoadLogError) {
    queue = try StoreConnection.openTemporary()
    try access { database in
      try RawStatement.run(
        """
        CREATE TABLE occurrence (fields BLOB PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE push (
          number INTEGER PRIMARY KEY, feed INTEGER NOT NULL, owner INTEGER NOT NULL, file TEXT,
          session BLOB NOT NULL) STRICT;
        CREATE TABLE passed_over (session BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE INDEX push_by_count ON push (owner, feed);
        CREATE INDEX push_by_file ON push (owner, feed, file);
        CREATE TABLE credit (
          feed INTEGER NOT NULL, owner INTEGER NOT NULL, pops INTEGER NOT NULL, PRIMARY KEY (feed, owner)
        ) STRICT, WITHOUT ROWID;
        """, in: database)
    }
  }

  /// Counts an occurrence of the fields, and returns the number of earlier ones.
  func count(_ fields: StableHash) throws(LoadLogError) -> UInt32 {
    try access { database in
      let count = try RawStatement(
        database,
        """
        INSERT INTO occurrence (fields, count) VALUES (?, 1)
        ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count
        """, withUnsafeBytes(of: fields.value.bigEndian) { [UInt8]($0) })
      return UInt32(clamping: (try count.first { try $0.number(0) } ?? 1) - 1)
    }
  }

  /// Remembers a start that was skipped or rejected, so that what follows of its load is skipped, too.
  func passOver(_ session: SessionID) throws(LoadLogError) {
    try access { database in
      try RawStatement(database, "INSERT OR IGNORE INTO passed_over (session) VALUES (?)", session).run()
    }
  }

  /// Whether a start was skipped or rejected.
  func isPassedOver(_ session: SessionID) throws(LoadLogError) -> Bool {
    try access { database in
      try RawStatement(database, "SELECT 1 FROM passed_over WHERE session = ?", session).hasRow()
    }
  }

  /// Adds an open push.
  func push(_ session: SessionID, feed: Int64, owner: Int64, file: String?) throws(LoadLogError) {
    try access { database in
      try RawStatement(
        database, "INSERT INTO push (feed, owner, file, session) VALUES (?, ?, ?, ?)", feed, owner, file,
        session
      ).run()
    }
  }

  /// Removes the push that a pop closes, as recording chooses it, and returns its session; nil
  /// if none is open. It searches instead of walking: a file may have many pushes that are never popped.
  func pop(feed: Int64, owner: Int64, file: String?) throws(LoadLogError) -> SessionID? {
    try access { database in
      func newest(_ condition: String) throws -> (number: Int64, session: SessionID?)? {
        let pushes = try RawStatement(
          database,
          """
          SELECT number, session FROM push WHERE owner = ?1 AND feed = ?2 \(condition)
          ORDER BY number DESC LIMIT 1
          """, owner, feed)
        if !condition.isEmpty { pushes.bind(3, file) }
        return try pushes.first { (try $0.number(0), try $0.id(1)) }
      }
      guard let push = try newest("AND file IS ?3") ?? newest("") else { return nil }
      try remove(push.number, from: database)
      return push.session
    }
  }

  /// Removes one push that a reset ends, and forgives one pop for it.
  ///
  /// - Parameter feed: the feed whose count is reset; nil for all feeds.
  /// - Returns: the push's session and feed; nil if no push is open.
  func reset(_ feed: Int64?, owner: Int64) throws(LoadLogError) -> (session: SessionID, feed: Int64)? {
    try access { database in
      let pushes = try RawStatement(
        database,
        "SELECT number, session, feed FROM push WHERE owner = ? AND feed >= ? AND feed <= ? LIMIT 1",
        owner, feed ?? .min, feed ?? .max)
      let push = try pushes.first { (try $0.number(0), try $0.id(1), try $0.number(2)) }
      guard case (let number, let session?, let feed)? = push else { return nil }
      try add(1, feed: feed, owner: owner, to: database)
      try remove(number, from: database)
      return (session, feed)
    }
  }

  /// Forgives further pops of the file.
  func addCredits(_ pops: Int64, feed: Int64, owner: Int64) throws(LoadLogError) {
    try access { try add(pops, feed: feed, owner: owner, to: $0) }
  }

  /// The number of pops that the file forgives and has not used; nil if the file has no push that was reset.
  func credits(feed: Int64, owner: Int64) throws(LoadLogError) -> Int64? {
    try access { database in
      try RawStatement(database, "SELECT pops FROM credit WHERE feed = ? AND owner = ?", feed, owner)
        .first { try $0.number(0) }
    }
  }

  /// Uses one forgiven pop.
  ///
  /// - Returns: false if there is none left.
  func takeCredit(feed: Int64, owner: Int64) throws(LoadLogError) -> Bool {
    try access { database in
      try RawStatement(
        database, "UPDATE credit SET pops = pops - 1 WHERE feed = ? AND owner = ? AND pops > 0", feed, owner
      ).run() > 0
    }
  }

  /// A failure is one of the temporary file, not of the store.
  @discardableResult
  private func access<Value>(_ work: (Database) throws -> Value) throws(LoadLogError) -> Value {
    try mappedTemporary { try queue.writeWithoutTransaction(work) }
  }

  private func add(_ pops: Int64, feed: Int64, owner: Int64, to database: Database) throws {
    try RawStatement(
      database,
      """
      INSERT INTO credit (feed, owner, pops) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET pops = pops + excluded.pops
      """, feed, owner, pops
    ).run()
  }

  private func remove(_ number: Int64, from database: Database) throws {
    try RawStatement(database, "DELETE FROM push WHERE number = ?", number).run()
  }
}
