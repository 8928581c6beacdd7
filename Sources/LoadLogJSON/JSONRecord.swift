/// The fields of a format, numbered from 0 and named as they are in the file.
@usableFromInline
package protocol JSONField: RawRepresentable<Int>, CaseIterable, Sendable {
  /// The name in the file.
  var name: String { get }
}

extension JSONField {
  @usableFromInline package var name: String { "\(self)" }
}

/// The values of a record, by field.
///
/// A value that comes twice is replaced. All values of a record together are cut at ``mostBytes``.
@usableFromInline
package struct JSONRecord: Sendable {
  /// Maximum number of bytes of all values of a record and of the records around it.
  @usableFromInline package static let mostBytes = 1 << 20

  @usableFromInline
  struct Slot: Sendable {
    /// The value's type; nil if there is no value.
    @usableFromInline var kind: JSONKind?
    @usableFromInline var isCut = false
    @usableFromInline var start = 0, end = 0
  }

  /// Where the record begins.
  @usableFromInline package var position = JSONPosition.start
  @usableFromInline private(set) var slots: [Slot]
  @usableFromInline private(set) var bytes: [UInt8] = []
  /// The range of slots that may have values: all others are empty.
  private var firstUsed = Int.max, endUsed = 0

  @usableFromInline
  package init(count: Int) { slots = Array(repeating: Slot(), count: count) }

  /// Number of kept bytes, for ``forget(beyond:)``.
  @usableFromInline package var mark: Int { bytes.count }

  @usableFromInline
  package mutating func clear(from first: Int, to end: Int) {
    let (first, end) = (max(first, firstUsed), min(end, endUsed))
    guard first < end else { return }
    for slot in first..<end { slots[slot].kind = nil }
    if first == firstUsed, end == endUsed { (firstUsed, endUsed) = (.max, 0) }
  }

  @usableFromInline
  package mutating func forget(beyond mark: Int) { bytes.removeLast(bytes.count - mark) }

  @usableFromInline
  package mutating func set(
    _ slot: Int, to kind: JSONKind, bytes value: UnsafeBufferPointer<UInt8>, isCut: Bool
  ) {
    let start = bytes.count
    let room = Self.mostBytes - start
    bytes.append(contentsOf: value.count <= room ? value : UnsafeBufferPointer(rebasing: value.prefix(room)))
    slots[slot] = Slot(kind: kind, isCut: isCut || value.count > room, start: start, end: bytes.count)
    use(slot)
  }

  /// Notes an array or object in the place of a value; `isCut` if its elements cannot be read as a list.
  @usableFromInline
  package mutating func set(_ slot: Int, to kind: JSONKind, isCut: Bool) {
    slots[slot] = Slot(kind: kind, isCut: isCut, start: bytes.count, end: bytes.count)
    use(slot)
  }

  private mutating func use(_ slot: Int) {
    firstUsed = min(firstUsed, slot)
    endUsed = max(endUsed, slot + 1)
  }

  /// Adds a number to a list.
  @usableFromInline
  package mutating func append(
    to slot: Int, kind: JSONKind, bytes value: UnsafeBufferPointer<UInt8>, isCut: Bool
  ) {
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
  /// The type of a value; nil if it is missing or null.
  @usableFromInline
  package func kind(_ field: some JSONField) -> JSONKind? {
    let kind = slots[field.rawValue].kind
    return kind == .null ? nil : kind
  }

  /// Whether the value is null.
  @usableFromInline
  package func isNull(_ field: some JSONField) -> Bool { slots[field.rawValue].kind == .null }

  /// Whether part of the value was dropped.
  @usableFromInline
  package func isCut(_ field: some JSONField) -> Bool { slots[field.rawValue].isCut }

  /// The bytes of a string, a number or a list of numbers; nil if there is none.
  @inlinable
  package func withBytes<Result>(
    _ field: some JSONField, _ body: (UnsafeBufferPointer<UInt8>?) -> Result
  ) -> Result {
    let slot = slots[field.rawValue]
    guard slot.kind == .string || slot.kind == .number || slot.kind == .array else { return body(nil) }
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[slot.start..<slot.end])) }
  }

  /// A string, repaired where it is not UTF-8; nil if there is none.
  @usableFromInline
  package func string(_ field: some JSONField) -> String? { kind(field) == .string ? written(field) : nil }

  /// A string, or a number as written; nil if there is none.
  @usableFromInline
  package func written(_ field: some JSONField) -> String? {
    kind(field) == .array ? nil : withBytes(field) { $0.map { String(decoding: $0, as: UTF8.self) } }
  }
}
