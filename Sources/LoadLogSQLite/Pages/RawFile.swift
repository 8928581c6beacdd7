import LoadLogCore
import LoadLogLibC

/// A file that is only ever read, byte by byte, without SQLite and without its locks.
///
/// The process must not have the same file open through SQLite: closing this one would release SQLite's locks.
final class RawFile {
  let path: String
  let size: Int64
  private let descriptor: Int32

  /// Opens a file.
  ///
  /// - Throws: `storeMissing`, `storeUnusable` or `io`.
  init(_ path: String) throws(LoadLogError) {
    self.path = path
    // Opening a pipe would wait for its other end.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      guard errno != ENOENT else {
        throw LoadLogError(.storeMissing, what: "no store", why: "nothing is there", path: path)
      }
      throw LoadLogError(errno: errno, what: "cannot open", path: path)
    }
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw LoadLogError(
        .storeUnusable, what: "cannot open", why: "it is not a regular file", path: path)
    }
    size = Int64(info.st_size)
  }

  deinit { close(descriptor) }

  /// The bytes at an offset; nil if the file ends before the last one, or if they cannot be read.
  func bytes(at offset: Int64, _ count: Int) -> [UInt8]? {
    guard offset >= 0, offset <= size - Int64(count) else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress?.advanced(by: done), count - done, off_t(offset) + off_t(done))
      }
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { return nil }
      done += read
    }
    return bytes
  }
}

extension [UInt8] {
  /// The unsigned big-endian number of some bytes at an index, which must be there.
  func number(at index: Int, bytes: Int) -> UInt32 {
    self[index..<index + bytes].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The variable-length integer at an index, and the index after it; nil if it does not end before the limit.
  func variableInteger(at index: Int, before limit: Int) -> (value: UInt64, next: Int)? {
    var value: UInt64 = 0
    for position in 0..<9 {
      guard index + position < limit else { return nil }
      let byte = self[index + position]
      if position == 8 { return (value << 8 | UInt64(byte), index + 9) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return (value, index + position + 1) }
    }
    return nil
  }
}
