import LoadLogCore
import LoadLogText

/// The columns of one SELECT, named where they are read.
///
///     enum Column: Int32, ColumnList { case seq, startedAt }
///     let rows = try RawStatement(database, "SELECT \(Column.list(of: "session")) FROM session")
///     let starts = try rows.map { try $0.number(Column.startedAt) }
///
/// The cases stand in the order of the SELECT; a case's raw value is its position there.
protocol ColumnList: RawRepresentable<Int32>, CaseIterable {}

extension ColumnList {
  /// `table.seq, table.started_at`: the cases in snake case.
  static func list(of table: String) -> String {
    allCases.map { "\(table).\($0.name)" }.joined(separator: ", ")
  }

  /// `seq, started_at`: the cases in snake case, as an INSERT lists them.
  static var names: String { allCases.map(\.name).joined(separator: ", ") }

  /// `?, ?`: a parameter for each of ``names``.
  static var marks: String { allCases.map { _ in "?" }.joined(separator: ", ") }

  /// The number of columns, which is the position of the next one in a longer SELECT.
  static var columnCount: Int32 { Int32(allCases.count) }

  /// The column's name in SQL: `started_at` for `startedAt`.
  var name: String { "\(self)".snakeCased }
}

extension RawStatement {
  /// Reads a column by its name.
  func number(_ column: some ColumnList) throws -> Int64 { try number(column.rawValue) }

  /// Reads a column by its name; nil for NULL.
  func integer(_ column: some ColumnList) throws -> Int64? { try integer(column.rawValue) }

  /// Reads a column by its name; nil for NULL.
  func text(_ column: some ColumnList) throws -> String? { try text(column.rawValue) }

  /// Reads a column by its name; nil for NULL.
  func id(_ column: some ColumnList) throws -> SessionID? { try id(column.rawValue) }

  /// Reads a column by its name; nil for NULL.
  func bytes(_ column: some ColumnList) throws -> [UInt8]? { try bytes(column.rawValue) }

  /// Reads a column of 0 and 1 by its name.
  func flag(_ column: some ColumnList) throws -> Bool { try number(column.rawValue) != 0 }
}
