import CLoadLogShims
package import Foundation
package import LoadLogCore
import LoadLogLibC

/// Turns the paths and URLs that callers pass into absolute paths.
package enum GivenPath {
  /// Returns the absolute path, without trailing slashes.
  ///
  /// ".." stays, because after a symbolic link it leads elsewhere than the text suggests. "~" stays, because
  /// only shells expand it; elsewhere it is a file name.
  ///
  /// - Throws: `storeUnusable` if the path is relative and the current folder has been deleted.
  package static func absolute(_ given: String) throws(LoadLogError) -> String {
    var given = given
    while given.utf8.count > 1, given.hasSuffix("/") { given.removeLast() }
    guard !given.hasPrefix("/") else { return given }
    let here = FileManager.default.currentDirectoryPath
    guard here.hasPrefix("/") else {
      throw LoadLogError(
        .storeUnusable, what: "store path", value: given,
        why: "it is relative, and the current folder has been deleted")
    }
    return here + "/" + given
  }

  /// Returns the path of a file URL.
  ///
  /// - Throws: `storeUnusable` for any other URL.
  package static func path(of url: URL) throws(LoadLogError) -> String {
    let path = url.isFileURL ? url.path : ""
    guard !path.isEmpty else {
      throw LoadLogError(
        .storeUnusable, what: "store", value: url.absoluteString, why: "it is not a file URL")
    }
    return path
  }
}

/// The path of a store and of the files beside it, and checks whether a store can be used there.
struct StoreLocation: Sendable, Hashable {
  /// The absolute path of the database, with symbolic links resolved.
  let path: String
  /// The folder that holds the database.
  let folder: String

  /// Stored, because every commit reads it.
  let walPath: String
  var gatePath: String { path + "-gate" }
  private var indexPath: String { path + "-shm" }
  private var journalPath: String { path + "-journal" }

  /// The start of the names of owners' lock files, in ``folder``.
  private var lockPrefix: String { (path as NSString).lastPathComponent + "-owner-" }

  /// A name for a lock file that no owner has yet.
  func newLockName() -> String { lockPrefix + SessionID().description }

  /// Whether ``newLockName()`` can have made the name of a file.
  func isLockName(_ name: String) -> Bool {
    let id = String(name.dropFirst(lockPrefix.count))
    return name.hasPrefix(lockPrefix) && SessionID(id)?.description == id
  }

  /// Resolves a path that a caller passed.
  ///
  /// - Parameter creatingFolder: whether to create the folder with mode 0700 if it is missing.
  init(_ given: String, creatingFolder: Bool) throws(LoadLogError) {
    guard !given.isEmpty else {
      throw LoadLogError(.storeUnusable, what: "store path", value: "", why: "it is empty")
    }
    guard !given.utf8.contains(0) else {
      throw LoadLogError(.storeUnusable, what: "store path", value: given, why: "it has a NUL character")
    }
    let absolute = try GivenPath.absolute(given)
    if let whole = Self.resolved(absolute) {
      path = whole
    } else {
      let problem = errno
      var info = stat()
      guard lstat(absolute, &info) != 0 || info.st_mode & S_IFMT != S_IFLNK else {
        throw LoadLogError(
          .storeUnusable, what: "cannot use store",
          why: problem == ENOENT
            ? "it is a symbolic link whose target is missing" : String(cString: strerror(problem)),
          path: absolute)
      }
      let parent = (absolute as NSString).deletingLastPathComponent
      if creatingFolder { try Self.createFolder(parent) }
      guard let resolvedParent = Self.resolved(parent) else {
        let isMissing = errno == ENOENT
        throw LoadLogError(
          isMissing ? .storeMissing : .storeUnusable, what: isMissing ? "no store" : "cannot use store",
          why: isMissing ? "its folder is missing" : String(cString: strerror(errno)), path: absolute)
      }
      path = (resolvedParent as NSString)
        .appendingPathComponent((absolute as NSString).lastPathComponent)
    }
    folder = (path as NSString).deletingLastPathComponent
    walPath = path + "-wal"
  }

  /// Checks the file and the files beside it without opening any of them.
  ///
  /// - Returns: the size of the file; nil if it is missing.
  func presence() throws(LoadLogError) -> Int64? {
    var info = stat()
    guard stat(path, &info) == 0 else {
      guard errno == ENOENT else { throw unusable(String(cString: strerror(errno))) }
      try checkNeighbours(ofOwner: geteuid(), isShared: fileMode != 0o600)
      guard walSize == 0 else {
        // Another process may have created the store meanwhile: it is there before its log.
        if stat(path, &info) == 0 { return try presence() }
        // SQLite would apply the pages of that log to the new store.
        throw unusable(
          "only its write-ahead log is there, \(walPath)",
          advice: "Restore the store, or move the log away to create a new store.")
      }
      return nil
    }
    switch info.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw unusable("it is a folder", advice: "Name a file in it.")
    default: throw unusable("it is not a regular file")
    }
    guard info.st_nlink <= 1 else {
      throw unusable("it has \(info.st_nlink) hard links, and SQLite cannot protect such a file")
    }
    // SQLite treats a file of one byte as empty, too, and deletes the log beside it.
    guard info.st_size > 1 else {
      throw LoadLogError(
        .notLoadLog, what: "cannot open", why: "it is empty, not a LoadLog store",
        advice: "Delete it to create a new store there.", path: path)
    }
    if let network = FileSystemCheck.networkFileSystemName(at: folder) {
      throw networkFileSystem(network)
    }
    guard access(path, R_OK) == 0 else { throw notPermitted(path, owner: info.st_uid) }
    try checkNeighbours(ofOwner: info.st_uid, isShared: info.st_mode & mode_t(S_IWGRP | S_IWOTH) != 0)
    return Int64(info.st_size)
  }

  /// Checks the files that SQLite opens by name beside the database. In a folder where other users may create
  /// files, such as /tmp, another user may have placed one there in order to read or change what SQLite
  /// writes to it.
  private func checkNeighbours(ofOwner owner: uid_t, isShared: Bool) throws(LoadLogError) {
    for neighbour in [walPath, indexPath, journalPath] {
      var info = stat()
      guard lstat(neighbour, &info) == 0 else { continue }
      guard info.st_mode & S_IFMT == S_IFREG else {
        throw unusable("\(neighbour) is not a regular file", advice: "Move it away.")
      }
      guard isShared || info.st_uid == owner || info.st_uid == 0 else {
        throw unusable(
          "\(neighbour) belongs to \(Self.name(of: info.st_uid)), who could read what is written to it",
          advice: "Move it away, or choose a folder of your own.")
      }
    }
  }

  /// Checks that the folder is writable, local, and safe from other users.
  func checkFolderForWriting() throws(LoadLogError) {
    var info = stat()
    guard stat(folder, &info) == 0 else { throw unusable(String(cString: strerror(errno))) }
    if info.st_mode & mode_t(S_IWOTH) != 0, info.st_mode & mode_t(S_ISVTX) == 0 {
      throw unusable(
        "any user may write to its folder and delete other users' files there",
        advice: "Choose a folder of your own, or chmod o-w it.")
    }
    if let network = FileSystemCheck.networkFileSystemName(at: folder) {
      throw networkFileSystem(network)
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      let why = errno == EROFS ? "it is on a read-only file system" : "its folder is not writable"
      throw unusable(why)
    }
  }

  /// Checks that the file, its log and the index of that, as far as they exist, are writable.
  func checkFilesForWriting() throws(LoadLogError) {
    for file in [path, walPath, indexPath] {
      var info = stat()
      guard stat(file, &info) == 0, access(file, W_OK) != 0 else { continue }
      throw errno == EROFS
        ? unusable("it is on a read-only file system") : notPermitted(file, owner: info.st_uid)
    }
  }

  /// The mode of new files: 0600, or 0660 in a setgid folder so that a group can share the store.
  var fileMode: mode_t {
    var info = stat()
    let isShared = stat(folder, &info) == 0 && info.st_mode & mode_t(S_ISGID) != 0
    return isShared ? 0o660 : 0o600
  }

  /// The size of the write-ahead log in bytes, read without opening it; 0 if there is none.
  var walSize: Int64 {
    var info = stat()
    return stat(walPath, &info) == 0 ? Int64(info.st_size) : 0
  }

  /// What changes when the store's files are written to.
  struct Stamp: Sendable, Equatable {
    fileprivate let sizes: [Int?]
    fileprivate let times: [Date?]
  }

  /// The stamp of the file and its log, read without opening them.
  var stamp: Stamp {
    let files = [path, walPath].map { try? FileManager.default.attributesOfItem(atPath: $0) }
    return Stamp(
      sizes: files.map { $0?[.size] as? Int }, times: files.map { $0?[.modificationDate] as? Date })
  }

  /// Protects the open files from code in this process that opens and closes one of them.
  ///
  /// SQLite uses POSIX locks, which belong to the process: they are all released as soon as any code in it
  /// closes any descriptor of the file. After that, the next program that closes the store thinks that it is
  /// the last one; it deletes the log, or resets the index that other processes have mapped. Locks on open
  /// file descriptions survive such a close. The numbers are those of SQLite's file format: the shared range
  /// of the database, and the byte of the index that shows that a process uses it. On a system without such
  /// locks, a deleted log is only detected afterwards.
  func holdOpenFiles() {
    _ = loadlog_hold_open_file(path, 0x4000_0002, 510)
    _ = loadlog_hold_open_file(indexPath, 128, 1)
  }

  /// The path as a SQLite URI with a query. Only these three characters must be escaped:
  /// https://sqlite.org/uri.html
  func uri(_ query: String) -> String {
    var uri = "file://"
    for scalar in path.unicodeScalars {
      switch scalar {
      case "%": uri += "%25"
      case "?": uri += "%3F"
      case "#": uri += "%23"
      default: uri.unicodeScalars.append(scalar)
      }
    }
    return uri + "?" + query
  }

  /// Opens the gate of the store, and creates its file if it is missing.
  func gate() throws(LoadLogError) -> StoreGate {
    try StoreGate(path: gatePath, mode: fileMode, besides: path)
  }

  /// Polls for the gate or the right to write instead of queueing for it, so that a process that was stopped
  /// while it holds the gate cannot block the caller forever.
  ///
  /// - Throws: `busy` at the deadline.
  func keepTrying(
    for deadline: Duration, _ clock: any LoadClock, _ attempt: () throws(LoadLogError) -> Bool
  ) throws(LoadLogError) {
    let limit = clock.now().boot.addingClamping(deadline.wholeNanoseconds)
    while try !attempt() {
      guard clock.now().boot < limit else {
        throw LoadLogError(
          .busy, what: "store", why: "another process did not release its lock before the deadline",
          advice: "Find it with lsof or fuser.", path: path)
      }
      // Poll often: between two queued writers the gate is free only for a moment.
      usleep(1000)
    }
  }

  /// Whether there is a gate or a log beside the file, as there is beside every store in use.
  var mayBeInUse: Bool { [gatePath, walPath].contains { FileID(path: $0) != nil } }

  /// The store to which this file would belong by its name, as a log, an index, a gate, a journal or a lock.
  var storeBesides: StoreLocation? {
    for ending in ["-wal", "-shm", "-gate", "-journal"] where path.hasSuffix(ending) {
      return try? StoreLocation(String(path.dropLast(ending.count)), creatingFolder: false)
    }
    let name = (path as NSString).lastPathComponent
    guard let lock = name.range(of: "-owner-", options: .backwards) else { return nil }
    return try? StoreLocation(folder + "/" + name[..<lock.lowerBound], creatingFolder: false)
  }

  /// The error if nothing is at the path.
  var missing: LoadLogError {
    LoadLogError(.storeMissing, what: "no store", why: "nothing is there", path: path)
  }

  func unusable(_ why: String, advice: String? = nil) -> LoadLogError {
    LoadLogError(.storeUnusable, what: "cannot use store", why: why, advice: advice, path: path)
  }
}

extension StoreLocation {
  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func createFolder(_ folder: String) throws(LoadLogError) {
    for isLastTry in [false, true] {
      if mkdir(folder, 0o700) == 0 {
        // mkdir applies the umask, chmod does not.
        chmod(folder, 0o700)
        // Otherwise a power cut could take the folder with all that was acknowledged in it.
        DraftFile.synchronize(folder: (folder as NSString).deletingLastPathComponent)
        return
      }
      switch errno {
      case EEXIST:
        var info = stat()
        guard stat(folder, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else {
          throw LoadLogError(errno: ENOTDIR, what: "cannot create folder", path: folder)
        }
        return
      case ENOENT where !isLastTry && folder.count > 1:
        try createFolder((folder as NSString).deletingLastPathComponent)
      case let problem: throw LoadLogError(errno: problem, what: "cannot create folder", path: folder)
      }
    }
  }

  private func networkFileSystem(_ name: String) -> LoadLogError {
    unusable(
      "it is on a network file system (\(name)), where SQLite's locks are not reliable",
      advice: "Choose a path on a local disk.")
  }

  private static func name(of user: uid_t) -> String {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "user \(user)"
  }

  /// - Parameter file: the store's, or one beside it.
  private func notPermitted(_ file: String, owner: uid_t) -> LoadLogError {
    guard owner != geteuid() else {
      return unusable(
        "\(file == path ? "its mode" : "the mode of \(file)") does not let you read and write it",
        advice: "Run chmod u+rw on it.")
    }
    let name = Self.name(of: owner)
    return unusable(
      "\(file == path ? "it" : file) belongs to \(name)",
      advice: "Ask \(name) for access, or name another store with --db.")
  }
}
