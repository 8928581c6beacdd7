import GRDB
public import LoadLogCore
import SQLiteMigrations

/// Saves what is readable of a damaged store into a new one.
///
///     let result = try StoreRecovery.run(from: path, into: "/backup/saved.db")
///
/// Reads the damaged store page by page, without SQLite, and changes nothing in it. The rows that are found are inserted
/// into an empty store, whose schema rejects what breaks a rule; all counters and indexes are made from them. The time
/// and the memory that this takes grow with the size of the file, whatever it holds.
public struct StoreRecovery {
  private var pages: DamagedPages
  private let source: StoreLocation
  private let progress: (_ page: Int, _ of: Int) -> Void

  /// Saves the readable rows of a store into a new one. Blocks the thread.
  ///
  /// The new store gets its name when it is complete. The process must not have the damaged store open, and no other
  /// process should write to it meanwhile.
  ///
  /// - Parameters:
  ///   - path: the damaged store. The write-ahead log beside it is read, too, unless it belongs to another store.
  ///   - target: the path of the new store. Nothing may be there.
  ///   - clock: the clock for the time of the migration.
  ///   - progress: receives the number of pages read so far, and of all.
  /// - Returns: what was saved, and what was not.
  /// - Throws: `storeMissing`, `storeUnusable` if a file cannot be read; `invalidInput` if there is a file at the target;
  ///   `notLoadLog` or `newerStore`; `damaged` if no row can be read; `busy` if the damaged store changed meanwhile;
  ///   `diskFull` or `io`.
  @available(*, noasync, message: "Blocks the thread; call it on a thread of your own.")
  public static func run(
    from path: String, into target: String, clock: any LoadClock = BootClock(),
    progress: @escaping (_ page: Int, _ of: Int) -> Void = { _, _ in }
  ) throws(LoadLogError) -> RecoveryResult {
    let source = try StoreLocation(path, creatingFolder: false)
    let place = try newPlace(target)
    let file = try RawFile(source.path)
    let log = source.walSize > 0 ? try RawFile(source.walPath) : nil
    let before = digests(file, log)
    var recovery = StoreRecovery(
      pages: DamagedPages(file, log: log), source: source, progress: progress)
    guard recovery.pages.isDatabase || log != nil else {
      throw LoadLogError(
        .notLoadLog, what: "cannot recover", why: "it is not a SQLite database", advice: "Name another path.",
        path: source.path)
    }
    let draft = try DraftFile(for: place.path, mode: place.fileMode, what: "cannot write the new store")
    defer { draft.discard() }
    var result = try recovery.save(
      into: try StoreLocation(draft.path, creatingFolder: false), for: draft.target, clock)
    guard digests(file, log) == before, source.walSize == log?.size ?? 0 else {
      throw LoadLogError(
        .busy, what: "store", why: "a program wrote to it while it was read",
        advice: "Stop the programs that record in it.", path: source.path)
    }
    result.sources = before
    guard ["session", "unmatched", "feed"].contains(where: { result.saved($0) > 0 }) else {
      throw recovery.nothingFound()
    }
    try draft.publish()
    return result
  }

  private static func newPlace(_ target: String) throws(LoadLogError) -> StoreLocation {
    let place = try StoreLocation(target, creatingFolder: true)
    guard FileID(path: place.path) == nil else {
      throw LoadLogError(
        .invalidInput, what: "cannot write the new store", why: "there is a file already",
        advice: "Name another file.", path: place.path)
    }
    _ = try place.presence()
    try place.checkFolderForWriting()
    return place
  }

  private static func digests(_ file: RawFile, _ log: RawFile?) -> [RecoveryResult.Source] {
    [file, log].compactMap(\.self).map { RecoveryResult.Source(path: $0.path, digest: $0.digest()) }
  }

  // MARK: - Rows

  /// Saves the rows into the draft of the new store. Errors name the new store's path.
  private mutating func save(
    into draft: StoreLocation, for target: String, _ clock: any LoadClock
  ) throws(LoadLogError) -> RecoveryResult {
    let queue = try StoreConnection.open(draft, for: .write(.power))
    var recovery = self
    let result = try mapped(path: target) {
      try queue.writeWithoutTransaction { database in
        try StoreSchema.migrate(database, now: clock.now().wall)
        return try recovery.copy(to: database)
      }
    }
    try mapped(path: target) { try queue.close() }
    return result
  }

  private mutating func copy(to database: Database) throws -> RecoveryResult {
    let shapes = try TreeShape.all(in: database)
    var result = RecoveryResult()
    if pages.log != nil, LogAncestry(pages).isForeign {
      pages.ignoreLog()
      result.log = .foreign
    } else if let log = pages.log {
      result.log = .read(frames: log.committed, damaged: log.damaged)
    }
    var rows = RowSalvage(pages, shapes)
    guard !rows.isForeign, pages.format?.applicationID != unreleasedApplicationID else {
      throw try foreignStore()
    }
    let store = RecoveredStore(database, shapes)
    try database.inTransaction(.immediate) {
      try rows.copy(to: store, &result, progress: progress)
      if let format = pages.format, try store.newestVersion == format.version {
        try format.check(path: source.path)
      }
      try store.finish(&result)
      return .commit
    }
    return result
  }

  // MARK: - What is refused

  /// The error for a file whose schema is not that of a store. The application in its header may be damaged.
  private func foreignStore() throws(LoadLogError) -> LoadLogError {
    try pages.format?.check(path: source.path)
    return LoadLogError(
      .notLoadLog, what: "cannot recover", why: "its schema is not that of a LoadLog store",
      advice: "Name another path.", path: source.path)
  }

  private func nothingFound() -> LoadLogError {
    LoadLogError(
      .damaged, what: "cannot recover", why: "none of its pages holds loads or feeds that can be read",
      advice: "Restore a backup.", path: source.path)
  }
}
