public import ArgumentParser
import Foundation
import LoadLog
import LoadLogCore
public import LoadLogReports
import Synchronization

/// `import`: adds loads that other tools or stores have recorded.
struct ImportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import loads from a file: LoadLog's ndjson, HAR, a Chrome trace or OTLP.",
    discussion: """
      The format is detected from the file's name and beginning; if that fails, name it with --format. Loads that the \
      store has already are skipped, so an import may be repeated: if a file was cut short, import the whole file to \
      finish the loads that are open. Records that cannot be imported are reported with their place in the file, and \
      import exits 1; all others are kept.

      Pruned loads do not come back. If loads of a feed were pruned on a day, import skips the loads of that feed and \
      day that the store does not have. If any loads were pruned on a day, import skips that day's finishes without a \
      start. It reports the number of skipped loads.

      If apps or loadlog run record in a store, it keeps loads for 90 days, unless the store or the app has another \
      limit. Older loads that were imported are deleted after the next load is recorded there; only their counts, dates and \
      histograms stay. To keep old loads, import them into a store of their own, --db old.db, or let the store keep all \
      loads: loadlog prune --keep all --by-default.

      Example:

        loadlog import page.har --feed-by url
        loadlog import trace.json --epoch 2026-11-20T09:00:00Z
        gunzip -c loads.ndjson.gz | loadlog import -
        loadlog export reviews | loadlog import - --db copy.db
      """)

  @Argument(
    help: ArgumentHelp("The file to import; - is standard input.", valueName: "file"), completion: .file())
  var file: String

  @Option(help: "The file's format: ndjson, chrome-trace, otlp or har.")
  var format: ImportFormat?

  @Option(
    help: ArgumentHelp(
      "What becomes the feed. har: host or url; chrome-trace: name or cat; otlp: name or service.",
      valueName: "what"))
  var feedBy: FeedSource?

  @Option(
    help: ArgumentHelp(
      "The time that relative times of a trace count from (default: when the file was modified).",
      valueName: "time"))
  var epoch: String?

  @Flag(help: "Print JSON, with times in UTC.")
  var json = false

  @OptionGroup var store: StoreOptions

  func run() throws {
    let now = BootClock().now().wall
    let path = try store.path()
    var options = ImportOptions(feedSource: feedBy)
    options.epoch = try epoch.map { text throws(LoadLogError) in
      try TimeExpression(now: now).microseconds(text)
    }
    _ = try format?.importer(options)
    let input = try InputFile(file, besides: path)
    options.epoch = options.epoch ?? input.modified
    store.remark("store \(VisibleText.quoted(path))")

    let first = try Reading(input, format: self.format, options)
    let format = first.format
    let target = try StoreImport(into: StoreOptions.url(of: path), source: format.rawValue)
    var progress = ProgressLine(isQuiet: store.quiet)
    defer { progress.wipe() }
    // Writing takes longer than reading, so a thread reads the next pieces while this one writes.
    let reading = Mutex(first)
    let pieces = ReadAhead(Self.piecesAhead) { () throws(LoadLogError) in
      try reading.withLock { reading throws(LoadLogError) in try reading.next() }
    }
    while var piece = try pieces.next() {
      try target.add(&piece.items)
      progress.show { piece.progress(of: input, target.result) }
    }
    var none: [ImportedItem] = []
    let result = try target.finish(&none)
    progress.wipe()
    let head = JSONHead(generated: now, store: path)
    let report = ImportReport(
      result, file: file, format: format,
      assumedEpoch: epoch == nil && reading.withLock({ $0.hasRelativeTimes }) ? options.epoch : nil,
      head: head)
    if !store.quiet { report.remarks(zone: .current).forEach(Output.note) }
    report.complaints.forEach(Output.note)
    try Output.write((json ? report.json().text() : report.text) + "\n")
    if !result.isComplete { throw ExitCode(Ending.refused) }
  }
}

extension ImportVerb {
  /// Maximum number of pieces read ahead: 4 MB, the size of one transaction.
  private static let piecesAhead = 16

  /// The items of one read.
  private struct Piece: Sendable {
    var items: [ImportedItem]
    /// Number of bytes read from the file, including this piece.
    let bytesRead: Int

    /// "importing page.har: 12.3 MB of 45.0 MB, 27 %, 34211 loads"
    func progress(of input: InputFile, _ result: ImportResult) -> String {
      let done = Int64(bytesRead)
      let size = input.size.map { $0 > 0 ? " of \(ByteText.text($0)), \(done * 100 / $0) %" : "" } ?? ""
      return "importing \(input.name): \(ByteText.text(done))\(size), \(result.loads + result.skipped) loads"
    }
  }

  /// Runs a file through an importer, one piece at a time.
  private struct Reading: Sendable {
    let format: ImportFormat
    private let input: InputFile
    private var importer: any LoadImporter
    private var buffer: [UInt8]
    private var count: Int
    private var isAtEnd = false

    /// Reads the beginning of the file and detects its format.
    init(_ input: InputFile, format: ImportFormat?, _ options: ImportOptions) throws(LoadLogError) {
      self.input = input
      buffer = [UInt8](repeating: 0, count: 4 * ImportFormat.headLength)
      count = 0
      while count < ImportFormat.headLength {
        let read = try Self.read(input, into: &buffer, from: count)
        if read == 0 { break }
        count += read
      }
      let head = buffer[..<min(count, ImportFormat.headLength)]
      guard let found = format ?? ImportFormat.guess(name: input.name, head: head) else {
        throw Self.refusal(of: input.name, head)
      }
      self.format = found
      importer = try found.importer(options)
    }

    var hasRelativeTimes: Bool { importer.hasRelativeTimes }

    private static func refusal(of name: String, _ head: some Collection<UInt8>) -> LoadLogError {
      let (why, advice) =
        if head.isEmpty {
          ("it is empty", String?.none)
        } else if head.starts(with: [0x1F, 0x8B]) {
          ("it is compressed", "Decompress it first: gunzip -c FILE | loadlog import -.")
        } else if head.starts(with: Array("SQLite format 3\0".utf8)) {
          (
            "it is a database",
            "If it is a store, import its export: loadlog export --db FILE | loadlog import -."
          )
        } else {
          (
            "its beginning matches no format that loadlog can read",
            "Name the format with --format: ndjson, chrome-trace, otlp or har."
          )
        }
      return LoadLogError(
        .notFound, what: "cannot import", value: name, why: "\(FilePosition.start): \(why)", advice: advice)
    }

    /// Reads the next piece; nil at the end.
    mutating func next() throws(LoadLogError) -> Piece? {
      guard !isAtEnd else { return nil }
      var items: [ImportedItem] = []
      buffer.withUnsafeBytes { importer.read(UnsafeRawBufferPointer(rebasing: $0[..<count]), into: &items) }
      count = importer.isFaulty ? 0 : try Self.read(input, into: &buffer, from: 0)
      if count == 0 {
        isAtEnd = true
        importer.finish(into: &items)
      }
      return Piece(items: items, bytesRead: importer.bytesRead)
    }

    private static func read(
      _ input: InputFile, into buffer: inout [UInt8], from start: Int
    ) throws(LoadLogError) -> Int {
      let read: Result<Int, LoadLogError> = buffer.withUnsafeMutableBytes { bytes in
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
        return Result { () throws(LoadLogError) in try input.read(into: rest) }
      }
      return try read.get()
    }
  }
}

extension ImportFormat: ExpressibleByArgument {}
extension FeedSource: ExpressibleByArgument {}
