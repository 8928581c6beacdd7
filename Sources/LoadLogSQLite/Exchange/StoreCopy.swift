import Foundation
import GRDB
public import LoadLogCore
import LoadLogLibC

/// Makes consistent copies of a store while others record in it.
///
///     try StoreCopy.make(of: path, at: "/backup/loads.db")
public enum StoreCopy {
  /// Copies a store into one file, as of one moment and without free pages. Blocks the thread.
  ///
  /// The copy is complete and on disk before it gets its name, and then replaces an existing file. Others can
  /// go on recording, but the write-ahead log cannot be checkpointed until the copy is complete. A new file has mode 0600;
  /// one that is replaced keeps its permissions, which must let its owner write.
  ///
  /// - Parameters:
  ///   - path: the store.
  ///   - target: the file to create or replace.
  ///   - withOutput: whether the copy contains what the commands of loads wrote, which may contain secrets.
  /// - Throws: what opening for reading throws; `invalidInput` if the target is the store itself, may be a
  ///   store in use, or is not a regular file; `diskFull` or `io`.
  @available(*, noasync, message: "Blocks the thread; call it on a thread of your own.")
  public static func make(
    of path: String, at target: String, withOutput: Bool = false
  ) throws(LoadLogError) {
    let source = try StoreLocation(path, creatingFolder: false)
    guard try source.presence() != nil else { throw source.missing }
    try check(target)
    try refuseStore(at: target, besides: path)
    let queue = try SQLiteLoadReader.openQueue(at: source).queue
    let draft = try DraftFile(replacing: target, what: "cannot write copy")
    defer { draft.discard() }
    guard access(draft.path, W_OK) == 0 else {
      throw LoadLogError(
        .io, what: "cannot write copy", why: String(cString: strerror(errno)), path: target)
    }
    do {
      try queue.unsafeRead { database in
        try database.execute(sql: "VACUUM INTO ?", arguments: [draft.path])
      }
      try queue.close()
    } catch {
      throw LoadLogError.database(error, path: isOfWriting(error) ? target : path)
    }
    if !withOutput { try mapped(path: target) { try removeOutput(from: draft.path) } }
    try draft.publish()
  }

  /// Whether writing failed. Only the copy is written to.
  private static func isOfWriting(_ error: any Error) -> Bool {
    guard let code = (error as? DatabaseError)?.extendedResultCode else { return false }
    return [.SQLITE_FULL, .SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_TRUNCATE].contains(code)
  }

  /// Removes the kept output, and writes the file again, so that nothing of it stays in free pages.
  private static func removeOutput(from path: String) throws {
    let copy = try DatabaseQueue(path: path)
    try copy.writeWithoutTransaction { database in
      try database.execute(sql: "DELETE FROM output")
      if database.changesCount > 0 { try database.execute(sql: "VACUUM") }
    }
    try copy.close()
  }

  /// Refuses a target whose replacement would destroy a store.
  ///
  /// - Parameters:
  ///   - target: the file that will be replaced.
  ///   - path: the store that the caller reads.
  /// - Throws: `invalidInput` if the target is that store, another store that may be in use, or a file beside
  ///   one.
  public static func refuseStore(at target: String, besides path: String) throws(LoadLogError) {
    var info = stat()
    guard stat(target, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return }
    guard FileID(path: target) != FileID(path: path) else { throw refusal(target, "it is the store itself") }
    // A process that has it open would go on writing to the replaced file, which no path leads to any more.
    let place = try StoreLocation(target, creatingFolder: false)
    if place.mayBeInUse { throw refusal(target, "it is a store that may be in use") }
    if let store = place.storeBesides, store.mayBeInUse { throw refusal(target, "it belongs to a store") }
  }

  private static func check(_ target: String) throws(LoadLogError) {
    guard !target.isEmpty, !target.utf8.contains(0) else { throw refusal(target, "it is not a file name") }
    var info = stat()
    guard stat(target, &info) == 0, info.st_mode & S_IFMT != S_IFREG else { return }
    throw refusal(target, "it is not a regular file")
  }

  private static func refusal(_ target: String, _ why: String) -> LoadLogError {
    LoadLogError(.invalidInput, what: "cannot write", why: why, advice: "Name another file.", path: target)
  }
}
