import GRDB
import LoadLogCore

/// A row of the table `visibility`: what indicators showed of a session.
struct ShownTime: Equatable {
  /// How long an indicator was visible, in nanoseconds.
  var visible: Int64 = 0
  /// How many shows ended within their grace time.
  var suppressed: Int64 = 0

  /// What indicators showed of a session; nil if none did.
  static func fetch(of session: Int64, in database: Database) throws -> ShownTime? {
    try RawStatement(
      database, "SELECT visible, suppressed FROM visibility WHERE session = ?", session
    ).first { ShownTime(visible: try $0.number(0), suppressed: try $0.number(1)) }
  }

  /// Stores what indicators showed of a session, in place of what was known.
  ///
  /// - Returns: false if there is no such session.
  @discardableResult
  func write(of session: Int64, in database: Database) throws -> Bool {
    let statement = try RawStatement(
      database,
      """
      INSERT OR REPLACE INTO visibility (session, visible, suppressed)
      SELECT seq, ?, ? FROM session WHERE seq = ?
      """, max(0, visible), max(0, suppressed), session)
    return try statement.run() > 0
  }
}
