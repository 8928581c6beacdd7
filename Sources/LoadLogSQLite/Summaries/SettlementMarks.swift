import GRDB

/// How far a writer has come with what it does for many loads at once.
struct SettlementMarks: Hashable {
  /// Sessions up to it are in the sweeps of busy time and depth.
  var swept: Int64
  /// Sessions up to it are in the summaries. Those after it are counted by whoever asks.
  var counted: Int64
}

extension SettlementMarks {
  init(_ database: Database) throws {
    let row = try RawStatement(database, "SELECT seq, counted FROM settlement WHERE id = 1").first {
      (try $0.number(0), try $0.number(1))
    }
    (swept, counted) = row ?? (0, 0)
  }

  /// Sessions up to one are counted; all there are, without one. The caller is in a transaction.
  static func noteCounted(upTo last: Int64? = nil, in database: Database) throws {
    let statement = try RawStatement(
      database,
      """
      UPDATE settlement SET counted = coalesce(?1, (SELECT max(seq) FROM session), 0)
      WHERE id = 1 AND counted <> coalesce(?1, (SELECT max(seq) FROM session), 0)
      """)
    statement.bind(1, last)
    try statement.run()
  }
}
