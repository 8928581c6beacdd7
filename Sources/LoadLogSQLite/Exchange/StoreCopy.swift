import Foundation
import GRDB
public import LoadLogCore
import LoadLogLibC

/// Makes consistent copies of a store, whoever records in it meanwhile.
///
///     try StoreCopy.make(of: path, at: "/backup/loads.db")
public enum StoreCopy {
  /// Copies the store at a path as it is at one moment into one file, without what was deleted.
  ///
  /// The copy is complete and on the disk when it gets its name; what lay there is replaced. Writers go on
  /// meanwhile, but their log cannot be checkpointed until the copy is made. Blocks the thread.
  ///
  /// - Throws: what opening for reading throws; `invalidInput` if the target is the store itself, looks like a
  ///   store in use, or is no regular file; `diskFull` or `io`.
  public static func make(of path: String, at target: String) throws(LoadLogError) {
    let source = try StoreLocation(path, creatingFolder: false)
    guard case .file = try source.presence() else {
      throw LoadLogError(.storeMissing, what: "no store", why: "nothing is there", path: source.path)
    }
    try check(target)
    try refuseStore(at: target, besides: path)
    let queue = try SQLiteLoadReader.openQueue(at: source)
    let draft = try DraftFile(for: target, mode: source.fileMode, what: "cannot write copy")
    defer { draft.discard() }
    do {
      try queue.unsafeRead { database in
        try database.execute(sql: "VACUUM INTO ?", arguments: [draft.path])
      }
      try queue.close()
    } catch {
      throw LoadLogError.database(error, path: path)
    }
    try draft.publish()
  }

  /// Refuses to write over a store: whatever is written takes the place of what lies there.
  ///
  /// - Parameters:
  ///   - target: the file that will be written.
  ///   - path: the store that it is about.
  /// - Throws: `invalidInput` if the target is that store, another that may be in use, or a file beside one.
  public static func refuseStore(at target: String, besides path: String) throws(LoadLogError) {
    var info = stat()
    guard stat(target, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return }
    guard FileID(path: target) != FileID(path: path) else { throw refusal(target, "it is the store itself") }
    // Whoever has it open would go on writing to a file that has lost its name.
    let place = try StoreLocation(target, creatingFolder: false)
    if place.mayBeInUse { throw refusal(target, "a store that may be in use lies there") }
    if let store = place.storeBesides, store.mayBeInUse { throw refusal(target, "it belongs to a store") }
  }

  private static func check(_ target: String) throws(LoadLogError) {
    guard !target.isEmpty, !target.utf8.contains(0) else { throw refusal(target, "it is no file's name") }
    var info = stat()
    guard stat(target, &info) == 0, info.st_mode & S_IFMT != S_IFREG else { return }
    throw refusal(target, "it is not a regular file")
  }

  private static func refusal(_ target: String, _ why: String) -> LoadLogError {
    LoadLogError(.invalidInput, what: "cannot write", why: why, advice: "Name another file.", path: target)
  }
}
