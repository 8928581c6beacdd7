import Foundation
import LoadLogCore
import LoadLogReports
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// A store and the means to import files into it.
struct ImportBench {
  let store: StoreBench

  init(_ store: StoreBench? = nil) throws { self.store = try store ?? StoreBench() }

  /// Imports a file. In ndjson, "HH:MM:SS" means that time on 20 November 2026, and "@1" means an id.
  @discardableResult
  func take(
    _ text: String, _ format: ImportFormat = .ndjson, by source: FeedSource? = nil
  ) throws -> ImportResult {
    try take(bytes: Array(Self.spelledOut(text).utf8), format, by: source)
  }

  func take(bytes: [UInt8], _ format: ImportFormat, by source: FeedSource? = nil) throws -> ImportResult {
    var importer = try format.importer(ImportOptions(feedSource: source, epoch: Self.wall("00:00:00")))
    var items: [ImportedItem] = []
    bytes.withUnsafeBytes { importer.read($0, into: &items) }
    importer.finish(into: &items)
    return try take(&items, source: format.rawValue)
  }

  /// Imports items directly, including those that no file can contain.
  func take(_ items: inout [ImportedItem], source: String = "ndjson") throws -> ImportResult {
    let target = try StoreImport(
      into: store.place.url, source: source, processes: store.processes, clock: store.clock)
    return try target.finish(&items)
  }

  /// Returns the lines of an export without owners, whose lines contain the time of the import.
  func lines() throws -> [String] {
    let export = try StoreExport(at: store.path, processes: store.processes, clock: store.clock)
    var lines: [String] = []
    while let page = try export.nextLines() {
      for line in page {
        if case .owner = line { continue }
        var bytes: [UInt8] = []
        line.append(to: &bytes)
        lines.append(String(decoding: bytes, as: UTF8.self))
      }
    }
    return lines
  }

  func loads(_ feed: FeedPattern...) throws -> [LoadingSession] {
    var filter = LoadFilter(feeds: feed)
    filter.oldestFirst = true
    return try store.reader().history(filter).loads
  }

  func status() throws -> StatusSummary { try store.reader().status(LoadFilter(), runningLimit: nil) }

  func numbers(of feed: Feed) throws -> LoadNumbers {
    try #require(try status().feeds.first { $0.feed == feed }).numbers
  }

  func dates(of feed: Feed) throws -> FeedDates { try #require(try store.reader().dates(of: feed)) }

  /// Expects that `doctor` finds no fault and that the counters agree with the loads.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let diagnosis = try StoreDoctor.examine(at: store.path, processes: store.processes, clock: store.clock)
    let faults = diagnosis.findings.filter { $0.severity == .warning || $0.severity == .problem }.map(\.text)
    #expect(faults == [], sourceLocation: sourceLocation)
  }

  /// Returns a time on 20 November 2026, one day before the time of the bench's clocks.
  static func wall(_ time: String) throws -> Int64 {
    let parts = time.split(separator: ":").compactMap { Int64($0) }
    try #require(parts.count == 3)
    return 1_795_132_800_000_000 + ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1_000_000
  }

  static func id(_ number: Int) -> SessionID {
    SessionID("00000000-0000-4000-8000-" + String(repeating: "0", count: 11) + "\(number)") ?? SessionID()
  }

  private static func spelledOut(_ text: String) -> String {
    text.replacing(/"(\d\d:\d\d:\d\d)"/) { "\"2026-11-20T\($0.1)Z\"" }
      .replacing(/"@(\d)"/) { "\"\(id(Int($0.1) ?? 0))\"" }
  }
}

extension ImportResult {
  /// The counts as text, such as "1 2 3": imported, skipped, rejected.
  var numbers: String { "\(imported) \(skipped) \(rejected)" }
}
