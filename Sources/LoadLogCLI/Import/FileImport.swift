import LoadLog
package import LoadLogCore
package import LoadLogReports
import Synchronization

/// Imports the records of a file into a store.
final class FileImport: Sendable {
  /// The format in which the file is read.
  let format: ImportFormat
  private let input: InputFile
  private let reading: Mutex<Reading>

  /// Maximum number of pieces read ahead: 4 MB, the size of one transaction.
  private static let piecesAhead = 16

  /// Reads the beginning of a file.
  ///
  /// - Parameters:
  ///   - input: the file.
  ///   - format: its format; nil to detect it.
  ///   - options: how to read it.
  /// - Throws: `notFound` if the format is unknown, or the file cannot be in any; `io`.
  init(_ input: InputFile, format: ImportFormat?, _ options: ImportOptions) throws(LoadLogError) {
    let first = try Reading(input, format: format, options)
    self.input = input
    self.format = first.format
    reading = Mutex(first)
  }

  /// Whether the file contains times that were counted from the epoch of the options; known once it was read.
  var hasRelativeTimes: Bool { reading.withLock { $0.hasRelativeTimes } }

  /// Imports the file. Blocks the thread.
  ///
  /// - Parameters:
  ///   - store: the store's path.
  ///   - creating: whether the store is created if there is none.
  ///   - progress: gets what to show of the progress, each time that something was written.
  /// - Returns: the numbers of imported, skipped and rejected items.
  /// - Throws: what reading the file and writing to the store throws.
  func run(
    into store: String, creating: Bool, progress: (() -> String) -> Void = { _ in }
  ) throws -> ImportResult {
    let target = try StoreImport(
      into: StoreOptions.url(of: store), source: format.rawValue, creating: creating)
    // Who imports into a store that must be there learns that it is not, whatever the file holds.
    if !creating { try target.open() }
    // Writing takes longer than reading, so a thread reads the next pieces while this one writes.
    let pieces = ReadAhead(Self.piecesAhead) { [self] () throws(LoadLogError) in
      try reading.withLock { reading throws(LoadLogError) in try reading.next() }
    }
    while var piece = try pieces.next() {
      do {
        try target.add(&piece.items)
      } catch {
        // The thread ends when it is at the end, and has room for what it has read. It may wait for the next bytes of
        // a pipe, which end with this process.
        if input.size != nil {
          reading.withLock { $0.isAtEnd = true }
          while (try? pieces.next()) != nil {}
        }
        throw error
      }
      progress { piece.progress(of: input, target.result) }
    }
    var none: [ImportedItem] = []
    return try target.finish(&none)
  }
}

extension FileImport {
  /// The items of one read.
  private struct Piece: Sendable {
    var items: [ImportedItem]
    /// Number of bytes read from the file, including this piece.
    let bytesRead: Int

    /// "importing page.har: 12.3 MB of 45.0 MB, 27 %, 34211 loads"
    func progress(of input: InputFile, _ result: ImportResult) -> String {
      let done = Int64(bytesRead)
      let size = input.size.map { $0 > 0 ? " of \(ByteText.text($0)), \(done * 100 / $0) %" : "" } ?? ""
      return "importing \(input.title): \(ByteText.text(done))\(size), \(result.loads + result.skipped) loads"
    }
  }

  /// Runs a file through an importer, one piece at a time.
  private struct Reading: Sendable {
    let format: ImportFormat
    private let input: InputFile
    private var importer: any LoadImporter
    private var buffer: [UInt8]
    private var count: Int
    fileprivate(set) var isAtEnd = false

    /// Reads the beginning of the file and detects its format.
    init(_ input: InputFile, format: ImportFormat?, _ options: ImportOptions) throws(LoadLogError) {
      self.input = input
      buffer = [UInt8](repeating: 0, count: 4 * ImportFormat.headLength)
      count = 0
      while count < ImportFormat.headLength {
        let read = try input.read(into: &buffer, from: count)
        if read == 0 { break }
        count += read
      }
      let head = buffer[..<min(count, ImportFormat.headLength)]
      if let (why, advice) = Self.obstacle(head) { throw Self.refusal(of: input.name, why, advice) }
      guard let found = format ?? ImportFormat.guess(name: input.name, head: head) else {
        throw head.isEmpty
          ? Self.refusal(of: input.name, "it is empty", nil)
          : Self.refusal(
            of: input.name, "its beginning matches no format that loadlog can read",
            "Name the format with --format: ndjson, chrome-trace, otlp or har.")
      }
      self.format = found
      importer = try found.importer(options)
    }

    var hasRelativeTimes: Bool { importer.hasRelativeTimes }

    /// Why a file with this beginning is not in any format, whatever its name says, and what to do about it.
    private static func obstacle(_ head: some Collection<UInt8>) -> (why: String, advice: String)? {
      if head.starts(with: [0x1F, 0x8B]) {
        return ("it is compressed", "Decompress it first: gunzip -c FILE | loadlog import -.")
      }
      if head.starts(with: "SQLite format 3\0".utf8) {
        return (
          "it is a database",
          "If it is a store, import its export: loadlog export --db FILE | loadlog import -."
        )
      }
      if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
        return ("it is UTF-16 text", "Convert it first: iconv -f UTF-16 -t UTF-8 FILE | loadlog import -.")
      }
      return nil
    }

    private static func refusal(of name: String, _ why: String, _ advice: String?) -> LoadLogError {
      InputFile.error(.notFound, "cannot import", name, "\(FilePosition.start): \(why)", advice: advice)
    }

    /// Reads the next piece; nil at the end.
    mutating func next() throws(LoadLogError) -> Piece? {
      guard !isAtEnd else { return nil }
      var items: [ImportedItem] = []
      buffer.withUnsafeBytes { importer.read(UnsafeRawBufferPointer(rebasing: $0[..<count]), into: &items) }
      count = importer.isFaulty ? 0 : try input.read(into: &buffer)
      if count == 0 {
        isAtEnd = true
        importer.finish(into: &items)
      }
      return Piece(items: items, bytesRead: importer.bytesRead)
    }
  }
}

/// Imports what a request brings.
package enum ImportAnswer {
  /// What `import` prints with `--json`.
  ///
  /// - Parameters:
  ///   - file: the records.
  ///   - format: their format.
  ///   - store: the store's path. It must exist: what came while a store is missing would hide in a new one.
  /// - Returns: the answer, and the numbers in it.
  /// - Throws: what reading the file and writing to the store throws.
  package static func json(
    _ file: TemporaryFile, as format: ImportFormat, into store: String
  ) throws -> (bytes: [UInt8], result: ImportResult) {
    let source = try FileImport(InputFile(file, named: "-"), format: format, ImportOptions())
    let result = try source.run(into: store, creating: false)
    let head = JSONHead(generated: BootClock().now().wall, store: store)
    let report = ImportReport(result, file: "-", format: format, head: head)
    return (Array((report.json().text() + "\n").utf8), result)
  }
}
