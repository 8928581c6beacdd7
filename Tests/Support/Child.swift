import Foundation
import LoadLogLibC

/// A child process with pipes for its input and output. If it is still running when the last reference is released, it
/// is killed.
package final class Child {
  package struct OutputEnded: Error {}

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// Starts a program.
  ///
  /// - Parameter environment: variables to add to this process's environment.
  package init(_ command: [String], environment: [String: String] = [:]) throws {
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    if !environment.isEmpty {
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }
    process.standardInput = input
    process.standardOutput = output
    // The threads of the cooperative pool block signals, and a child inherits that: dash would wait forever.
    var none = sigset_t()
    var usual = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &usual)
    defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
    try process.run()
    // A child that closes its input must not end the tests.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Starts a process that holds the lock of a gate until its input ends, and waits until it has the lock.
  package static func holding(gate: String) throws -> Child {
    let child = try Child(["/usr/bin/env", "python3", TestPlaces.gate, "hold", gate])
    _ = try child.line()
    return child
  }

  deinit {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  package var pid: Int32 { process.processIdentifier }

  /// Waits for a line of the child's output.
  package func line() throws -> String {
    while true {
      if let end = unread.firstIndex(of: 0x0A) {
        let line = unread[..<end]
        unread = Data(unread[(end + 1)...])
        return String(decoding: line, as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw OutputEnded() }
      unread += more
    }
  }

  /// Waits for a line of the child's output that is one number.
  package func number() throws -> Int32 { Int32(try line()) ?? 0 }

  /// Waits until the child closes its output, and returns the rest of it.
  package func rest() throws -> String {
    let more = try output.fileHandleForReading.readToEnd() ?? Data()
    defer { unread = Data() }
    return String(decoding: unread + more, as: UTF8.self)
  }

  /// Closes the child's input, at which these programs end, and waits.
  @discardableResult
  package func finish() throws -> Int32 {
    try input.fileHandleForWriting.close()
    return waitForEnd()
  }

  /// Writes a line to the child's input.
  package func write(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Interrupts the child, as Control-C does, and waits.
  package func interrupt() {
    kill(pid, SIGINT)
    process.waitUntilExit()
  }

  /// Kills it and waits until it is reaped.
  package func killAndReap() {
    kill(pid, SIGKILL)
    process.waitUntilExit()
  }

  package func waitForEnd() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
