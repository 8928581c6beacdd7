import Foundation
import LoadLog

/// Passes a command's standard error on and remembers the line that explains a failure best.
struct ErrorTee {
  let reader: Int32
  private(set) var writer: Int32
  /// Whether the command, or a process that it left behind, may still write.
  private(set) var isOpen = true
  private var lines = ErrorLine()
  /// Whether the last line that was passed on has no end yet.
  private(set) var isInLine = false

  init?() {
    guard let pipe = Pipe.closingOnExec() else { return nil }
    (reader, writer) = pipe
    _ = fcntl(reader, F_SETFL, O_NONBLOCK)
  }

  /// The line that explains a failure best.
  var errorLine: String? { lines.text }

  /// Closes this process's copy of the writing end; the command has its own.
  mutating func closeWriter() {
    close(writer)
    writer = -1
  }

  /// Passes on the bytes that have arrived. Never waits: a process that the command left behind may keep the writing
  /// end open.
  ///
  /// - Parameter wasReadable: whether `poll` reported the pipe as readable: no bytes then mean the end.
  mutating func pump(wasReadable: Bool = false) {
    // As many as a pipe holds: a command that writes without end must not keep signals waiting, or fill the memory.
    let bytes = Pipe.available(from: reader, limit: 65_536)
    if wasReadable, bytes.isEmpty { isOpen = false }
    lines.append(bytes)
    if let last = bytes.last { isInLine = last != UInt8(ascii: "\n") }
    try? Output.write(bytes, to: STDERR_FILENO)
  }
}
