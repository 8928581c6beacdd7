import GRDB
import LoadLogCore

struct NotifierRows {
  private enum Column: Int32, ColumnList { case lastCheck, attempts, nextAttempt, gapFrom, gapUntil }

  private let database: Database

  init(_ database: Database) { self.database = database }

  /// How long after its next try a notifier that has failed counts, in microseconds. One that has not tried by then is not
  /// run any more; a week, because cron may run it on some days only.
  private static let patience: Int64 = 7 * 86_400_000_000

  /// When any notifier checked last, in microseconds since 1970, and the one whose deliveries have failed most often in a
  /// row; nil if there is none.
  func summary(at now: Int64) throws -> (lastCheck: Int64?, undelivered: UndeliveredFlips?) {
    var (lastCheck, undelivered, failing) = (Int64?.none, UndeliveredFlips?.none, 0)
    try RawStatement(database, "SELECT name, last_check, attempts, next_attempt FROM notifier ORDER BY name")
      .forEach {
        row in
        let (checked, attempts) = (try row.number(1), Int(clamping: try row.number(2)))
        lastCheck = max(lastCheck ?? .min, checked)
        let next = try row.integer(3)
        guard attempts > 0, now.subtractingClamping(next ?? now) <= Self.patience else { return }
        failing += 1
        guard attempts > undelivered?.attempts ?? 0 else { return }
        undelivered = UndeliveredFlips(
          notifier: try row.text(0) ?? "", attempts: attempts, nextAttempt: next, lastCheck: checked)
      }
    undelivered?.others = failing - 1
    return (lastCheck, undelivered)
  }

  /// What a notifier has done; nil if it is new.
  func record(of name: String) throws -> NotifierRecord? {
    try RawStatement(
      database, "SELECT \(Column.list(of: "notifier")) FROM notifier WHERE name = ?", name
    ).first { row in
      var record = NotifierRecord(lastCheck: try row.number(Column.lastCheck))
      record.state = NotifierState(
        delivered: try delivered(by: name), attempts: Int(clamping: try row.number(Column.attempts)),
        nextAttempt: try row.integer(Column.nextAttempt))
      if let from = try row.integer(Column.gapFrom), let until = try row.integer(Column.gapUntil) {
        record.gap = CheckGap(from: from, until: until)
      }
      return record
    }
  }

  /// Replaces what a notifier has done.
  func set(_ record: NotifierRecord, of name: String) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO notifier (name, last_check, attempts, next_attempt, gap_from, gap_until)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET last_check = excluded.last_check, attempts = excluded.attempts,
          next_attempt = excluded.next_attempt, gap_from = excluded.gap_from, gap_until = excluded.gap_until
        """
    ).execute(arguments: [
      name, record.lastCheck, record.state.attempts, record.state.nextAttempt, record.gap?.from,
      record.gap?.until,
    ])
    let known = try delivered(by: name)
    for (feed, delivered) in record.state.delivered where known[feed] != delivered {
      try database.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO notified (notifier, feed, state, at)
          SELECT ?, id, ?, ? FROM feed WHERE name = ?
          """
      ).execute(arguments: [name, delivered.state.rawValue, delivered.at, feed.name])
    }
  }

  private func delivered(by name: String) throws -> [Feed: NotifierState.Delivered] {
    let rows = try RawStatement(
      database,
      """
      SELECT feed.name, notified.state, notified.at FROM notified JOIN feed ON feed.id = notified.feed
      WHERE notified.notifier = ?
      """, name)
    var delivered: [Feed: NotifierState.Delivered] = [:]
    try rows.forEach { row in
      guard let state = FeedState(rawValue: try row.text(1) ?? "") else { return }
      delivered[Feed(try row.text(0) ?? "")] = NotifierState.Delivered(state, at: try row.number(2))
    }
    return delivered
  }
}
