import Foundation
package import LoadLogCore
import LoadLogReports

/// A secret that requests must know.
package struct Secret: Sendable {
  private let bytes: [UInt8]

  /// The least number of characters: as many hold 128 random bits.
  static let leastCharacters = 22

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Whether a text is the secret. The time that this takes depends on the text's length alone.
  func matches(_ text: String) -> Bool {
    let given = Array(text.utf8)
    guard given.count == bytes.count else { return false }
    return zip(bytes, given).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Whether a text can be a secret: it is long enough, and can be written in an address.
  static func isAllowed(_ text: String) -> Bool {
    text.utf8.count >= leastCharacters && text.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil
  }

  /// 128 random bits as 32 digits.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return UInt128.random(in: 0 ... .max, using: &generator).hexDigits
  }
}

/// A file with secrets, which only its user may read.
package struct SecretFile: Sendable {
  private let path: String
  private let what: String

  /// Names a file.
  ///
  /// - Parameters:
  ///   - path: its path.
  ///   - what: its name in errors, such as "the file of ping keys".
  package init(_ path: String, _ what: String) {
    self.path = path
    self.what = what
  }

  /// The greatest number of bytes of a file.
  private static let mostBytes = 1 << 20

  /// The file's text.
  ///
  /// - Throws: `storeUnusable` if others may read the file; `invalidInput` if it is longer than 1 MiB, or no UTF-8; `io`.
  package func text() throws(LoadLogError) -> String {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("cannot read") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard SystemFile.isPrivate(descriptor) else {
      throw LoadLogError(
        .storeUnusable, what: what, why: "other users can read it, or it is not a regular file",
        advice: "Run: chmod 600 \(PageStyle.shellWord(path))", path: path)
    }
    let data: Data
    do {
      data = try file.read(upToCount: Self.mostBytes + 1) ?? Data()
    } catch {
      throw failure("cannot read")
    }
    guard data.count <= Self.mostBytes, let text = String(data: data, encoding: .utf8) else {
      throw LoadLogError(
        .invalidInput, what: what, why: "it is not UTF-8 text of at most \(Self.mostBytes) bytes", path: path)
    }
    return text
  }

  /// The file's lines that are neither empty nor comments, with their numbers from 1.
  func lines() throws(LoadLogError) -> [(number: Int, line: Substring)] { Self.lines(try text()) }

  /// The lines of a text that are neither empty nor comments, with their numbers from 1.
  static func lines(_ text: String) -> [(number: Int, line: Substring)] {
    text.split(omittingEmptySubsequences: false) { $0.isNewline }.enumerated()
      .filter { !$0.element.allSatisfy(\.isWhitespace) && !$0.element.hasPrefix("#") }
      .map { ($0.offset + 1, $0.element) }
  }

  /// Makes the file with a text if it is missing.
  func createIfMissing(_ text: () -> String) throws(LoadLogError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      switch errno {
      case EEXIST: return
      case ENOENT:
        let folder = (path as NSString).deletingLastPathComponent
        throw LoadLogError(
          .io, what: "cannot create \(what)", why: "its folder is missing",
          advice: "Run: mkdir -p \(PageStyle.shellWord(folder))", path: path)
      default: throw failure("cannot create")
      }
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try file.write(contentsOf: Data(text().utf8))
      try file.synchronize()
    } catch {
      unlink(path)
      throw failure("cannot write")
    }
  }

  private func failure(_ verb: String) -> LoadLogError {
    LoadLogError(.io, what: "\(verb) \(what)", why: String(cString: strerror(errno)), path: path)
  }
}
