import GRDBSQLite

struct SQLiteRelease: CustomStringConvertible {
  let number: Int

  /// The release that this program uses.
  static var inUse: SQLiteRelease { SQLiteRelease(number: Int(sqlite3_libversion_number())) }

  /// Whether SQLite has the WAL-reset fix.
  ///
  /// In releases 3.7.0 to 3.51.2, a connection that writes while another one checkpoints can corrupt the
  /// file. Fixed in 3.51.3, 3.50.7 and 3.44.6 (SQLite release history). LoadLog's own processes never do both
  /// at once, because of the gate.
  var hasLogResetFix: Bool {
    switch number {
    case 3_044_006..<3_045_000, 3_050_007..<3_051_000: true
    default: number >= 3_051_003 || number < 3_007_000
    }
  }

  var description: String { "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)" }
}
