import GRDB
import LoadLogCore

/// The rows of the tables `run` and `output`: what is known of the command of a session.
enum RunRow {
  /// A condition on a row of `session`: no further attempt followed its failure, which therefore makes the feed failing.
  static let isFinal = "NOT EXISTS (SELECT 1 FROM run WHERE run.session = session.seq AND run.is_retried = 1)"

  /// A condition on rows of `session`, `run` and `owner`: the attempt was to be retried by a command that has not ended,
  /// unless it died, and that has not started the next attempt.
  static let awaitsRetry = """
    run.is_retried = 1 AND owner.closed_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM session AS next
      WHERE next.feed = session.feed AND next.started_at >= session.started_at AND next.owner = session.owner
        AND next.seq > session.seq)
    """

  /// Stores what an event says about the command of a session.
  static func write(_ run: RunDetails?, of session: Int64, in database: Database) throws {
    try run?.facts?.write(of: session, in: database)
    try run?.output?.write(of: session, in: database)
  }

  /// Notes that no further attempt followed a session after all.
  ///
  /// - Returns: false if that was known.
  static func endRetries(of session: Int64, in database: Database) throws -> Bool {
    try RawStatement(
      database, "UPDATE run SET is_retried = 0 WHERE session = ? AND is_retried = 1", session
    ).run() > 0
  }
}

extension RunFacts {
  /// The facts of a session; nil if no command is known.
  static func fetch(of session: Int64, in database: Database) throws -> RunFacts? {
    try RawStatement(
      database, "SELECT attempt, is_retried, user_time, system_time, max_memory FROM run WHERE session = ?",
      session
    ).first { row in
      RunFacts(
        attempt: Int(try row.number(0)), isRetried: try row.number(1) != 0, userTime: try row.integer(2),
        systemTime: try row.integer(3), maxMemory: try row.integer(4))
    }
  }

  /// Stores the facts of a session.
  func write(of session: Int64, in database: Database) throws {
    let statement = try RawStatement(
      database,
      """
      INSERT OR REPLACE INTO run (session, attempt, is_retried, user_time, system_time, max_memory)
      VALUES (?, ?, ?, ?, ?, ?)
      """, session, max(1, attempt), isRetried, userTime.map { max(0, $0) },
      systemTime.map { max(0, $0) }, maxMemory.map { max(0, $0) })
    try statement.run()
  }
}

extension KeptOutput {
  /// The kept output of a session; nil if none was kept.
  static func fetch(of session: Int64, in database: Database) throws -> KeptOutput? {
    try RawStatement(database, "SELECT total, bytes FROM output WHERE session = ?", session).first {
      KeptOutput(total: try $0.number(0), bytes: try $0.bytes(1) ?? [])
    }
  }

  /// The number of bytes that the command of a session wrote; nil if none of them were kept.
  static func total(of session: Int64, in database: Database) throws -> Int64? {
    try RawStatement(database, "SELECT total FROM output WHERE session = ?", session).first {
      try $0.number(0)
    }
  }

  /// Stores the kept output of a session, in place of an earlier one.
  func write(of session: Int64, in database: Database) throws {
    try RawStatement(
      database, "INSERT OR REPLACE INTO output (session, total, bytes) VALUES (?, ?, ?)", session,
      max(total, Int64(bytes.count)), bytes
    ).run()
  }
}
