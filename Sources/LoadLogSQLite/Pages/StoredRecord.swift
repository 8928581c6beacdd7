/// A value of a record in SQLite's file format.
enum RecordValue: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])
}

/// Reads records of SQLite's file format.
enum StoredRecord {
  /// The most columns of a table or index of a store; SQLite's own limit.
  private static let mostColumns = 2000

  /// The values of a record; nil if its lengths contradict each other.
  static func values(_ record: [UInt8]) -> [RecordValue]? {
    guard let (length, first) = record.variableInteger(at: 0, before: record.count),
      length <= UInt64(record.count)
    else { return nil }
    let end = Int(length)
    var (head, body) = (first, end)
    var values: [RecordValue] = []
    while head < end {
      guard let (type, next) = record.variableInteger(at: head, before: end), values.count < mostColumns,
        let size = size(of: type), body <= record.count - size
      else { return nil }
      values.append(value(type, record[body..<body + size]))
      (head, body) = (next, body + size)
    }
    return body == record.count ? values : nil
  }

  /// The length in bytes of a value by its type; nil if the type is reserved or too long for a record.
  private static func size(of type: UInt64) -> Int? {
    switch type {
    case 0, 8, 9: 0
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 10, 11: nil
    default: Int(exactly: (type - 12) / 2)
    }
  }

  private static func value(_ type: UInt64, _ bytes: ArraySlice<UInt8>) -> RecordValue {
    switch type {
    case 0: .null
    case 7: .real(Double(bitPattern: UInt64(bitPattern: integer(bytes))))
    case 8, 9: .integer(Int64(type) - 8)
    case ..<12: .integer(integer(bytes))
    case _ where type.isMultiple(of: 2): .blob(Array(bytes))
    default: .text(Array(bytes))
    }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
    let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
    return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
  }
}
