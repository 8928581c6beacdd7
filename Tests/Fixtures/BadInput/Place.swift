import Foundation
import LoadLog
import LoadLogReports

/// A folder with a store in which a load has finished, and files that are no stores.
struct Place: Sendable {
  let folder: URL
  let store: URL

  init(_ path: String) throws {
    folder = URL(filePath: path)
    store = folder.appending(path: "loads.db")
    try Data("hello\n".utf8).write(to: folder.appending(path: "text"))
    try Data().write(to: folder.appending(path: "empty"))
    try record { (loads) throws(LoadLogError) in try loads.finishLoading(try loads.startLoading("known")) }
  }

  func controller() throws(LoadLogError) -> LoadingController {
    var options = LoadingController.Options()
    options.onOpenFailure = .fail
    return try LoadingController(storeAt: store, options: options)
  }

  /// Records with a controller of its own.
  ///
  /// - Throws: the error of the work, or the controller's failure of a call that does not wait.
  func record(_ work: (LoadingController) throws(LoadLogError) -> Void) throws(LoadLogError) {
    let loads = try controller()
    do throws(LoadLogError) { try work(loads) } catch {
      try loads.close()
      throw error
    }
    let failure = loads.failure
    try loads.close()
    if let failure { throw failure }
  }

  /// The contents of the store, and the names of the files beside it.
  func record() throws -> [String] {
    let export = try StoreExport(at: store.path)
    var bytes: [UInt8] = []
    while let lines = try export.nextLines() { lines.forEach { $0.append(to: &bytes) } }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return [String(decoding: bytes, as: UTF8.self)]
      + names.filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }
  }
}
