import LoadLogCore

/// Writes whole numbers in as few bytes as they need: seven bits per byte, lowest first, with the eighth bit set if more
/// bytes follow.
struct VarintWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func write(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Writes a signed number in zigzag form: small numbers of either sign stay short.
  mutating func write(signed value: Int64) { write(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }
}

/// Reads numbers that a ``VarintWriter`` wrote. Anything else is damage.
struct VarintReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func read() throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard position < bytes.count else { throw Self.damage }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw Self.damage
  }

  mutating func readSigned() throws -> Int64 {
    let value = try read()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func readCount() throws -> Int {
    guard let count = Int(exactly: try read()) else { throw Self.damage }
    return count
  }

  static var damage: LoadLogError { Summary.damage("a summary of its loads cannot be read") }
}

extension DurationHistogram {
  /// The stored form of the histogram; nil if it is empty.
  var stored: [UInt8]? {
    guard count > 0 else { return nil }
    // Most buckets take three bytes.
    var writer = VarintWriter(capacity: 8 + 4 * buckets.count)
    writer.write(UInt64(zeroCount))
    var last = 0
    for bucket in buckets {
      writer.write(signed: Int64(bucket.index - last))
      writer.write(UInt64(bucket.count))
      last = bucket.index
    }
    return writer.bytes
  }

  /// Reads a stored histogram.
  init(stored bytes: [UInt8]?) throws {
    self.init()
    guard let bytes else { return }
    var reader = VarintReader(bytes)
    let zeroCount = try reader.readCount()
    var buckets: [Bucket] = []
    // A bucket takes at least two bytes. A damaged count must not reserve more memory than that allows.
    buckets.reserveCapacity(min(bytes.count / 2, Self.indexes.count))
    var last = 0
    while !reader.isAtEnd {
      last = last.addingClamping(Int(try reader.readSigned()))
      buckets.append(Bucket(index: last, count: try reader.readCount()))
    }
    guard let histogram = DurationHistogram(zeroCount: zeroCount, buckets: buckets) else {
      throw VarintReader.damage
    }
    self = histogram
  }
}
