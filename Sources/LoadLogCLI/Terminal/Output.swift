import Foundation
import LoadLog

/// The error of a write to standard output.
struct OutputError: Error, CustomStringConvertible {
  let number: Int32

  /// Whether the reader has closed the pipe, or the connection. This is no failure: it has read all that it wanted.
  var isReaderGone: Bool { number == EPIPE || number == ECONNRESET }

  var description: String { "standard output: \(String(cString: strerror(number)))." }
}

/// Writes results to standard output, and everything else to standard error.
enum Output {
  /// Writes a result.
  static func write(_ text: String) throws(OutputError) {
    try write(bytes: Array(text.utf8))
  }

  /// Writes bytes of a result.
  static func write(bytes: [UInt8]) throws(OutputError) {
    guard !StandardStreams.isOutputClosed else { throw OutputError(number: EBADF) }
    try write(bytes, to: STDOUT_FILENO)
  }

  /// Writes the answer of a command whose exit code says more than that it was written. A reader that has gone has read
  /// all that it wanted, and changes nothing of that code.
  static func write(answer: String) throws(OutputError) {
    do throws(OutputError) {
      try write(answer)
    } catch {
      guard error.isReaderGone else { throw error }
    }
  }

  /// Writes one line to standard error, after the program's name.
  static func note(_ text: String) { error("loadlog: \(text)") }

  /// Writes to standard error. Ignores failures: there is no other place to report them.
  static func error(_ text: String, terminator: String = "\n") {
    try? write(Array((text + terminator).utf8), to: STDERR_FILENO)
  }

  /// Writes all bytes to a file.
  static func write(_ bytes: [UInt8], to file: Int32) throws(OutputError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
      } else if errno != EINTR {
        throw OutputError(number: errno)
      }
    }
  }
}
