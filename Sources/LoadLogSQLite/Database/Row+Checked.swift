import GRDB

extension Row {
  /// The value of a column. GRDB's subscripts trap on a value of another type, which a damaged store may hold;
  /// this throws.
  func at<Value: DatabaseValueConvertible>(_ column: Int) throws -> Value {
    try decode(Value.self, atIndex: column)
  }
}
