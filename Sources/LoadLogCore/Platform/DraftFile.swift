#if canImport(Darwin)
  public import Darwin
#elseif canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#endif

/// A file that is written under another name and takes its own when it is complete, so that nobody ever sees
/// half of one.
///
///     let draft = try DraftFile(for: path, what: "cannot write")
///     defer { draft.discard() }
///     … write to draft.path …
///     try draft.publish()
///
/// Its calls block. One thread at a time uses a draft.
public final class DraftFile {
  /// Where the file lies until it is published: in the folder of its target.
  public let path: String
  /// The name that it will have.
  public let target: String
  private let what: String
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
    let descriptor = mkstemp(&template)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else {
      isThere = false
      throw problem()
    }
    defer { close(descriptor) }
    guard fchmod(descriptor, mode) == 0 else { throw problem() }
  }

  deinit { discard() }

  /// Makes the file survive a power cut, gives it its name, and makes that survive one too.
  ///
  /// - Throws: `diskFull` or `io`; the target is as it was then, or the new file without the promise that it
  ///   survives a power cut.
  public func publish() throws(LoadLogError) {
    try synchronize(path, O_RDONLY)
    guard rename(path, target) == 0 else { throw problem() }
    isThere = false
    let folder = target.lastIndex(of: "/").map { $0 == target.startIndex ? "/" : String(target[..<$0]) }
    try synchronize(folder ?? ".", O_RDONLY | O_DIRECTORY)
  }

  /// Deletes the draft, if it was not published.
  public func discard() {
    if isThere { unlink(path) }
    isThere = false
  }

  private static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private func synchronize(_ path: String, _ flags: Int32) throws(LoadLogError) {
    let descriptor = open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw problem() }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw problem() }
  }

  private func problem() -> LoadLogError {
    let number = errno
    return LoadLogError(
      number == ENOSPC || number == EDQUOT ? .diskFull : .io, what: what,
      why: String(cString: strerror(number)), path: target)
  }
}
