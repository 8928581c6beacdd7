public import Foundation
import LoadLogLibC

/// A path for a store in a temporary folder, which is deleted when this object is deallocated.
public final class TemporaryStore: Sendable {
  /// The parent of all temporary folders, deleted when the process exits. Deleting a single folder can fail while a
  /// writer is still closing its store there.
  private static let parent: URL = {
    atexit { try? FileManager.default.removeItem(at: TemporaryStore.parent) }
    return FileManager.default.temporaryDirectory.appendingPathComponent("loadlog-\(UUID().uuidString)")
  }()

  /// The temporary folder.
  public let folder: URL
  /// The path of the store, which does not exist yet.
  public var url: URL { folder.appendingPathComponent("loadlog.db") }
  /// The path of ``url`` as a string.
  public var path: String { url.path }

  /// Creates the folder.
  public init() throws {
    folder = Self.parent.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
