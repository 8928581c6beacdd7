package import LoadLogCore

/// The last bytes of a stream, in bounded memory.
package struct OutputRing: Sendable {
  /// The number of bytes that are kept.
  private let limit: Int
  private var bytes: [UInt8] = []
  /// Where the next byte goes, once the ring is full.
  private var next = 0
  /// The number of bytes of the stream so far.
  package private(set) var total: Int64 = 0

  /// Creates a ring that keeps some bytes.
  package init(_ limit: Int) { self.limit = limit }

  /// One more than what is kept: the byte before shows whether a line begins after it.
  private var capacity: Int { limit + 1 }

  /// Adds the next bytes of the stream.
  package mutating func append(_ new: UnsafeRawBufferPointer) {
    total += Int64(new.count)
    var rest = UnsafeRawBufferPointer(rebasing: new.suffix(capacity))
    let room = min(rest.count, capacity - bytes.count)
    bytes.append(contentsOf: rest.prefix(room))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(room))
    while !rest.isEmpty {
      let part = min(rest.count, capacity - next)
      bytes.withUnsafeMutableBytes { ring in
        UnsafeMutableRawBufferPointer(rebasing: ring[next..<next + part])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(part)))
      }
      next = (next + part) % capacity
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part))
    }
  }

  /// The last bytes, from the beginning of a line; in the middle of one only if that line alone is longer than what is
  /// kept.
  package var kept: KeptOutput {
    guard total > Int64(limit) else { return KeptOutput(total: total, bytes: bytes) }
    let all = bytes[next...] + bytes[..<next]
    let lineEnd = all.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? all.endIndex
    let start = lineEnd < all.endIndex ? lineEnd : all.startIndex + 1
    return KeptOutput(total: total, bytes: Array(all[start...]))
  }
}
