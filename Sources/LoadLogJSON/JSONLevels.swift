/// The open arrays and objects, one bit each.
@usableFromInline
package struct JSONLevels: Sendable {
  @usableFromInline package private(set) var depth = 0
  /// Whether the innermost one is an object.
  @usableFromInline package private(set) var isObject = false
  private var bits: [UInt64] = []

  @usableFromInline
  package init() {}

  /// Opens an array or object; returns false if too many are open.
  @usableFromInline
  package mutating func push(isObject: Bool) -> Bool {
    guard depth < JSONTokenizer.deepest else { return false }
    if depth & 63 == 0, depth >> 6 == bits.count { bits.append(0) }
    let bit: UInt64 = 1 << UInt64(depth & 63)
    if isObject { bits[depth >> 6] |= bit } else { bits[depth >> 6] &= ~bit }
    depth += 1
    self.isObject = isObject
    return true
  }

  @usableFromInline
  package mutating func removeAll() {
    depth = 0
    isObject = false
  }

  @usableFromInline
  package mutating func pop() {
    depth -= 1
    guard depth > 0 else {
      isObject = false
      return
    }
    isObject = bits[(depth - 1) >> 6] >> UInt64((depth - 1) & 63) & 1 == 1
  }
}
