import ArgumentParser
import Foundation
import LoadLog

/// The process: arguments in, exit code out. Called by `main`, with its arguments.
@_cdecl("loadlog_main")
public func loadlogMain(_ count: Int32, _ words: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  StandardStreams.secure()
  Program.arguments = UnsafeBufferPointer(start: words, count: Int(count)).dropFirst().compactMap(\.self)
  return Program.run(Program.arguments.map { String(cString: $0) })
}

/// Runs command lines.
enum Program {
  /// The arguments after the program's name, as bytes. Set once, before anything else runs.
  nonisolated(unsafe) fileprivate(set) static var arguments: [UnsafePointer<CChar>] = []

  /// Refuses arguments that are not UTF-8: Swift would repair them, and two different names could become equal. Those
  /// after `--` belong to a command and are passed on byte for byte.
  ///
  /// - Throws: `invalidInput`.
  static func checkArguments() throws(LoadLogError) {
    let own = arguments.prefix { strcmp($0, "--") != 0 }
    guard let argument = own.first(where: { String(validatingCString: $0) == nil }) else { return }
    throw LoadLogError(
      .invalidInput, what: "argument", value: String(cString: argument), why: "it is not valid UTF-8")
  }

  /// Runs one command line.
  ///
  /// - Returns: the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      if let text = try ShellQuestion.answer(arguments) {
        try Output.write(text)
        return Ending.done
      }
      // `run` checks its arguments itself: it must run its command even if they are invalid.
      if arguments.first != RunVerb.configuration.commandName { try checkArguments() }
      var command = try LoadLogCommand.command(arguments)
      try command.run()
      return Ending.done
    } catch {
      return Ending(of: error, verb: arguments.first).announce()
    }
  }
}
