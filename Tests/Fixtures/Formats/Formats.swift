import Foundation
import LoadLogCore
import LoadLogReports
import LoadLogSQLite

/// Writes large files of each format, and reads them the way an import does.
///
///     LoadLogFormatsFixture write har 300 > large.har
///     LoadLogFormatsFixture read har < large.har      # prints counts of items and peak memory
///     LoadLogFormatsFixture store har STORE < large.har   # imports into a store, too
@main
enum FormatsFixture {
  struct Usage: Error {}

  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2, let format = ImportFormat(rawValue: arguments[1]) else { throw Usage() }
    switch arguments[0] {
    case "write":
      guard arguments.count > 2, let megabytes = Int(arguments[2]) else { throw Usage() }
      LargeFile(format: format, shape: arguments.count > 3 ? arguments[3] : "plain").write(
        bytes: megabytes << 20)
    case "read":
      // What the store counts on disk, this fixture does not need.
      var occurrences = OccurrenceCounter { _ in 0 }
      var counts: [String: Int] = [:]
      try read(format) { try take(&$0, &counts, &occurrences) }
      for (name, count) in counts.sorted(by: { $0.key < $1.key }) { print(name, count) }
    case "store":
      guard arguments.count > 2 else { throw Usage() }
      let target = try StoreImport(into: URL(fileURLWithPath: arguments[2]), source: format.rawValue)
      try read(format) { try target.add(&$0) }
      var last: [ImportedItem] = []
      print("load", try target.finish(&last).imported)
    default: throw Usage()
    }
    print("peak_kilobytes", peakMemory())
  }

  private static func read(
    _ format: ImportFormat, _ take: (inout [ImportedItem]) throws -> Void
  ) throws {
    var importer = try format.importer(ImportOptions(epoch: 1_795_262_400_000_000))
    var items: [ImportedItem] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = buffer.withUnsafeMutableBytes { Foundation.read(0, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      buffer.withUnsafeBytes { importer.read(UnsafeRawBufferPointer(rebasing: $0[..<count]), into: &items) }
      try take(&items)
    }
    importer.finish(into: &items)
    try take(&items)
    print("bytes", importer.bytesRead)
  }

  private static func take(
    _ items: inout [ImportedItem], _ counts: inout [String: Int], _ occurrences: inout OccurrenceCounter
  ) throws {
    for item in items {
      switch item {
      case .load(let load):
        counts["load", default: 0] += 1
        _ = try load.identity.sessionID(counting: &occurrences)
      case .orphan: counts["orphan", default: 0] += 1
      case .line: counts["line", default: 0] += 1
      case .rejected: counts["rejected", default: 0] += 1
      case .skipped(_, let count): counts["skipped", default: 0] += count
      case .ignored: break
      case .fault(let fault): print("fault", fault)
      }
    }
    items.removeAll(keepingCapacity: true)
  }

  /// Peak memory in kilobytes.
  private static func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss / 1024
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss
    #endif
  }
}
