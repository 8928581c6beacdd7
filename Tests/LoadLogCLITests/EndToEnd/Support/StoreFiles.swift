import Foundation

/// The contents of a store's folder: file names, and the bytes of the database and its log.
///
/// Of the `-shm` file only the name counts: it is memory that readers share and may change.
struct StoreFiles: Equatable {
  private var names: [String] = []
  private var contents: [String: Data] = [:]

  init(of place: Place) throws {
    let folder = place.folder.path + "/store"
    guard FileManager.default.fileExists(atPath: folder) else { return }
    names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    for name in names where !name.hasSuffix("-shm") {
      contents[name] = try? Data(contentsOf: URL(filePath: folder + "/" + name))
    }
  }
}

/// Checks for actions that only root may do.
enum Root {
  static let isHere = getuid() == 0

  static let canUnshare: Bool = {
    guard isHere, Place.has("unshare"), let place = try? Place() else { return false }
    return (try? place.shell("unshare --pid --fork --mount true").code) == 0
  }()

  static let canUnshareTime: Bool = {
    guard isHere, Place.has("unshare"), let place = try? Place() else { return false }
    return (try? place.shell("unshare --time --boottime 100000 true").code) == 0
  }()
}
