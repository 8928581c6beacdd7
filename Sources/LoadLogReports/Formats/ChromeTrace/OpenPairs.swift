/// Starts that wait for their end. An end takes the newest start of a group (a thread or an id), or the
/// newest with a name within its group.
///
/// Every operation takes constant time. The caller abandons the oldest starts while there are more than
/// ``capacity``, or while their texts take more than ``mostBytes``.
struct OpenPairs<Value: Sendable>: Sendable {
  private struct Slot {
    var value: Value?
    var bytes = 0
    var group: UInt128 = 0
    var name: UInt128 = 0
  }

  private struct Links {
    var older: Int32 = -1, newer: Int32 = -1
  }

  private let capacity: Int
  private let mostBytes: Int
  private var slots: [Slot] = []
  /// Neighbours of each slot in three linked lists: all starts, those of its group, and those of its name in
  /// the group.
  private var all: [Links] = [], inGroup: [Links] = [], ofName: [Links] = []
  private var free: [Int32] = []
  private var oldest: Int32 = -1, newest: Int32 = -1
  private var newestInGroup: [UInt128: Int32] = [:], newestOfName: [UInt128: Int32] = [:]
  /// Number of waiting starts.
  private(set) var count = 0
  private var bytes = 0

  init(capacity: Int = 1 << 14, mostBytes: Int = 1 << 22) {
    self.capacity = capacity
    self.mostBytes = mostBytes
  }

  /// Adds a start.
  ///
  /// - Parameters:
  ///   - group: hash of the fields that a start shares with its end.
  ///   - name: hash of the same fields and the name.
  ///   - bytes: length of the texts in `value`, in bytes.
  mutating func open(_ value: Value, group: UInt128, name: UInt128, bytes: Int) {
    if slots.isEmpty { reserve() }
    let index = emptySlot()
    slots[Int(index)] = Slot(value: value, bytes: bytes, group: group, name: name)
    Self.link(index, behind: newest, in: &all)
    Self.link(index, behind: newestInGroup.updateValue(index, forKey: group) ?? -1, in: &inGroup)
    Self.link(index, behind: newestOfName.updateValue(index, forKey: name) ?? -1, in: &ofName)
    newest = index
    if oldest < 0 { oldest = index }
    count += 1
    self.bytes += bytes
  }

  /// Removes and returns the newest start with a name.
  mutating func close(name: UInt128) -> Value? { newestOfName[name].flatMap { take($0) } }

  /// Removes and returns the newest start of a group.
  mutating func close(group: UInt128) -> Value? { newestInGroup[group].flatMap { take($0) } }

  /// Removes and returns the oldest start if a limit is exceeded.
  mutating func takeSurplus() -> Value? { count > capacity || bytes > mostBytes ? takeOldest() : nil }

  /// Removes and returns the oldest start.
  mutating func takeOldest() -> Value? { oldest < 0 ? nil : take(oldest) }

  /// Reserves address space for the maximum. The pages take memory only when they are written to, whereas
  /// growing arrays would leave their old buffers behind.
  private mutating func reserve() {
    slots.reserveCapacity(capacity + 1)
    all.reserveCapacity(capacity + 1)
    inGroup.reserveCapacity(capacity + 1)
    ofName.reserveCapacity(capacity + 1)
    newestInGroup.reserveCapacity(capacity + 1)
    newestOfName.reserveCapacity(capacity + 1)
  }

  private mutating func emptySlot() -> Int32 {
    if let index = free.popLast() { return index }
    slots.append(Slot())
    all.append(Links())
    inGroup.append(Links())
    ofName.append(Links())
    return Int32(slots.count - 1)
  }

  private mutating func take(_ index: Int32) -> Value? {
    let slot = slots[Int(index)]
    slots[Int(index)] = Slot()
    free.append(index)
    count -= 1
    bytes -= slot.bytes
    let neighbours = Self.unlink(index, in: &all)
    if neighbours.newer < 0 { newest = neighbours.older }
    if neighbours.older < 0 { oldest = neighbours.newer }
    let inGroup = Self.unlink(index, in: &inGroup)
    if inGroup.newer < 0 { newestInGroup[slot.group] = inGroup.older < 0 ? nil : inGroup.older }
    let ofName = Self.unlink(index, in: &ofName)
    if ofName.newer < 0 { newestOfName[slot.name] = ofName.older < 0 ? nil : ofName.older }
    return slot.value
  }

  private static func link(_ index: Int32, behind older: Int32, in links: inout [Links]) {
    links[Int(index)] = Links(older: older, newer: -1)
    if older >= 0 { links[Int(older)].newer = index }
  }

  private static func unlink(_ index: Int32, in links: inout [Links]) -> Links {
    let neighbours = links[Int(index)]
    if neighbours.older >= 0 { links[Int(neighbours.older)].newer = neighbours.newer }
    if neighbours.newer >= 0 { links[Int(neighbours.newer)].older = neighbours.older }
    return neighbours
  }
}
