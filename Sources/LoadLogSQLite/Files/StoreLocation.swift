import CLoadLogShims
package import Foundation
package import LoadLogCore
import LoadLogLibC

/// Paths of stores, made whole.
package enum GivenPath {
  /// The path from the root on, without slashes at its end, which name the same file. It is not tidied up else as a text:
  /// where the system goes through a link, ".." leads elsewhere, and "~" is a name, which only shells take for a home.
  ///
  /// - Throws: `storeUnusable` if it begins in a folder that is gone.
  package static func absolute(_ given: String) throws(LoadLogError) -> String {
    var given = given
    while given.utf8.count > 1, given.hasSuffix("/") { given.removeLast() }
    guard !given.hasPrefix("/") else { return given }
    let here = FileManager.default.currentDirectoryPath
    guard here.hasPrefix("/") else {
      throw LoadLogError(
        .storeUnusable, what: "store path", value: given, why: "the folder from which it begins is gone")
    }
    return here + "/" + given
  }

  /// The path of a file's URL.
  ///
  /// - Throws: `storeUnusable` if it is none.
  package static func path(of url: URL) throws(LoadLogError) -> String {
    let path = url.isFileURL ? url.path : ""
    guard !path.isEmpty else {
      throw LoadLogError(
        .storeUnusable, what: "store", value: url.absoluteString, why: "it is not a file's URL")
    }
    return path
  }
}

/// Where a store lies, and whether that place is fit for one.
struct StoreLocation: Sendable, Hashable {
  /// The absolute path of the database, symbolic links resolved.
  let path: String
  /// The folder it lies in.
  let folder: String

  /// Asked for with each commit.
  let walPath: String
  var gatePath: String { path + "-gate" }
  private var indexPath: String { path + "-shm" }
  private var journalPath: String { path + "-journal" }

  /// The start of the names of owner lock files, in ``folder``.
  var lockPrefix: String { (path as NSString).lastPathComponent + "-owner-" }

  /// What is at the path.
  enum Presence: Sendable {
    case missing
    case file(size: Int64)
  }

  /// Resolves a path as it was given.
  ///
  /// - Parameter creatingFolder: makes the folder (0700) if it is missing.
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
            ? "it is a symbolic link to something that is not there" : String(cString: strerror(problem)),
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

  /// Looks at the file without opening it.
  func presence() throws(LoadLogError) -> Presence {
    var info = stat()
    guard stat(path, &info) == 0 else {
      guard errno == ENOENT else { throw unusable(String(cString: strerror(errno))) }
      try checkNeighbours(ofOwner: geteuid(), isShared: fileMode != 0o600)
      // SQLite would lay its pages over those of a new store.
      guard walSize == 0 else {
        throw unusable(
          "only its write-ahead log is there, \(walPath)",
          advice: "Bring the store back; or move the log away, and a new one is made.")
      }
      return .missing
    }
    switch info.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw unusable("it is a folder", advice: "Name a file in it.")
    default: throw unusable("it is not a regular file")
    }
    guard info.st_nlink <= 1 else {
      throw unusable("it has \(info.st_nlink) names (hard links), which SQLite cannot keep safe")
    }
    // SQLite takes a single byte for nothing too, and deletes the log beside it.
    guard info.st_size > 1 else {
      throw LoadLogError(
        .notLoadLog, what: "cannot open", why: "it is empty, not a LoadLog store",
        advice: "Delete it to have a new store made there.", path: path)
    }
    if let network = FileSystemCheck.networkFileSystemName(at: folder) {
      throw networkFileSystem(network)
    }
    guard access(path, R_OK) == 0 else { throw notPermitted(owner: info.st_uid) }
    try checkNeighbours(ofOwner: info.st_uid, isShared: info.st_mode & mode_t(S_IWGRP | S_IWOTH) != 0)
    return .file(size: Int64(info.st_size))
  }

  /// Checks what SQLite will open beside the file by its name alone. Where others may make files too, such as in
  /// /tmp, somebody may have laid one there that he can read, or change.
  private func checkNeighbours(ofOwner owner: uid_t, isShared: Bool) throws(LoadLogError) {
    for neighbour in [walPath, indexPath, journalPath] {
      var info = stat()
      guard lstat(neighbour, &info) == 0 else { continue }
      guard info.st_mode & S_IFMT == S_IFREG else {
        throw unusable("\(neighbour) is not a regular file", advice: "Move that away.")
      }
      guard isShared || info.st_uid == owner || info.st_uid == 0 else {
        throw unusable(
          "\(neighbour) belongs to \(Self.name(of: info.st_uid)), who may read what is written there",
          advice: "Move that away, or choose a folder of your own.")
      }
    }
  }

  /// Checks that the folder is one in which a store may be written.
  func checkFolderForWriting() throws(LoadLogError) {
    var info = stat()
    guard stat(folder, &info) == 0 else { throw unusable(String(cString: strerror(errno))) }
    if info.st_mode & mode_t(S_IWOTH) != 0, info.st_mode & mode_t(S_ISVTX) == 0 {
      throw unusable(
        "anybody may write to its folder, and delete others' files there",
        advice: "Choose a folder of your own, or chmod o-w it.")
    }
    if let network = FileSystemCheck.networkFileSystemName(at: folder) {
      throw networkFileSystem(network)
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      let why = errno == EROFS ? "it is on a read-only file system" : "its folder may not be written to"
      throw unusable(why)
    }
  }

  /// Checks that the existing file may be written to.
  func checkFileForWriting() throws(LoadLogError) {
    guard access(path, W_OK) != 0 else { return }
    guard errno != EROFS else { throw unusable("it is on a read-only file system") }
    var info = stat()
    throw stat(path, &info) == 0 ? notPermitted(owner: info.st_uid) : unusable("it may not be written to")
  }

  /// 0600, or 0660 in a setgid folder, so that a group can share a store there.
  var fileMode: mode_t {
    var info = stat()
    let isShared = stat(folder, &info) == 0 && info.st_mode & mode_t(S_ISGID) != 0
    return isShared ? 0o660 : 0o600
  }

  /// The size of the write-ahead log in bytes, found without opening it; 0 if there is none.
  var walSize: Int64 {
    var info = stat()
    return stat(walPath, &info) == 0 ? Int64(info.st_size) : 0
  }

  /// Holds on to the files that SQLite has open in this process, where SQLite holds on to them with locks of the
  /// process: those are gone as soon as somebody in it opens and closes one of the files, and then the next program
  /// that closes the store deletes the log, or begins the index anew that others have in memory. The numbers are
  /// those of SQLite's file format: the shared range of the database, and the byte of the index by which it knows
  /// whether anybody is there. Where the system has no such locks, a log that was deleted is only noticed.
  func holdOpenFiles() {
    _ = loadlog_hold_open_file(path, 0x4000_0002, 510)
    _ = loadlog_hold_open_file(indexPath, 128, 1)
  }

  /// The path as a SQLite URI with a query. All but these three SQLite takes as it is: https://sqlite.org/uri.html
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

  /// The gate of the store; its file is made if it is missing.
  func gate() throws(LoadLogError) -> StoreGate {
    try StoreGate(path: gatePath, mode: fileMode, besides: path)
  }

  /// Waits until nobody holds the gate. Opening the store waits without end; a person does not.
  ///
  /// - Throws: `busy` at the deadline.
  func awaitGate(deadline: Duration, _ clock: any LoadClock) throws(LoadLogError) {
    // A file without a gate is no store in use, and nothing is put beside it.
    guard FileID(path: gatePath, followingLinks: false) != nil else { return }
    let gate = try gate()
    try keepTrying(for: deadline, clock) { () throws(LoadLogError) in try gate.tryLock() }
    gate.unlock()
  }

  /// Tries to take a right to the store again and again, without standing in line at the gate: others get their turn in
  /// between, and whoever was stopped while holding it stops nobody for ever.
  ///
  /// - Throws: `busy` at the deadline.
  func keepTrying(
    for deadline: Duration, _ clock: any LoadClock, _ attempt: () throws(LoadLogError) -> Bool
  ) throws(LoadLogError) {
    let limit = clock.now().boot.addingClamping(deadline.wholeNanoseconds)
    while try !attempt() {
      guard clock.now().boot < limit else {
        throw LoadLogError(
          .busy, what: "store", why: "another process has kept the right to write beyond the deadline",
          advice: "Find it with lsof or fuser.", path: path)
      }
      // Often: those who wait in line leave the gate free for a moment only.
      usleep(1000)
    }
  }

  /// Whether what a store in use has beside it is there.
  var mayBeInUse: Bool { [gatePath, walPath].contains { FileID(path: $0) != nil } }

  /// The store that this would be a file of by its name: its log, gate or a lock.
  var storeBesides: StoreLocation? {
    for ending in ["-wal", "-shm", "-gate", "-journal"] where path.hasSuffix(ending) {
      return try? StoreLocation(String(path.dropLast(ending.count)), creatingFolder: false)
    }
    let name = (path as NSString).lastPathComponent
    guard let lock = name.range(of: "-owner-") else { return nil }
    return try? StoreLocation(folder + "/" + name[..<lock.lowerBound], creatingFolder: false)
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
        // Whatever the umask says.
        chmod(folder, 0o700)
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

  private func notPermitted(owner: uid_t) -> LoadLogError {
    let name = Self.name(of: owner)
    return unusable("it belongs to \(name)", advice: "Ask \(name), or name your own with --db.")
  }
}
