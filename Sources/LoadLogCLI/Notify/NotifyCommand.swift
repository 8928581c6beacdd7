import Foundation
import LoadLog
import LoadLogText

/// A command of the user's shell that `notify` runs.
struct NotifyCommand: FlipDestination {
  /// How long a command may run, in nanoseconds, and how long after SIGTERM it is killed.
  private static let limit: Int64 = 30_000_000_000, patience: Int64 = 2_000_000_000

  let text: String
  /// The option that gave it.
  let option: String

  /// - Throws: `invalidInput` if the shell knows no such command.
  func validate() throws(LoadLogError) {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw LoadLogError(
        .invalidInput, what: option, value: text, why: "it is empty", advice: "Name a command.")
    }
    // Only the shell understands a redirection or a function.
    let start = text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
    let next = text.drop(while: \.isWhitespace).dropFirst(start.count).first { !$0.isWhitespace }
    guard !start.contains(where: { "<>(){}".contains($0) }), next != "(" else { return }
    let words = ShellCommands(text).commands.first { !$0.isEmpty } ?? []
    guard let program = words.first(where: { !$0.contains("=") }) else { return }
    // The shell alone knows what a variable or a word of its grammar stands for.
    let isPlain = program.allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
    guard isPlain,
      Self.run("command -v -- \"$LOADLOG_PROGRAM\" >/dev/null", ["LOADLOG_PROGRAM": program]) != .succeeded
    else { return }
    throw LoadLogError(
      .invalidInput, what: option, value: text, why: "there is no command \(VisibleText.quoted(program))",
      advice: "Name one that is on the PATH, or give its whole path.")
  }

  func deliver(_ batch: FlipBatch) -> DeliveryEnd {
    Self.run(text, ["LOADLOG_SUMMARY": batch.line, "LOADLOG_TEXT": batch.text], input: batch.json)
  }

  /// Runs the command without variables and input.
  func run() -> DeliveryEnd { Self.run(text, [:]) }

  /// Runs a command in a process group of its own.
  ///
  /// - Parameters:
  ///   - text: the command.
  ///   - variables: variables to add to its environment.
  ///   - input: its standard input, a file, so that it need not read it.
  private static func run(_ text: String, _ variables: [String: String], input: String = "") -> DeliveryEnd {
    let child: ChildProcess
    do {
      let file = try file(with: input)
      defer { close(file) }
      child = try ChildProcess(
        ["/bin/sh", "-c", text], input: file, output: nil, variables: variables, ownGroup: true, blocked: nil)
    } catch let error as SpawnError {
      return .failed("cannot run: \(error.text)")
    } catch {
      return .failed("cannot hand over its input: \(error)")
    }
    if let end = end(of: child, within: limit) { return end }
    for signal in [SIGTERM, SIGKILL] {
      child.end(with: signal)
      if end(of: child, within: patience) != nil { break }
    }
    // What the shell started may have ignored the first signal.
    child.end(with: SIGKILL)
    return .failed("timed out after \(DurationText.limit(limit))")
  }

  /// How often to check whether a command has ended, in milliseconds.
  private static let interval: Int32 = 10

  /// How the shell ended, whatever it left in the background; nil if it goes on.
  private static func end(of child: ChildProcess, within nanoseconds: Int64) -> DeliveryEnd? {
    let last = BootClock().now().boot + nanoseconds
    while true {
      switch child.end(stopped: {})?.end {
      case .exited(0): return .succeeded
      case .exited(let code): return .failed("exit \(code)")
      case .signalled(let signal): return .failed("signal \(signal)")
      case .timedOut, nil: break
      }
      guard BootClock().now().boot < last else { return nil }
      poll(nil, 0, interval)
    }
  }

  /// An unnamed file with a text, to be read from its beginning. An alarm must not fail for lack of a folder for temporary
  /// files, or of room in it.
  private static func file(with text: String) throws(OutputError) -> Int32 {
    var failure = OutputError(number: ENOENT)
    for folder in [UnnamedFile.usualFolder, "/tmp", "/var/tmp"] {
      do throws(OutputError) {
        let file = try UnnamedFile.make(in: folder)
        do throws(OutputError) {
          try Output.write(Array(text.utf8), to: file)
          lseek(file, 0, SEEK_SET)
          return file
        } catch {
          close(file)
          throw error
        }
      } catch {
        failure = error
      }
    }
    throw failure
  }
}
