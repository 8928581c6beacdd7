package import Foundation
package import LoadLog

/// A new folder for the store of a demo, which only this user can access.
package struct DemoFolder: Sendable {
  private let path: String

  /// The path of the store, which does not exist yet.
  package var store: String { path + "/loadlog.db" }

  /// Creates the folder.
  ///
  /// - Parameter parent: the folder in which it is.
  /// - Throws: `io` if it cannot be created.
  package init(in parent: URL = FileManager.default.temporaryDirectory) throws(LoadLogError) {
    let name = parent.appendingPathComponent("loadlog-demo.XXXXXX").path
    var template = Array(name.utf8CString)
    guard mkdtemp(&template) != nil else {
      throw LoadLogError(
        .io, what: "folder", value: name, why: String(cString: strerror(errno)),
        advice: "Name another folder in $TMPDIR.")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Deletes the folder with the store.
  package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
