/// The committed pages of a write-ahead log, https://sqlite.org/walformat.html.
///
/// SQLite ends reading at the first frame whose checksum is wrong. The checksum of a frame continues that of the frame
/// before it, which is stored there, so the frames behind a damaged one can be verified, too: what they hold was
/// committed, and may be saved.
struct LogFrames {
  /// The offset in the log of the newest committed version of each page.
  let offsets: [UInt32: Int64]
  /// The number of frames that hold committed pages.
  let committed: Int
  /// The number of frames before the last committed one that cannot be verified.
  let damaged: Int
  let pageSize: Int

  static let header = 32
  static let frameHeader = 24
  private static let version: UInt32 = 3_007_000
  /// The magic number; the next greater one means that checksums read words as big-endian.
  private static let magic: UInt32 = 0x377F_0682

  private struct Checksum: Equatable {
    var first: UInt32 = 0
    var second: UInt32 = 0

    init() {}

    init(_ bytes: [UInt8], at index: Int) {
      first = bytes.number(at: index, bytes: 4)
      second = bytes.number(at: index + 4, bytes: 4)
    }

    mutating func add(_ bytes: [UInt8], _ range: Range<Int>, isBigEndian: Bool) {
      bytes.withUnsafeBytes { bytes in
        func word(at index: Int) -> UInt32 {
          let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
          return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }
        for index in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
          first = first &+ word(at: index) &+ second
          second = second &+ word(at: index + 4) &+ first
        }
      }
    }
  }

  /// Reads the log of a store.
  ///
  /// - Parameters:
  ///   - pageSize: the size of the store's pages.
  ///   - onlyFirst: whether to read no further than the first commit.
  /// - Returns: nil if it holds no committed page of that size.
  init?(_ file: RawFile, pageSize: Int, onlyFirst: Bool = false) {
    guard let head = file.bytes(at: 0, Self.header) else { return nil }
    let magic = head.number(at: 0, bytes: 4)
    let isKnown = magic & ~1 == Self.magic && head.number(at: 4, bytes: 4) == Self.version
    // If the header is damaged, the first frame has its salts.
    guard let frame = file.bytes(at: Int64(Self.header), Self.frameHeader) else { return nil }
    for isBigEndian in isKnown ? [magic & 1 == 1] : [false, true] {
      var sum = Checksum()
      sum.add(head, 0..<24, isBigEndian: isBigEndian)
      let isSound = isKnown && sum == Checksum(head, at: 24)
      guard !isSound || head.number(at: 8, bytes: 4) == UInt32(pageSize) else { return nil }
      let salts = isSound ? Array(head[16..<24]) : Array(frame[8..<16])
      self.init(
        file, pageSize: pageSize, salts: salts, before: isSound ? sum : nil, isBigEndian: isBigEndian,
        onlyFirst: onlyFirst)
      if committed > 0 { return }
    }
    return nil
  }

  private init(
    _ file: RawFile, pageSize: Int, salts: [UInt8], before first: Checksum?, isBigEndian: Bool,
    onlyFirst: Bool
  ) {
    var (offsets, waiting): ([UInt32: Int64], [UInt32: Int64]) = ([:], [:])
    var (committed, damaged, waitingCount, waitingDamage) = (0, 0, 0, 0)
    // The checksum so far, as computed and as stored: damage in a frame's content spoils the one, damage in its header
    // the other.
    var chains: [Checksum] = first.map { [$0] } ?? []
    var at = Int64(Self.header)
    while committed == 0 || !onlyFirst, let head = file.bytes(at: at, Self.frameHeader),
      let page = file.bytes(at: at + Int64(Self.frameHeader), pageSize)
    {
      let stored = Checksum(head, at: 16)
      let computed = chains.map { chain in
        var sum = chain
        sum.add(head, 0..<8, isBigEndian: isBigEndian)
        sum.add(page, 0..<pageSize, isBigEndian: isBigEndian)
        return sum
      }
      let number = head.number(at: 0, bytes: 4)
      if Array(head[8..<16]) == salts, computed.contains(stored), number > 0 {
        waiting[number] = at + Int64(Self.frameHeader)
        waitingCount += 1
        if head.number(at: 4, bytes: 4) != 0 {
          offsets.merge(waiting) { $1 }
          committed += waitingCount
          damaged += waitingDamage
          (waiting, waitingCount, waitingDamage) = ([:], 0, 0)
        }
      } else {
        waitingDamage += 1
      }
      chains = computed.contains(stored) ? [stored] : computed.prefix(1) + [stored]
      at += Int64(Self.frameHeader + pageSize)
    }
    (self.offsets, self.committed, self.damaged, self.pageSize) = (offsets, committed, damaged, pageSize)
  }
}
