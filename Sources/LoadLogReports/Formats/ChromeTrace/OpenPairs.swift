/// Beginnings that wait for their end: of a group (a thread, an id) the newest, or the newest of a name.
///
/// Every operation takes the same time, however many wait. There is room for ``capacity`` of them and for
/// ``mostBytes`` of their texts; beyond, the oldest is given back.
struct OpenPairs<Value: Sendable>: Sendable {
  private struct Slot {
    var value: Value?
    var bytes = 0
    var group: UInt128 = 0
    var name: UInt128 = 0
    /// Neighbours among all, in the group, and of the same name in the group.
    var all = Links(), inGroup = Links(), ofName = Links()
  }

  private struct Links {
    var older: Int32 = -1, newer: Int32 = -1
  }

  private let capacity: Int
  private let mostBytes: Int
  private var slots: [Slot] = []
  private var free: [Int32] = []
  private var oldest: Int32 = -1, newest: Int32 = -1
  private var newestInGroup: [UInt128: Int32] = [:]
  private var newestOfName: [UInt128: Int32] = [:]
  private var count = 0
  private var bytes = 0

  init(capacity: Int = 1 << 16, mostBytes: Int = 1 << 24) {
    self.capacity = capacity
    self.mostBytes = mostBytes
  }

  /// Adds a beginning.
  ///
  /// - Parameters:
  ///   - group: a hash of what it shares with its end.
  ///   - name: a hash of the same and of its name.
  ///   - bytes: how long its texts are.
  mutating func open(_ value: Value, group: UInt128, name: UInt128, bytes: Int) {
    let index: Int32
    if let reused = free.popLast() {
      index = reused
    } else {
      index = Int32(slots.count)
      slots.append(Slot())
    }
    var slot = Slot(value: value, bytes: bytes, group: group, name: name)
    slot.all.older = newest
    slot.inGroup.older = newestInGroup.updateValue(index, forKey: group) ?? -1
    slot.ofName.older = newestOfName.updateValue(index, forKey: name) ?? -1
    if newest >= 0 { slots[Int(newest)].all.newer = index } else { oldest = index }
    if slot.inGroup.older >= 0 { slots[Int(slot.inGroup.older)].inGroup.newer = index }
    if slot.ofName.older >= 0 { slots[Int(slot.ofName.older)].ofName.newer = index }
    newest = index
    slots[Int(index)] = slot
    count += 1
    self.bytes += bytes
  }

  /// Takes the newest of a name.
  mutating func close(name: UInt128) -> Value? { newestOfName[name].flatMap { take($0) } }

  /// Takes the newest of a group.
  mutating func close(group: UInt128) -> Value? { newestInGroup[group].flatMap { take($0) } }

  /// Takes the oldest, if there are more than fit.
  mutating func takeSurplus() -> Value? { count > capacity || bytes > mostBytes ? takeOldest() : nil }

  /// Takes the oldest of all.
  mutating func takeOldest() -> Value? { take(oldest) }

  private mutating func take(_ index: Int32) -> Value? {
    guard index >= 0 else { return nil }
    let slot = slots[Int(index)]
    slots[Int(index)] = Slot()
    free.append(index)
    count -= 1
    bytes -= slot.bytes
    unlink(slot.all, \.all)
    unlink(slot.inGroup, \.inGroup)
    unlink(slot.ofName, \.ofName)
    if slot.all.newer < 0 { newest = slot.all.older }
    if slot.all.older < 0 { oldest = slot.all.newer }
    if slot.inGroup.newer < 0 { Self.setNewest(slot.inGroup.older, of: slot.group, in: &newestInGroup) }
    if slot.ofName.newer < 0 { Self.setNewest(slot.ofName.older, of: slot.name, in: &newestOfName) }
    return slot.value
  }

  private mutating func unlink(_ links: Links, _ path: WritableKeyPath<Slot, Links>) {
    if links.older >= 0 { slots[Int(links.older)][keyPath: path].newer = links.newer }
    if links.newer >= 0 { slots[Int(links.newer)][keyPath: path].older = links.older }
  }

  private static func setNewest(_ index: Int32, of key: UInt128, in table: inout [UInt128: Int32]) {
    table[key] = index >= 0 ? index : nil
  }
}
