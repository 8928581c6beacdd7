internal import CLoadLogShims
public import LoadLogLibC

/// A file that is written under another name and takes its own when it is complete, so that nobody ever sees
/// half of one.
///
///     let draft = try DraftFile(for: path, what: "cannot write")
///     defer { draft.discard() }
///     … write to draft.path …
///     try draft.publish()
///
/// While it is written it is locked (flock), so that others can tell it from one that a process left behind when it was
/// killed. Its calls block. One thread at a time uses a draft.
public final class DraftFile {
  /// Where the file lies until it is published: in the folder of its target.
  public let path: String
  /// The name that it will have.
  public let target: String
  private let what: String
  /// Open and locked until the draft gets its name.
  private var descriptor: Int32
  private var isThere = true

  /// Makes an empty draft.
  ///
  /// - Parameters:
  ///   - target: the name that the file will have; a link is followed. What lies there stays until the draft
  ///     is published.
  ///   - mode: its permissions, whatever the umask says.
  ///   - what: what is being done, for errors, such as "cannot write".
  /// - Throws: `diskFull` or `io`.
  public init(for target: String, mode: mode_t = 0o600, what: String) throws(LoadLogError) {
    self.target = Self.resolved(target)
    self.what = what
    var template = Array((self.target + "-new-XXXXXX").utf8CString)
    descriptor = mkstemp(&template)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else {
      isThere = false
      throw problem()
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    // Where there are no such locks the draft may be taken for one that was left behind, which is no worse.
    _ = loadlog_flock(descriptor, LOCK_EX | LOCK_NB)
    guard fchmod(descriptor, mode) == 0 else { throw problem() }
  }

  deinit { discard() }

  /// Makes the file survive a power cut, gives it its name, and makes that survive one too.
  ///
  /// - Throws: `diskFull` or `io`; the target is as it was then, or the new file without the promise that it
  ///   survives a power cut.
  public func publish() throws(LoadLogError) {
    guard fsync(descriptor) == 0 else { throw problem() }
    // Before it can be a database that is in use: closing it would drop SQLite's locks.
    closeDescriptor()
    guard rename(path, target) == 0 else { throw problem() }
    isThere = false
    let folder = target.lastIndex(of: "/").map { $0 == target.startIndex ? "/" : String(target[..<$0]) }
    try synchronizeFolder(folder ?? ".")
  }

  /// Deletes the draft, if it was not published.
  public func discard() {
    if isThere { unlink(path) }
    isThere = false
    closeDescriptor()
  }

  /// The name of the draft that a file was written as, or beside, if its name looks so; nil for other names.
  ///
  /// - Parameters:
  ///   - name: the name of a file in the target's folder.
  ///   - target: the name that the draft would have got.
  public static func draftName(of name: String, for target: String) -> String? {
    let start = target + "-new-"
    guard name.hasPrefix(start), name.utf8.count >= start.utf8.count + 6 else { return nil }
    return String(decoding: name.utf8.prefix(start.utf8.count + 6), as: UTF8.self)
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

  private func synchronizeFolder(_ path: String) throws(LoadLogError) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw problem() }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw problem() }
  }

  private func problem() -> LoadLogError {
    let number = errno
    return LoadLogError(
      number == ENOSPC || number == EDQUOT ? .diskFull : .io, what: what,
      why: String(cString: strerror(number)), path: target)
  }
}
