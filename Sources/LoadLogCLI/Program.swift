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

  /// - Throws: `invalidInput` if an argument of this program's own is not UTF-8.
  static func checkArguments() throws(LoadLogError) {
    guard let argument = unreadableArgument else { return }
    throw LoadLogError(.invalidInput, what: "argument", value: argument, why: "it is not valid UTF-8")
  }

  /// The first of this program's own arguments that is not UTF-8. Swift would repair it, and two different names could
  /// become equal. Arguments after `--` belong to a command and are passed on byte for byte.
  private static var unreadableArgument: String? {
    arguments.prefix { strcmp($0, "--") != 0 }.first { String(validatingCString: $0) == nil }
      .map { String(cString: $0) }
  }

  /// Runs one command line.
  ///
  /// - Returns: the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    if let code = ShellQuestion.answer(arguments) { return code }
    do {
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
