import LoadLogCore
import LoadLogJSON

extension JSONRecord {
  /// Where the record begins.
  var filePosition: FilePosition { FilePosition(position) }

  /// A number, or a string that is one, times a power of ten; nil if there is none.
  ///
  /// - Throws: if it is not a number, or out of range.
  func number(_ field: some JSONField, power: Int = 0) throws(ImportFault) -> Int64? {
    guard let kind = kind(field) else { return nil }
    guard kind == .number || kind == .string, !isCut(field) else { throw fault(field, "is not a number") }
    switch withBytes(field, { $0.map { DecimalText.scaled($0, power: power) } }) {
    case .value(let value): return value
    case .wrong(let why): throw fault(field, why)
    case nil: return nil
    }
  }

  /// A time in RFC 3339, as wall time in microseconds.
  ///
  /// - Throws: if it is missing, not a time, or outside of 1970 to 2200.
  func time(_ field: some JSONField) throws(ImportFault) -> Int64 {
    guard kind(field) == .string, let time = withBytes(field, { $0.map { ImportedTime($0) } }) else {
      throw fault(kind(field) == nil ? "\(field.name) is missing" : "\(field.name) is not a time")
    }
    return try checked(time, field)
  }

  /// A time that was computed from a field's value.
  func checked(_ time: ImportedTime, _ field: some JSONField) throws(ImportFault) -> Int64 {
    switch time {
    case .value(let wall): return wall
    case .wrong(let why): throw fault(field, why)
    }
  }

  /// A fault of the record.
  func fault(_ cause: String) -> ImportFault { ImportFault(at: filePosition, cause) }

  /// Returns a fault about one field: its name, its value if it has one, and a predicate, as in `id "zz" is
  /// not a load id`.
  func fault(_ field: some JSONField, _ predicate: String) -> ImportFault {
    fault("\(field.name)\(written(field).map { " " + VisibleText.quoted($0) } ?? "") \(predicate)")
  }
}

extension JSONRecord {
  /// The hash of a format's name and of fields as they stand in the file.
  func hash<Field: JSONField>(_ format: ImportFormat, _ fields: [Field]) -> StableHash {
    var hash = StableHash()
    hash.add(field: format.rawValue)
    for field in fields { withBytes(field) { hash.add(field: $0) } }
    return hash
  }
}
