public import Foundation

/// A path for a store in a folder of its own, which is deleted with it.
public final class TemporaryStore: Sendable {
  /// The folder.
  public let folder: URL
  /// Where a store may be made.
  public var url: URL { folder.appendingPathComponent("loadlog.db") }
  /// The same as a path.
  public var path: String { url.path }

  /// Makes the folder.
  public init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("loadlog-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
