/// The wanted parts of a document, and where their values go.
///
///     let shape = JSONShape.object([
///       "log": .object(["entries": .required(.array(.record(0, ["time": .field(Field.time)])))])
///     ])
@usableFromInline
package indirect enum JSONShape: Sendable {
  /// Members of an object by their keys.
  @usableFromInline
  package struct Members: ExpressibleByDictionaryLiteral, Sendable {
    let all: [(key: String, shape: JSONShape)]

    @usableFromInline
    package init(_ all: [(key: String, shape: JSONShape)]) { self.all = all }

    @usableFromInline
    package init(dictionaryLiteral elements: (String, JSONShape)...) {
      self.init(elements.map { (key: $0.0, shape: $0.1) })
    }
  }

  /// A single value of the record.
  case field(any JSONField)
  /// The numbers of a list, and of the lists in it, kept as one value with commas between them.
  case list(any JSONField)
  /// Some members of an object.
  case object(Members)
  /// Some members of an object that is a record; the number says which kind of record.
  case record(Int, Members)
  /// Each element of a list.
  case array(JSONShape)
  /// A list here, an object there.
  case either(array: JSONShape, object: Members)
  /// A list without which the file is of another format.
  case required(JSONShape)
}

/// A shape as flat tables, for speed.
@usableFromInline
package struct JSONPlan: Sendable {
  @usableFromInline
  package struct Node: Sendable {
    @usableFromInline package var slot = -1
    @usableFromInline package var isList = false
    @usableFromInline package var isObject = false
    @usableFromInline package var isRequired = false
    @usableFromInline package var record = -1
    /// The node of a list's elements.
    @usableFromInline package var element = -1
    /// The members, in `keys`.
    @usableFromInline package var firstKey = 0, endKey = 0
    /// The slots of this node and of those below it.
    @usableFromInline package var firstSlot = Int.max, endSlot = 0
  }

  @usableFromInline
  package struct Key: Sendable {
    @usableFromInline package var start: Int
    @usableFromInline package var count: Int
    @usableFromInline package var node: Int
  }

  @usableFromInline package private(set) var nodes: [Node] = []
  @usableFromInline package private(set) var keys: [Key] = []
  @usableFromInline package private(set) var keyBytes: [UInt8] = []
  @usableFromInline package private(set) var slotCount = 0

  @usableFromInline
  package init(_ shape: JSONShape) {
    nodes.append(Node())
    fill(0, with: shape)
    slotCount = nodes[0].firstSlot == .max ? 0 : nodes[0].endSlot
  }

  private mutating func fill(_ node: Int, with shape: JSONShape) {
    switch shape {
    case .field(let field), .list(let field):
      let slot = field.rawValue
      nodes[node].slot = slot
      if case .list = shape { nodes[node].isList = true }
      includeSlots(in: node, from: slot, to: slot + 1)
    case .object(let members): fill(node, with: members)
    case .record(let record, let members):
      nodes[node].record = record
      fill(node, with: members)
    case .array(let element): fill(node, element: element)
    case .either(let element, let members):
      fill(node, element: element)
      fill(node, with: members)
    case .required(let shape):
      nodes[node].isRequired = true
      fill(node, with: shape)
    }
  }

  private mutating func fill(_ node: Int, element: JSONShape) {
    nodes[node].element = add(element, to: node)
  }

  private mutating func fill(_ node: Int, with members: JSONShape.Members) {
    let children = members.all.map { (key: $0.key, node: add($0.shape, to: node)) }
    nodes[node].isObject = true
    nodes[node].firstKey = keys.count
    for child in children {
      keys.append(Key(start: keyBytes.count, count: child.key.utf8.count, node: child.node))
      keyBytes += child.key.utf8
    }
    nodes[node].endKey = keys.count
  }

  private mutating func add(_ shape: JSONShape, to parent: Int) -> Int {
    let node = nodes.count
    nodes.append(Node())
    fill(node, with: shape)
    includeSlots(in: parent, from: nodes[node].firstSlot, to: nodes[node].endSlot)
    return node
  }

  private mutating func includeSlots(in node: Int, from first: Int, to end: Int) {
    nodes[node].firstSlot = min(nodes[node].firstSlot, first)
    nodes[node].endSlot = max(nodes[node].endSlot, end)
  }
}
