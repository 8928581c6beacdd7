import GRDB

/// How far a writer has come with what it does for many loads at once.
struct SettlementMarks: Hashable {
  /// Sessions up to it are in the sweeps of busy time and depth.
  var swept: Int64
  /// Sessions up to it are in the summaries and in the indexes. Those after it are counted, and looked for, by
  /// whoever asks.
  var counted: Int64
}

extension SettlementMarks {
  private static let select = "SELECT seq, counted FROM settlement WHERE id = 1"

  /// What a damaged store says below 0 is taken for 0.
  init(_ database: Database) throws {
    let row = try RawStatement(database, Self.select).first { (try $0.number(0), try $0.number(1)) }
    (swept, counted) = (max(0, row?.0 ?? 0), max(0, row?.1 ?? 0))
  }

  /// Whether they are there and no session comes before the first or after the last that there is.
  static func areSound(in database: Database) throws -> Bool {
    let last = try lastSession(in: database)
    let row = try RawStatement(database, select).first { (try $0.number(0), try $0.number(1)) }
    guard let (swept, counted) = row else { return false }
    return (0...last).contains(swept) && (0...last).contains(counted)
  }

  /// Sessions up to one are counted; all there are, without one. The caller is in a transaction.
  static func noteCounted(upTo last: Int64? = nil, in database: Database) throws {
    try set("counted", besides: "seq", to: last ?? lastSession(in: database), in: database)
  }

  /// Puts new sessions after one, up to another, into the indexes of starts and of what runs. The caller is in a transaction.
  static func index(after first: Int64, upTo last: Int64, in database: Database) throws {
    let statement = try RawStatement(
      database, "UPDATE session SET is_new = 0 WHERE seq > ? AND seq <= ? AND is_new <> 0")
    statement.bind(1, first)
    statement.bind(2, last)
    try statement.run()
  }

  /// How many sessions wait for the indexes that nobody would look for outside of them.
  static func lostSessions(in database: Database) throws -> Int {
    let rows = try RawStatement(
      database, "SELECT count(*) FROM session WHERE \(NewSessions.lost)")
    return Int(try rows.first { try $0.number(0) } ?? 0)
  }

  /// Sessions up to one are in the kept sweeps. The caller is in a transaction.
  static func noteSwept(upTo last: Int64, in database: Database) throws {
    try set("seq", besides: "counted", to: last, in: database)
  }

  /// The last session that there is; 0 if there is none.
  static func lastSession(in database: Database) throws -> Int64 {
    try RawStatement(database, "SELECT max(seq) FROM session").first { max(0, try $0.integer(0) ?? 0) } ?? 0
  }

  /// A damaged store may have lost the row.
  private static func set(
    _ column: String, besides other: String, to mark: Int64, in database: Database
  ) throws {
    let statement = try RawStatement(
      database,
      """
      INSERT INTO settlement (id, \(column), \(other)) VALUES (1, ?1, 0)
      ON CONFLICT (id) DO UPDATE SET \(column) = ?1 WHERE \(column) <> ?1
      """)
    statement.bind(1, mark)
    try statement.run()
  }
}
