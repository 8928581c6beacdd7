import Foundation

/// Temporary folder of this process, in memory if the system has /dev/shm.
enum Scratch {
  static let folder: URL = {
    let memory = URL(filePath: "/dev/shm")
    let isThere = access(memory.path, W_OK) == 0
    let parent = isThere ? memory : FileManager.default.temporaryDirectory
    let folder = parent.appending(path: "loadlog-fuzz-\(getpid())")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: Scratch.folder) }
    return folder
  }()

  static func remove(_ store: URL) {
    for ending in ["", "-wal", "-shm", "-gate"] { unlink(store.path + ending) }
  }
}
