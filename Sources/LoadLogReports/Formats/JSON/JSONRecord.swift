import LoadLogCore

/// The fields of a format, numbered from 0 and named as they are in the file.
protocol JSONField: RawRepresentable<Int>, CaseIterable, Sendable {
  /// The name in the file.
  var name: String { get }
}

extension JSONField {
  var name: String { "\(self)" }
}

/// The values of a record, by field.
///
/// A value that comes twice is replaced. All values of a record together are cut at ``mostBytes``.
struct JSONRecord: Sendable {
  /// How many bytes all values of a record and of those around it may have.
  static let mostBytes = 1 << 20

  private struct Slot {
    /// Nil if there is no value.
    var kind: JSONKind?
    var isCut = false
    var start = 0, end = 0
  }

  /// Where it begins.
  var position = FilePosition.start
  private var slots: [Slot]
  private var bytes: [UInt8] = []
  /// No slot below the first and none from the second on has a value.
  private var firstUsed = Int.max, endUsed = 0

  init(count: Int) { slots = Array(repeating: Slot(), count: count) }

  /// How many bytes are kept; give it back to ``forget(beyond:)``.
  var mark: Int { bytes.count }

  mutating func clear(_ first: Int, _ end: Int) {
    let (first, end) = (max(first, firstUsed), min(end, endUsed))
    guard first < end else { return }
    for slot in first..<end { slots[slot].kind = nil }
    if first == firstUsed, end == endUsed { (firstUsed, endUsed) = (.max, 0) }
  }

  mutating func forget(beyond mark: Int) { bytes.removeLast(bytes.count - mark) }

  mutating func set(_ slot: Int, _ kind: JSONKind, _ value: UnsafeBufferPointer<UInt8>, isCut: Bool) {
    let start = bytes.count
    let room = Self.mostBytes - start
    bytes.append(contentsOf: value.count <= room ? value : UnsafeBufferPointer(rebasing: value.prefix(room)))
    slots[slot] = Slot(kind: kind, isCut: isCut || value.count > room, start: start, end: bytes.count)
    use(slot)
  }

  /// Notes an array or object in the place of a value; `isCut` if it is no list that can be read.
  mutating func set(_ slot: Int, _ kind: JSONKind, isCut: Bool) {
    slots[slot] = Slot(kind: kind, isCut: isCut, start: bytes.count, end: bytes.count)
    use(slot)
  }

  private mutating func use(_ slot: Int) {
    firstUsed = min(firstUsed, slot)
    endUsed = max(endUsed, slot + 1)
  }

  /// Adds a number to a list.
  mutating func append(_ slot: Int, _ kind: JSONKind, _ value: UnsafeBufferPointer<UInt8>, isCut: Bool) {
    guard kind == .number, !isCut, bytes.count + value.count < Self.mostBytes else {
      slots[slot].isCut = true
      return
    }
    if slots[slot].end > slots[slot].start { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: value)
    slots[slot].end = bytes.count
  }
}

extension JSONRecord {
  /// The kind of a value; nil if there is none, or if it is null.
  func kind(_ field: some JSONField) -> JSONKind? {
    let kind = slots[field.rawValue].kind
    return kind == .null ? nil : kind
  }

  /// There is a null.
  func isNull(_ field: some JSONField) -> Bool { slots[field.rawValue].kind == .null }

  /// The value is not all of what was in the file.
  func isCut(_ field: some JSONField) -> Bool { slots[field.rawValue].isCut }

  /// The bytes of a text, a number or a list of numbers; nil if there is none.
  func withBytes<Result>(_ field: some JSONField, _ body: (UnsafeBufferPointer<UInt8>?) -> Result) -> Result {
    let slot = slots[field.rawValue]
    guard slot.kind == .string || slot.kind == .number || slot.kind == .array else { return body(nil) }
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[slot.start..<slot.end])) }
  }

  /// A text, repaired where it is not UTF-8; nil if there is none.
  func string(_ field: some JSONField) -> String? { kind(field) == .string ? written(field) : nil }

  /// A text, or a number as it is written; nil if there is none.
  func written(_ field: some JSONField) -> String? {
    kind(field) == .array ? nil : withBytes(field) { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// A number, or a text that is one, times a power of ten; nil if there is none.
  ///
  /// - Throws: if it is no number, or one that does not fit.
  func number(_ field: some JSONField, power: Int = 0) throws(ImportFault) -> Int64? {
    guard let kind = kind(field) else { return nil }
    guard kind == .number || kind == .string, !isCut(field) else { throw fault(field, "is not a number") }
    switch withBytes(field, { $0.map { DecimalText.scaled($0, power: power) } }) {
    case .value(let value): return value
    case .wrong(let why): throw fault(field, why)
    case nil: return nil
    }
  }

  /// A moment as RFC 3339 writes it, wall time in microseconds.
  ///
  /// - Throws: if there is none, or none that can be meant.
  func time(_ field: some JSONField) throws(ImportFault) -> Int64 {
    guard kind(field) == .string, let time = withBytes(field, { $0.map { ImportedTime($0) } }) else {
      throw fault(kind(field) == nil ? "\(field.name) is missing" : "\(field.name) is not a time")
    }
    return try checked(time, field)
  }

  /// A moment that was made of a field's value.
  func checked(_ time: ImportedTime, _ field: some JSONField) throws(ImportFault) -> Int64 {
    switch time {
    case .value(let wall): return wall
    case .wrong(let why): throw fault(field, why)
    }
  }

  /// What is wrong with the record.
  func fault(_ cause: String) -> ImportFault { ImportFault(at: position, cause) }

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
