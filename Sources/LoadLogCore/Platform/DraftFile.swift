internal import CLoadLogShims
package import LoadLogLibC
import Synchronization

/// A file that is written under a temporary name and renamed when it is complete, so that no reader sees part of it.
///
///     let draft = try DraftFile(for: path, what: "cannot write")
///     defer { draft.discard() }
///     … write to draft.path …
///     try draft.publish()
///
/// While it is written, one byte of it is locked, so that other processes can distinguish it from a draft that a killed
/// process left behind. Its calls block. One thread at a time uses a draft.
package final class DraftFile {
  /// The path of the file until it is published, in the folder of the target.
  package let path: String
  /// The path of the published file.
  package let target: String
  private let what: String
  /// The descriptor, open and locked until the draft gets its name.
  private var descriptor: Int32
  private var isThere = true
  /// What follows the target in the name of a draft, before six random letters and digits. Drafts that were left behind
  /// are deleted, so no user may give a file such a name by chance.
  private static let mark = "-loadlog-draft-"
  private static let journal = "-journal"
  /// The byte that is locked, beyond all that SQLite locks in a database. flock(2) would not do: on Apple's systems it
  /// locks all bytes, and SQLite could not open the draft.
  private static let lockedByte: Int64 = 1 << 62
  /// The path of the newest draft and that of its journal, if SQLite writes it, for ``discardOnSignals()``: two strings,
  /// one after the other. Nil if there is no draft.
  private nonisolated(unsafe) static let newest = Atomic<UnsafeMutablePointer<CChar>?>(nil)

  /// Makes an empty draft.
  ///
  /// - Parameters:
  ///   - target: the path of the published file; a link is followed. An existing file stays until the draft is
  ///     published.
  ///   - mode: its permissions, whatever the umask says.
  ///   - what: the failed action, for errors, such as "cannot write".
  /// - Throws: `diskFull` or `io`.
  package init(for target: String, mode: mode_t = 0o600, what: String) throws(LoadLogError) {
    self.target = Self.resolved(target)
    self.what = what
    let template = self.target + Self.mark + "XXXXXX"
    let names = Array((template + "\0" + template + Self.journal).utf8CString)
    // Never freed: a signal may interrupt any thread while its handler reads the names.
    let shared = UnsafeMutablePointer<CChar>.allocate(capacity: names.count)
    shared.initialize(from: names, count: names.count)
    // A signal right after mkstemp has made the file finds its name here.
    Self.newest.store(shared, ordering: .releasing)
    descriptor = mkstemp(shared)
    path = String(cString: shared)
    guard descriptor >= 0 else {
      isThere = false
      Self.newest.store(nil, ordering: .releasing)
      throw problem()
    }
    memcpy(shared + strlen(shared) + 1, shared, strlen(shared))
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    // Ignore failures: on a file system without such locks, another process may take the draft for one left behind.
    _ = loadlog_lock_byte(descriptor, Self.lockedByte, 1)
    guard fchmod(descriptor, mode) == 0 else { throw problem() }
  }

  /// Makes an empty draft that gets the permissions of the file that it replaces.
  ///
  /// - Parameters:
  ///   - target: the path of the published file; see ``init(for:mode:what:)``.
  ///   - mode: the permissions if there is no file yet, whatever the umask says.
  ///   - what: the failed action, for errors.
  /// - Throws: `diskFull` or `io`.
  package convenience init(replacing target: String, mode: mode_t = 0o600, what: String) throws(LoadLogError)
  {
    var info = stat()
    let isThere = stat(target, &info) == 0
    try self.init(for: target, mode: isThere ? info.st_mode & 0o777 : mode, what: what)
  }

  deinit { discard() }

  /// Syncs the file, renames it to the target, and syncs the folder.
  ///
  /// - Throws: `diskFull` or `io`. The target is then unchanged, or is the new file, which may not survive a power cut.
  package func publish() throws(LoadLogError) {
    guard Self.synchronize(descriptor) else { throw problem() }
    // Close before the rename: afterwards the file may be a database in use, and closing it would drop SQLite's locks.
    closeDescriptor()
    guard rename(path, target) == 0 else { throw problem() }
    isThere = false
    Self.newest.store(nil, ordering: .releasing)
    let folder = target.lastIndex(of: "/").map { $0 == target.startIndex ? "/" : String(target[..<$0]) }
    guard Self.synchronize(folder: folder ?? ".") else { throw problem() }
  }

  /// Deletes the draft, if it was not published.
  package func discard() {
    if isThere {
      unlink(path)
      Self.newest.store(nil, ordering: .releasing)
    }
    isThere = false
    closeDescriptor()
  }

  /// Lets SIGINT, SIGTERM and SIGHUP delete the newest draft before they end the process. For programs that write one
  /// draft at a time; signals that the caller ignores stay ignored.
  package static func discardOnSignals() {
    // Creates the variable now: its first use takes a lock, which a handler must not.
    _ = newest.load(ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] where loadlog_is_ignored(number) == 0 {
      _ = signal(number) { number in
        if let path = DraftFile.newest.load(ordering: .acquiring) {
          unlink(path)
          unlink(path + strlen(path) + 1)
        }
        _ = signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// The name of the draft to which a file belongs, either the draft itself or a file of SQLite beside it; nil if the name
  /// is not of that form.
  ///
  /// - Parameters:
  ///   - name: the name of a file in the target's folder.
  ///   - target: the name of the draft's target.
  package static func draftName(of name: String, for target: String) -> String? {
    let end = [journal, "-wal", "-shm"].first(where: name.hasSuffix) ?? ""
    let draft = String(name.dropLast(end.count))
    return draft.hasPrefix(target + mark) && draft.utf8.count == (target + mark).utf8.count + 6 ? draft : nil
  }

  /// Whether a draft was left behind: no process holds its lock. False if that cannot be found out. Follows no link and
  /// never waits.
  package static func isAbandoned(_ path: String) -> Bool {
    let descriptor = loadlog_open_unshared(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return false }
    defer { loadlog_close_unshared(descriptor) }
    return loadlog_lock_byte(descriptor, lockedByte, 0) == 0
  }

  private static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private func closeDescriptor() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Waits until the names in a folder are on the disk. Sets errno if that fails.
  @discardableResult
  package static func synchronize(folder path: String) -> Bool {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return false }
    defer { close(folder) }
    return synchronize(folder)
  }

  /// Waits until a file is on the disk. Sets errno if that fails.
  private static func synchronize(_ file: Int32) -> Bool {
    #if canImport(Darwin)
      // There fsync leaves it in the disk's cache, and some file systems know nothing else.
      if fcntl(file, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(file) == 0
  }

  private func problem() -> LoadLogError {
    let number = errno
    return LoadLogError(
      number == ENOSPC || number == EDQUOT ? .diskFull : .io, what: what,
      why: String(cString: strerror(number)), path: target)
  }
}
