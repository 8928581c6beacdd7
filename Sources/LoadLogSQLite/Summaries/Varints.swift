import LoadLogCore

/// Whole numbers in as few bytes as they need: seven bits a byte, lowest first, the eighth set if more follow.
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

  /// A signed number, zigzag: small ones of either sign stay short.
  mutating func write(signed value: Int64) { write(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }
}

/// Reads what a ``VarintWriter`` has written; what else it finds is damage.
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
  /// The histogram as a store keeps it; nil if it is empty.
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
    // Each takes two bytes at least; what holds more than there are is damage, and gets no memory for it.
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

extension [DepthSweep.Open] {
  /// Open intervals as a store keeps them; nil if there is none.
  var stored: [UInt8]? {
    guard !isEmpty else { return nil }
    var writer = VarintWriter()
    for interval in self {
      writer.write(UInt64(bitPattern: interval.key))
      writer.write(signed: interval.start)
      // What is open has a length.
      let length = interval.end.subtractingClamping(interval.start)
      writer.write(interval.end == .max ? 0 : UInt64(clamping: length))
    }
    return writer.bytes
  }

  /// Reads stored intervals.
  init(stored bytes: [UInt8]?) throws {
    self = []
    guard let bytes else { return }
    var reader = VarintReader(bytes)
    while !reader.isAtEnd {
      let key = Int64(bitPattern: try reader.read())
      let start = try reader.readSigned()
      let length = Int64(truncatingIfNeeded: try reader.readCount())
      append(
        DepthSweep.Open(key: key, start: start, end: length == 0 ? .max : start.addingClamping(length)))
    }
  }
}
