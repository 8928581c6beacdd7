import Foundation
import LoadLog

/// A file that is read from its beginning to its end, or standard input.
final class InputFile: Sendable {
  /// The name as given by the user.
  let name: String
  /// The name, or that of standard input.
  var title: String { name == "-" ? "standard input" : name }
  /// Size in bytes; nil if it is not a regular file.
  let size: Int64?
  /// When it was last modified, in microseconds of wall time; nil if it is not a regular file.
  let modified: Int64?
  private let descriptor: Int32
  private let isInput: Bool
  /// What closes the descriptor, if it is not this object.
  private let owner: TemporaryFile?

  /// Opens a file; `-` is standard input.
  ///
  /// - Parameter store: a store whose files are refused: closing them here would drop SQLite's locks.
  /// - Throws: `invalidInput` if there is no such file, or it cannot be read.
  init(_ name: String, besides store: String) throws(LoadLogError) {
    self.name = name
    isInput = name == "-"
    owner = nil
    func refusal(_ why: String, _ advice: String? = nil) -> LoadLogError {
      Self.error(.invalidInput, "cannot read", name, why, advice: advice)
    }
    for ending in isInput ? [] : ["", "-wal", "-shm", "-gate"] {
      guard let file = FileID(path: name), file == FileID(path: store + ending) else { continue }
      throw refusal("it belongs to the store itself", "Name the file to import, and the store with --db.")
    }
    descriptor = isInput ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw refusal(String(cString: strerror(errno))) }
    var info = stat()
    let isKnown = fstat(descriptor, &info) == 0
    let isRegular = isKnown && info.st_mode & S_IFMT == S_IFREG
    size = isRegular ? Int64(info.st_size) : nil
    #if canImport(Darwin)
      let time = info.st_mtimespec
    #else
      let time = info.st_mtim
    #endif
    modified = isRegular && !isInput ? Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000 : nil
    if isKnown, info.st_mode & S_IFMT == S_IFDIR { throw refusal("it is a folder") }
  }

  /// Reads a temporary file, from its beginning.
  ///
  /// - Parameter name: what to call it.
  init(_ file: TemporaryFile, named name: String) {
    self.name = name
    descriptor = file.descriptor
    isInput = false
    owner = file
    lseek(descriptor, 0, SEEK_SET)
    var info = stat()
    size = fstat(descriptor, &info) == 0 ? Int64(info.st_size) : nil
    modified = nil
  }

  deinit { if !isInput, owner == nil { close(descriptor) } }

  /// An error of the file with a name.
  static func error(
    _ code: LoadLogError.Code, _ what: String, _ name: String, _ why: String, advice: String? = nil
  ) -> LoadLogError {
    name == "-"
      ? LoadLogError(code, what: "\(what) standard input", why: why, advice: advice)
      : LoadLogError(code, what: what, value: name, why: why, advice: advice)
  }

  /// Reads the rest as a text. What is not UTF-8 is replaced.
  ///
  /// - Throws: `io`.
  func text() throws(LoadLogError) -> String { String(decoding: try bytes(), as: UTF8.self) }

  /// Reads the rest.
  ///
  /// - Throws: `io`.
  func bytes() throws(LoadLogError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = try read(into: &piece)
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }

  /// Reads the next bytes into a buffer, from an index to its end at most.
  ///
  /// - Returns: the number of bytes; 0 at the end of the file.
  /// - Throws: `io`.
  func read(into buffer: inout [UInt8], from start: Int = 0) throws(LoadLogError) -> Int {
    while true {
      let count = buffer.withUnsafeMutableBytes { bytes in
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
        return Foundation.read(descriptor, rest.baseAddress, rest.count)
      }
      if count >= 0 { return count }
      guard errno == EINTR || errno == EAGAIN else {
        throw Self.error(.io, "cannot read", name, String(cString: strerror(errno)))
      }
      if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
      }
    }
  }
}
