import Foundation
import LoadLogCore
@testable import LoadLogReports
import Testing

/// Reads files the way tests need it.
enum Reading {
  /// Files recorded by other people's tools.
  static let sharedData = URL(
    filePath: ProcessInfo.processInfo.environment["LOADLOG_SHARED_DATA"]
      ?? package.deletingLastPathComponent().appending(path: "shared/data").path)

  static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static let noon: Int64 = 1_795_262_400_000_000

  struct SharedFile: CustomTestStringConvertible, Sendable {
    let format: ImportFormat
    let name: String

    var testDescription: String { name }
    var url: URL { sharedData.appending(path: "\(format.rawValue)/\(name)") }
    func bytes() throws -> [UInt8] { try Array(Data(contentsOf: url)) }
  }

  /// The shared files; none, with a line that says so, where they are not.
  static let sharedFiles: [SharedFile] = {
    let files = [ImportFormat.har, .otlp, .chromeTrace].flatMap { format in
      let folder = sharedData.appending(path: format.rawValue)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return names.sorted().map { SharedFile(format: format, name: $0) }
    }
    if files.isEmpty { print("skipped: there are no shared files at \(sharedData.path)") }
    return files
  }()

  static func importer(_ format: ImportFormat, _ source: FeedSource? = nil) throws -> any LoadImporter {
    try format.importer(ImportOptions(feedSource: source, epoch: noon))
  }

  /// Returns the items of a file that is read in pieces of `pieces` bytes.
  static func items(
    _ format: ImportFormat, _ bytes: [UInt8], by source: FeedSource? = nil, pieces: Int = .max
  ) throws -> [ImportedItem] {
    var importer = try importer(format, source)
    var items: [ImportedItem] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, pieces == .max ? bytes.count : start + pieces)
      bytes[start..<end].withUnsafeBytes { importer.read($0, into: &items) }
      start = end
    }
    importer.finish(into: &items)
    return items
  }

  static func items(_ format: ImportFormat, _ text: String, by source: FeedSource? = nil) throws
    -> [ImportedItem]
  {
    try items(format, Array(text.utf8), by: source)
  }
}

extension ImportedItem {
  var load: ForeignLoad? { if case .load(let load) = self { load } else { nil } }
  var orphan: ForeignFinish? { if case .orphan(let finish) = self { finish } else { nil } }
  var rejection: ImportFault? { if case .rejected(let fault) = self { fault } else { nil } }
  var fault: ImportFault? { if case .fault(let fault) = self { fault } else { nil } }
  var line: RecordLine? { if case .line(let line) = self { line.line } else { nil } }

  /// Item in the format of the scripts.
  var printed: String {
    switch self {
    case .load(let load):
      "load \(load.started) \(load.duration.map(String.init) ?? "-") \(load.state.rawValue) \(load.feed)"
    case .orphan(let finish): "orphan \(finish.at) \(finish.feed?.name ?? "-")"
    case .line(let line): "line \(line.line)"
    case .rejected(let fault): "rejected \(fault)"
    case .skipped(let cause, let count): "skipped \(count) \(cause.replacing("phase ", with: ""))"
    case .fault(let fault): "fault \(fault)"
    }
  }
}
