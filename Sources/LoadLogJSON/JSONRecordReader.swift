/// Receives the records of a document.
@usableFromInline
package protocol JSONRecordHandler: Sendable {
  /// The error that ends the reading.
  associatedtype Failure: Error
  /// The wanted values and records.
  static var plan: JSONPlan { get }
  /// Begins a record.
  mutating func begin(_ kind: Int)
  /// Ignores the value of an unknown key of a record.
  mutating func ignore(key: UnsafeBufferPointer<UInt8>)
  /// Takes a complete record.
  ///
  /// - Throws: an error that ends the reading. The reader keeps it and skips the rest of the document.
  mutating func end(_ kind: Int, _ record: JSONRecord) throws(Failure)
  /// Reports a value in the place of a record that is not a record.
  mutating func reject(_ fault: JSONFault)
}

extension JSONRecordHandler {
  @usableFromInline
  package mutating func begin(_ kind: Int) {}

  @inlinable
  package mutating func ignore(key: UnsafeBufferPointer<UInt8>) {}
}

/// Picks the wanted parts out of a document as it is read.
///
/// If a key is repeated in an object, its last value counts. Records in a repeated list are reported each time.
@usableFromInline
package struct JSONRecordReader<Handler: JSONRecordHandler>: JSONSink, Sendable {
  @usableFromInline
  struct Level: Sendable {
    @usableFromInline var node: Int
    @usableFromInline var isArray: Bool
    @usableFromInline var mark: Int
    @usableFromInline var position: JSONPosition

    @inlinable
    init(node: Int, isArray: Bool, mark: Int, position: JSONPosition) {
      self.node = node
      self.isArray = isArray
      self.mark = mark
      self.position = position
    }
  }

  /// More levels than any shape has. What a list has in deeper ones is cut.
  @usableFromInline static var deepest: Int { 32 }

  @usableFromInline package var handler: Handler
  /// Whether the document has the part that the shape requires.
  @usableFromInline package internal(set) var hasRequired = false
  /// The error with which the handler ended the reading.
  @usableFromInline package internal(set) var failure: Handler.Failure?
  @usableFromInline let plan = Handler.plan
  @usableFromInline var record: JSONRecord
  @usableFromInline var levels: [Level] = []
  /// The node of the value that comes next or is being read; -1 if it is not wanted.
  @usableFromInline var node = 0
  @usableFromInline var position = JSONPosition.start

  @inlinable
  package init(_ handler: Handler) {
    self.handler = handler
    record = JSONRecord(count: Handler.plan.slotCount)
  }

  /// Forgets the open record, to begin with another document.
  @inlinable
  package mutating func reset() {
    levels.removeAll(keepingCapacity: true)
    record.forget(beyond: 0)
    record.clear(from: 0, to: plan.slotCount)
  }

  @inlinable
  package mutating func wants(_ kind: JSONKind, at position: JSONPosition) -> Bool {
    guard failure == nil else { return false }
    if let level = levels.last {
      if level.isArray { node = plan.nodes[level.node].isList ? level.node : plan.nodes[level.node].element }
    } else {
      node = 0
    }
    guard node >= 0 else { return false }
    let wanted = plan.nodes[node]
    let isInList = wanted.isList && levels.last?.node == node
    if !isInList { record.clear(from: wanted.firstSlot, to: wanted.endSlot) }
    self.position = position
    switch kind {
    case .object where wanted.isObject: return true
    case .array where wanted.element >= 0: return true
    case .array where wanted.isList:
      let isTooDeep = levels.count >= Self.deepest
      if !isInList || isTooDeep { record.set(wanted.slot, to: .array, isCut: isTooDeep) }
      return !isTooDeep
    case .array, .object:
      if wanted.slot >= 0 { record.set(wanted.slot, to: kind, isCut: true) }
      refuse(wanted, at: position)
      return false
    default:
      refuse(wanted, at: position)
      return wanted.slot >= 0
    }
  }

  @inlinable
  package mutating func scalar(_ kind: JSONKind, bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) {
    let wanted = plan.nodes[node]
    if wanted.isList, levels.last?.node == node {
      record.append(to: wanted.slot, kind: kind, bytes: bytes, isCut: isCut)
    } else {
      record.set(wanted.slot, to: kind, bytes: bytes, isCut: isCut)
    }
  }

  @inlinable
  package mutating func open(_ kind: JSONKind) {
    if plan.nodes[node].isRequired, kind == .array { hasRequired = true }
    levels.append(Level(node: node, isArray: kind == .array, mark: record.mark, position: position))
    if kind == .object, plan.nodes[node].record >= 0 { handler.begin(plan.nodes[node].record) }
  }

  @inlinable
  package mutating func key(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let level = levels.last else { return }
    let parent = plan.nodes[level.node]
    node = -1
    for index in parent.firstKey..<parent.endKey {
      let key = plan.keys[index]
      if key.count == bytes.count, isEqual(key, to: bytes) {
        node = key.node
        return
      }
    }
    if parent.record >= 0 { handler.ignore(key: bytes) }
  }

  @inlinable
  package mutating func close() {
    guard let level = levels.popLast() else { return }
    let ended = plan.nodes[level.node]
    guard !level.isArray, ended.record >= 0 else { return }
    do throws(Handler.Failure) {
      record.position = level.position
      try handler.end(ended.record, record)
    } catch {
      failure = failure ?? error
    }
    record.clear(from: ended.firstSlot, to: ended.endSlot)
    record.forget(beyond: level.mark)
  }

  @inlinable
  func isEqual(_ key: JSONPlan.Key, to bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    for offset in 0..<key.count where plan.keyBytes[key.start + offset] != bytes[offset] { return false }
    return true
  }

  @inlinable
  mutating func refuse(_ node: JSONPlan.Node, at position: JSONPosition) {
    guard node.record >= 0 else { return }
    handler.reject(JSONFault(at: position, "an object is expected here"))
  }
}
