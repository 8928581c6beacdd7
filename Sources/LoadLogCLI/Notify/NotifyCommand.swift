import Foundation
import LoadLog
import LoadLogText

/// A command of the user's shell that `notify` runs.
struct NotifyCommand {
  /// How a command ended.
  enum End: Equatable {
    case succeeded
    case failed(String)
  }

  /// How long a command may run, in nanoseconds, and how long after SIGTERM it is killed.
  private static let limit: Int64 = 30_000_000_000, patience: Int64 = 2_000_000_000

  let text: String

  /// - Throws: `invalidInput` if the shell knows no such command.
  func validate(option: String) throws(LoadLogError) {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw LoadLogError(
        .invalidInput, what: option, value: text, why: "it is empty", advice: "Name a command.")
    }
    let words = ShellCommands(text).commands.first { !$0.isEmpty } ?? []
    guard let program = words.first(where: { !$0.contains("=") }) else { return }
    // The shell alone can tell what a variable or a word of its grammar stands for.
    let isPlain = program.allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
    guard isPlain,
      Self.run("command -v -- \"$LOADLOG_PROGRAM\" >/dev/null", ["LOADLOG_PROGRAM": program]) != .succeeded
    else { return }
    throw LoadLogError(
      .invalidInput, what: option, value: text, why: "there is no command \(VisibleText.quoted(program))",
      advice: "Name one that is on the PATH, or give its whole path.")
  }

  /// Runs the command in a process group of its own, with a text as its standard input.
  ///
  /// - Parameters:
  ///   - input: its standard input, a file, so that it need not read it.
  ///   - summary: the value of `$LOADLOG_SUMMARY`.
  func run(input: String, summary: String) -> End {
    Self.run(text, ["LOADLOG_SUMMARY": summary], input: input)
  }

  private static func run(_ text: String, _ variables: [String: String], input: String = "") -> End {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", text]
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      process.standardInput = try file(with: input)
      try process.run()
    } catch {
      return .failed("cannot run: \(error)")
    }
    func ends(within nanoseconds: Int64) -> Bool {
      ended.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success
    }
    guard !ends(within: limit) else { return end(of: process) }
    // Foundation gives the process a group of its own.
    for signal in [SIGTERM, SIGKILL] {
      kill(-process.processIdentifier, signal)
      kill(process.processIdentifier, signal)
      if ends(within: patience) { break }
    }
    // What the shell started may have ignored the first signal.
    kill(-process.processIdentifier, SIGKILL)
    return .failed("timed out after \(DurationText.limit(limit))")
  }

  private static func end(of process: Process) -> End {
    switch (process.terminationReason, process.terminationStatus) {
    case (.exit, 0): .succeeded
    case (.exit, let code): .failed("exit \(code)")
    case (_, let signal): .failed("signal \(signal)")
    }
  }

  /// An unnamed file with a text, to be read from its beginning.
  private static func file(with text: String) throws -> FileHandle {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/loadlog-notify.XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw LoadLogError(errno: errno, what: "cannot create", path: folder) }
    unlink(template)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: Data(text.utf8))
    try file.seek(toOffset: 0)
    return file
  }
}
