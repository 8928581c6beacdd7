import Foundation
import LoadLogCore
@testable import LoadLogReports
import TestProcesses
import Testing

/// Reads files the way tests need it.
enum Reading {
  static let noon: Int64 = 1_795_262_400_000_000

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

extension RealInput {
  var importFormat: ImportFormat {
    get throws { try #require(ImportFormat(rawValue: format)) }
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
    case .ignored(let keys): "ignored \(keys.count) \(keys.names)"
    case .fault(let fault): "fault \(fault)"
    }
  }
}
