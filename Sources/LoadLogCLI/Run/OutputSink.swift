import Foundation
import LoadLog

/// One of this process's own output streams, to which a command's output is passed on.
///
/// A write never waits for a reader: the signals for the command, and its time limit, must not wait for one either.
final class OutputSink {
  /// The stream as it was inherited.
  let stream: Int32
  /// The file to write to, and to poll.
  let file: Int32
  /// The number of bytes that one write may pass.
  private let mostBytes: Int
  private var pending: [UInt8] = []
  private var written = 0
  /// Why something could not be written, and was dropped; nil if nothing was. If the reader has gone, all the rest is.
  private(set) var error: OutputError?
  /// Whether the last line has no end yet.
  private(set) var isInLine = false

  init(_ stream: Int32) {
    self.stream = stream
    var info = stat()
    let kind = fstat(stream, &info) == 0 ? info.st_mode & S_IFMT : 0
    let canWait = isatty(stream) == 1 || kind != S_IFREG && kind != S_IFCHR
    // Opened again, the pipe or terminal can be made non-blocking for this process alone.
    let own = canWait ? open("/proc/self/fd/\(stream)", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1
    file = own < 0 ? stream : own
    // A pipe that is ready takes this many bytes without waiting.
    mostBytes = canWait && own < 0 ? Int(PIPE_BUF) : .max
  }

  deinit { if file != stream { close(file) } }

  /// Whether bytes wait for the reader.
  var isPending: Bool { written < pending.count }

  /// Writes what the reader takes now, and keeps the rest. Call it only if nothing is pending.
  func write(_ bytes: UnsafeRawBufferPointer) {
    guard error?.isReaderGone != true, let last = bytes.last else { return }
    if stream == STDOUT_FILENO, StandardStreams.isOutputClosed { return fail(OutputError(number: EBADF)) }
    isInLine = last != UInt8(ascii: "\n")
    let count = mostBytes == .max ? pass(bytes) : 0
    pending.append(contentsOf: bytes.dropFirst(count))
  }

  /// Writes more of what is pending. Call it when the file is ready.
  func flush() {
    let count = pending.withUnsafeBytes { pass(UnsafeRawBufferPointer(rebasing: $0[written...])) }
    written += count
    if written == pending.count {
      pending.removeAll(keepingCapacity: true)
      written = 0
    }
  }

  /// Writes what the reader takes now.
  ///
  /// - Returns: the number of bytes that are done with: all of them after an error, which drops them.
  private func pass(_ bytes: UnsafeRawBufferPointer) -> Int {
    var passed = 0
    while passed < bytes.count {
      let count = Foundation.write(
        file, bytes.baseAddress.map { $0 + passed }, min(bytes.count - passed, mostBytes))
      if count >= 0 {
        passed += count
        if mostBytes != .max { break }
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        fail(OutputError(number: errno))
        return bytes.count
      }
    }
    return passed
  }

  private func fail(_ error: OutputError) {
    if self.error == nil, !error.isReaderGone {
      Output.note("cannot pass on all of the output: \(String(cString: strerror(error.number))).")
    }
    self.error = error
  }
}
