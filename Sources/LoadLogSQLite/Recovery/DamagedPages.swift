import LoadLogCore

/// The pages of a store that may be damaged: those of its file, and newer ones from its write-ahead log.
struct DamagedPages {
  let file: RawFile
  let logFile: RawFile?
  let pageSize: Int
  /// The bytes of a page that SQLite uses.
  let usable: Int
  /// Whether the file looks like a SQLite database: it begins like one, or has pages of b-trees.
  let isDatabase: Bool
  private(set) var log: LogFrames?

  /// The length of the part of the file in which pages of each possible size are counted.
  private static let sample: Int64 = 4 << 20
  private static let sizes = (9...16).map { 1 << $0 }
  /// SQLite keeps its locks in the page at this offset, and nothing else.
  private static let lockOffset: Int64 = 1 << 30
  private static let magic = Array("SQLite format 3\0".utf8)
  /// A greater record was not written by LoadLog.
  private static let longestRecord = KeptOutput.most + 1 << 20

  init(_ file: RawFile, log logFile: RawFile?) {
    self.file = file
    self.logFile = logFile
    let layout = Self.layout(of: file, log: logFile)
    (pageSize, usable) = (layout.size, layout.usable)
    isDatabase = layout.pages > 0 || file.bytes(at: 0, Self.magic.count) == Self.magic
    log = logFile.flatMap { [pageSize] in LogFrames($0, pageSize: pageSize) }
  }

  /// Ignores the write-ahead log.
  mutating func ignoreLog() { log = nil }

  /// The number of the last page. A log appends pages one after another, so a greater number in it is damage.
  var count: UInt32 {
    let inFile = (file.size + Int64(pageSize) - 1) / Int64(pageSize)
    let inLog = Int64(log?.offsets.keys.max() ?? 0)
    return UInt32(clamping: max(inFile, min(inLog, inFile + Int64(log?.committed ?? 0))))
  }

  /// The number of pages that the header states, if it is in step with the file's last change.
  var statedCount: Int {
    guard let header = bytes(1), header.starts(with: Self.magic),
      header.number(at: 24, bytes: 4) == header.number(at: 92, bytes: 4)
    else {
      return 0
    }
    return Int(clamping: header.number(at: 28, bytes: 4))
  }

  /// The application and the version of the schema that the header states.
  var format: StoreFormat? {
    bytes(1).map { header in
      StoreFormat(
        applicationID: Int32(bitPattern: header.number(at: 68, bytes: 4)),
        version: Int(clamping: header.number(at: 60, bytes: 4)))
    }
  }

  /// The bytes of a page; nil if they cannot be read.
  func bytes(_ number: UInt32, withLog: Bool = true) -> [UInt8]? {
    guard number > 0 else { return nil }
    if withLog, let offset = log?.offsets[number] { return logFile?.bytes(at: offset, pageSize) }
    return file.bytes(at: Int64(number - 1) * Int64(pageSize), pageSize)
  }

  /// A page of a b-tree; nil if it cannot be read, or is none.
  func tree(_ number: UInt32, withLog: Bool = true) -> TreePage? {
    bytes(number, withLog: withLog).flatMap { TreePage($0, number: number, usable: usable) }
  }

  /// Whether SQLite never uses a page.
  func isForLocks(_ number: UInt32) -> Bool {
    Int64(number - 1) == Self.lockOffset / Int64(pageSize)
  }

  /// The whole record of a cell.
  ///
  /// - Parameters:
  ///   - budget: how many further pages may be read for long records; hostile records may share pages.
  ///   - used: receives the numbers of the pages that hold the rest of the record.
  /// - Returns: nil if the record is not complete.
  func record(
    _ cell: TreePage.Cell, of page: TreePage, budget: inout Int, used: (UInt32) -> Void = { _ in }
  ) -> [UInt8]? {
    var record = Array(page.bytes[cell.local])
    guard cell.length <= Self.longestRecord else { return nil }
    var next = cell.overflow ?? 0
    while record.count < cell.length {
      budget -= 1
      guard budget >= 0, next <= count, let bytes = bytes(next) else { return nil }
      used(next)
      record += bytes[4..<4 + min(usable - 4, cell.length - record.count)]
      next = bytes.number(at: 0, bytes: 4)
    }
    return record
  }

  private typealias Layout = (size: Int, usable: Int, pages: Int)

  /// The size of pages, and how much of it is used: as the header says, unless another size fits more pages.
  private static func layout(of file: RawFile, log: RawFile?) -> Layout {
    let head = file.bytes(at: 0, 100)
    let stated = head.map { Int($0.number(at: 16, bytes: 2)) }.map { $0 == 1 ? 65_536 : $0 } ?? 0
    let reserved = head.map { Int($0[20]) } ?? 0
    let inLog = log?.bytes(at: 8, 4).map { Int(clamping: $0.number(at: 0, bytes: 4)) } ?? 0
    var candidates = [(stated, reserved), (stated, 0), (inLog, 0), (4096, 0)].filter { sizes.contains($0.0) }
    candidates += sizes.map { ($0, 0) }
    var best: Layout = (size: 4096, usable: 4096, pages: 0)
    for (size, reserved) in candidates where size - reserved >= 480 {
      let pages = plausiblePages(of: file, size: size, usable: size - reserved)
      if pages > best.pages { best = (size, size - reserved, pages) }
    }
    return best
  }

  private static func plausiblePages(of file: RawFile, size: Int, usable: Int) -> Int {
    let count = min(file.size, sample) / Int64(size)
    return (0..<count).count { index in
      guard let bytes = file.bytes(at: index * Int64(size), size) else { return false }
      return TreePage(bytes, number: UInt32(index + 1), usable: usable)?.isPlausible ?? false
    }
  }
}
