import LoadLogCore

/// What receives the records of a file.
protocol JSONRecordHandler: Sendable {
  /// Where values stand and what is a record.
  static var plan: JSONPlan { get }
  /// What was found; emptied by whoever reads the file.
  var items: [ImportedItem] { get set }
  /// A record has begun.
  mutating func begin(_ kind: Int)
  /// A record is complete.
  ///
  /// - Throws: if nothing more can be made of the file.
  mutating func end(_ kind: Int, _ record: JSONRecord) throws(ImportFault)
  /// A record cannot be taken over.
  mutating func reject(_ fault: ImportFault)
  /// The file has ended, well or not, at the position.
  mutating func finish(at position: FilePosition)
}

extension JSONRecordHandler {
  mutating func begin(_ kind: Int) {}
  mutating func finish(at position: FilePosition) {}

  mutating func reject(_ fault: ImportFault) { items.append(.rejected(fault)) }
}

/// Picks the wanted parts out of a document as it is read.
///
/// Of members with one key the last counts, whatever the first had in it; but the elements of a list that is read twice
/// are told twice.
struct JSONRecordReader<Handler: JSONRecordHandler>: JSONSink, Sendable {
  private struct Level {
    var node: Int
    var isArray: Bool
    var mark: Int
    var position: FilePosition
  }

  /// Deeper than any shape; lists may be nested without end.
  private static var deepest: Int { 32 }

  var handler: Handler
  /// The file has the part that no file of its format lacks.
  private(set) var hasRequired = false
  /// What a handler could not go on from.
  private(set) var fault: ImportFault?
  private let plan = Handler.plan
  private var record: JSONRecord
  private var levels: [Level] = []
  /// The node of the value that comes next or is being read; -1 if nobody wants it.
  private var node = 0
  private var position = FilePosition.start

  init(_ handler: Handler) {
    self.handler = handler
    record = JSONRecord(count: Handler.plan.slotCount)
  }

  /// Forgets what is open.
  mutating func reset() {
    levels.removeAll(keepingCapacity: true)
    record.forget(beyond: 0)
    record.clear(0, plan.slotCount)
  }

  /// Hands over what was found.
  mutating func give(to items: inout [ImportedItem]) {
    if items.isEmpty {
      swap(&items, &handler.items)
    } else {
      items += handler.items
      handler.items.removeAll(keepingCapacity: true)
    }
  }

  mutating func wants(_ kind: JSONKind, at position: FilePosition) -> Bool {
    guard fault == nil else { return false }
    if let level = levels.last {
      if level.isArray { node = plan.nodes[level.node].isList ? level.node : plan.nodes[level.node].element }
    } else {
      node = 0
    }
    guard node >= 0 else { return false }
    let wanted = plan.nodes[node]
    let isInList = wanted.isList && levels.last?.node == node
    if !isInList { record.clear(wanted.firstSlot, wanted.endSlot) }
    self.position = position
    switch kind {
    case .object where wanted.isObject: return true
    case .array where wanted.element >= 0: return true
    case .array where wanted.isList:
      if !isInList { record.set(wanted.slot, .array, isCut: false) }
      return levels.count < Self.deepest
    case .array, .object:
      if wanted.slot >= 0 { record.set(wanted.slot, kind, isCut: true) }
      refuse(wanted, at: position)
      return false
    default:
      refuse(wanted, at: position)
      return wanted.slot >= 0
    }
  }

  mutating func scalar(_ kind: JSONKind, _ bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) {
    let wanted = plan.nodes[node]
    if wanted.isList, levels.last?.node == node {
      record.append(wanted.slot, kind, bytes, isCut: isCut)
    } else {
      record.set(wanted.slot, kind, bytes, isCut: isCut)
    }
  }

  mutating func open(_ kind: JSONKind) {
    if plan.nodes[node].isRequired, kind == .array { hasRequired = true }
    levels.append(Level(node: node, isArray: kind == .array, mark: record.mark, position: position))
    if kind == .object, plan.nodes[node].record >= 0 { handler.begin(plan.nodes[node].record) }
  }

  mutating func key(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let level = levels.last else { return }
    let parent = plan.nodes[level.node]
    node = -1
    for index in parent.firstKey..<parent.endKey {
      let key = plan.keys[index]
      if key.count == bytes.count, isEqual(key, bytes) {
        node = key.node
        return
      }
    }
  }

  mutating func close() {
    guard let level = levels.popLast() else { return }
    let ended = plan.nodes[level.node]
    guard !level.isArray, ended.record >= 0 else { return }
    do throws(ImportFault) {
      record.position = level.position
      try handler.end(ended.record, record)
    } catch {
      fault = fault ?? error
    }
    record.clear(ended.firstSlot, ended.endSlot)
    record.forget(beyond: level.mark)
  }

  private func isEqual(_ key: JSONPlan.Key, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    for offset in 0..<key.count where plan.keyBytes[key.start + offset] != bytes[offset] { return false }
    return true
  }

  private mutating func refuse(_ node: JSONPlan.Node, at position: FilePosition) {
    guard node.record >= 0 else { return }
    handler.reject(ImportFault(at: position, "an object is expected here"))
  }
}
