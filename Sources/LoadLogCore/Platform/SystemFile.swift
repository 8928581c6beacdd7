import LoadLogLibC

/// Reads small system files, such as those in /proc, without Foundation.
package enum SystemFile {
  /// The bytes of a file, up to a limit; nil if it cannot be opened or read.
  static func bytes(_ path: String, limit: Int = 1 << 20) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < limit {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
        return nil
      }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// The first line of a file, without white space at its ends; nil if it cannot be read.
  package static func line(_ path: String) -> String? {
    guard let bytes = bytes(path, limit: 4096) else { return nil }
    let isBlank = { (byte: UInt8) in byte <= 0x20 }
    var line = bytes.prefix { $0 != 0x0A }.drop(while: isBlank)
    while let last = line.last, isBlank(last) { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }

  /// Where a symbolic link points; nil if it cannot be read.
  static func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4097)
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The names in a folder that are numbers; none if it cannot be read.
  static func numbers(in folder: String) -> [Int32] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var numbers: [Int32] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
          String(cString: $0)
        }
      }
      if let number = Int32(name) { numbers.append(number) }
    }
    return numbers
  }

  /// Whether a path names a regular file, links followed.
  static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether an open file is a regular file that only its user may use.
  package static func isPrivate(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_mode & 0o077 == 0
  }

  /// Whether other users than its own may use a file; false if there is none.
  package static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
  }
}
