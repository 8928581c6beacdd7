import GRDBSQLite

/// A release of SQLite.
struct SQLiteRelease: CustomStringConvertible {
  let number: Int

  /// The one that this program uses.
  static var inUse: SQLiteRelease { SQLiteRelease(number: Int(sqlite3_libversion_number())) }

  /// Releases 3.7.0 to 3.51.2 have a race between connections that write and checkpoint at once, which can
  /// corrupt the file; it is mended in 3.51.3, 3.50.7 and 3.44.6 (SQLite release history). The gate keeps
  /// LoadLog's own processes out of it.
  var hasLogResetFix: Bool {
    switch number {
    case 3_044_006..<3_045_000, 3_050_007..<3_051_000: true
    default: number >= 3_051_003 || number < 3_007_000
    }
  }

  var description: String { "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)" }
}
