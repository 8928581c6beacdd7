public import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A path for a store in a folder of its own, which is deleted with it.
public final class TemporaryStore: Sendable {
  /// All folders of one process lie in one, which goes with the process: a writer that still closes its store
  /// can keep a folder from being deleted.
  private static let parent: URL = {
    atexit { try? FileManager.default.removeItem(at: TemporaryStore.parent) }
    return FileManager.default.temporaryDirectory.appendingPathComponent("loadlog-\(UUID().uuidString)")
  }()

  /// The folder.
  public let folder: URL
  /// Where a store may be made.
  public var url: URL { folder.appendingPathComponent("loadlog.db") }
  /// The same as a path.
  public var path: String { url.path }

  /// Makes the folder.
  public init() throws {
    folder = Self.parent.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
