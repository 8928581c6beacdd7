import Foundation
import LoadLog
import LoadLogReports

/// Imports arbitrary ndjson lines into a store, and exports them again.
enum Exchange {
  /// Checks that an export is imported and exported without a change.
  static let repeated: LoadLogFuzz.Target = { bytes in
    let stores = ["first.db", "second.db"].map { Scratch.folder.appending(path: $0) }
    stores.forEach(Scratch.remove)
    take(Array(bytes), into: stores[0])
    guard let first = lines(of: stores[0]) else { return }
    guard let diagnosis = try? StoreDoctor.examine(at: stores[0].path) else { fatalError("no diagnosis") }
    precondition(!diagnosis.isDamaged, "\(diagnosis.findings.map(\.text))")
    take(first, into: stores[1])
    let second = lines(of: stores[1])
    precondition(first.isEmpty || second == first, String(decoding: first, as: UTF8.self))
  }

  static func take(_ bytes: [UInt8], into store: URL) {
    do {
      var importer = try ImportFormat.ndjson.importer()
      var items = importer.items(of: bytes)
      let target = try StoreImport(into: store, source: "ndjson")
      try target.add(&items)
      _ = try target.finish(&items)
    } catch {
      fatalError("\(error)")
    }
  }

  /// Returns the exported lines; nil if the import did not create a store.
  private static func lines(of store: URL) -> [UInt8]? {
    guard FileManager.default.fileExists(atPath: store.path) else { return nil }
    do {
      let export = try StoreExport(at: store.path, LoadFilter())
      var bytes: [UInt8] = []
      while let lines = try export.nextLines() { lines.forEach { $0.append(to: &bytes) } }
      return bytes
    } catch {
      fatalError("\(error)")
    }
  }
}
