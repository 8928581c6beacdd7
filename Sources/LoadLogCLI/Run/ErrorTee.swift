import Foundation
import LoadLog

/// Passes a command's standard error on and remembers its last line.
struct ErrorTee {
  let reader: Int32
  private(set) var writer: Int32
  /// Whether the command, or a process that it left behind, may still write.
  private(set) var isOpen = true
  private var lines = LastLine()

  init?() {
    guard let pipe = Pipe.closingOnExec() else { return nil }
    (reader, writer) = pipe
    _ = fcntl(reader, F_SETFL, O_NONBLOCK)
  }

  /// The last line that had text on it.
  var lastLine: String? { lines.text }

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
    let bytes = Pipe.available(from: reader)
    if wasReadable, bytes.isEmpty { isOpen = false }
    lines.append(bytes)
    try? Output.write(bytes, to: STDERR_FILENO)
  }
}

/// Keeps the last non-empty line of a stream of bytes, in bounded memory.
struct LastLine {
  private static let limit = 4 * TextLimit.message
  private var done: [UInt8] = []
  private var current: [UInt8] = []

  /// The line, cut at the end if it is very long.
  var text: String? {
    let line = Self.hasText(current) ? current : done
    guard Self.hasText(line) else { return nil }
    return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  mutating func append(_ bytes: [UInt8]) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if Self.hasText(current) { done = current }
        current.removeAll(keepingCapacity: true)
      } else if current.count < Self.limit {
        current.append(byte)
      }
    }
  }

  private static func hasText(_ line: [UInt8]) -> Bool { line.contains { $0 > 0x20 } }
}
