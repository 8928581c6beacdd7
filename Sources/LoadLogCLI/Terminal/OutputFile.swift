import Foundation
import LoadLog

/// The destination of a long answer: standard output, or a file that appears only when it is complete. A new file is
/// readable by its owner alone, as the store is; a file that is replaced keeps its permissions.
final class OutputFile {
  private enum Place {
    case standardOutput
    /// A device or a pipe, which cannot be replaced.
    case open(String)
    case draft(DraftFile)
  }

  private let place: Place
  private let descriptor: Int32

  /// Opens a destination; nil and `-` are standard output.
  ///
  /// - Parameters:
  ///   - name: the path of the file.
  ///   - store: the store that is read, whose files are never overwritten.
  ///   - mode: the permissions of a new file, without those that the umask takes away.
  /// - Throws: `invalidInput` if the destination is a store; `diskFull` or `io`.
  init(_ name: String?, besides store: String, mode: mode_t = 0o600) throws(LoadLogError) {
    guard let name, name != "-" else {
      place = .standardOutput
      descriptor = STDOUT_FILENO
      return
    }
    try StoreCopy.refuseStore(at: name, besides: store)
    var info = stat()
    if stat(name, &info) == 0, info.st_mode & S_IFMT != S_IFREG {
      place = .open(name)
      descriptor = open(name, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.error(errno, name) }
    } else {
      let draft = try DraftFile(replacing: name, mode: mode & ~Self.umask, what: "cannot write")
      place = .draft(draft)
      descriptor = open(draft.path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.error(errno, name) }
    }
  }

  deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

  /// The umask, which can only be read by setting it. For programs of one thread.
  private static var umask: mode_t {
    let mask = Foundation.umask(0o077)
    _ = Foundation.umask(mask)
    return mask
  }

  /// Whether the destination is a terminal.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Writes bytes.
  ///
  /// - Throws: `OutputError` if standard output cannot be written to; `diskFull` or `io`.
  func write(_ bytes: [UInt8]) throws {
    do throws(OutputError) {
      guard descriptor != STDOUT_FILENO || !StandardStreams.isOutputClosed else {
        throw OutputError(number: EBADF)
      }
      try Output.write(bytes, to: descriptor)
    } catch {
      switch place {
      case .standardOutput: throw error
      case .open(let name): throw error.isReaderGone ? error : Self.error(error.number, name) as any Error
      case .draft(let draft): throw Self.error(error.number, draft.target)
      }
    }
  }

  /// Reports that a file was written.
  ///
  /// - Parameters:
  ///   - name: its path; nil and `-` are standard output, of which nothing is reported.
  ///   - size: its length in bytes.
  ///   - contents: what it contains, such as "12 loads".
  static func note(_ name: String?, size: Int, contents: String? = nil) {
    guard let name, name != "-" else { return }
    let parts = ["wrote \(VisibleText.quoted(name))", ByteText.text(Int64(size)), contents]
    Output.note(parts.compactMap(\.self).joined(separator: ", "))
  }

  /// Publishes a file: syncs it and gives it its name.
  func finish() throws(LoadLogError) {
    if case .draft(let draft) = place { try draft.publish() }
  }

  private static func error(_ number: Int32, _ name: String) -> LoadLogError {
    LoadLogError(
      number == ENOSPC || number == EDQUOT || number == EFBIG ? .diskFull : .io, what: "cannot write",
      why: String(cString: strerror(number)), path: name)
  }
}
