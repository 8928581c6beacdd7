import ArgumentParser
import Foundation
import LoadLog

/// The process: arguments in, exit code out.
@main
enum Program {
  static func main() {
    StandardStreams.secure()
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// - Throws: `invalidInput` if an argument of this program's own is not UTF-8.
  static func checkArguments() throws(LoadLogError) {
    guard let argument = unreadableArgument else { return }
    throw LoadLogError(.invalidInput, what: "argument", value: argument, why: "it is not valid UTF-8")
  }

  /// The first of this program's own arguments that is not UTF-8. Swift would repair it, and two different names could
  /// become equal. Arguments after `--` belong to a command and are passed on byte for byte.
  private static var unreadableArgument: String? {
    for argument in UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
      .dropFirst()
    {
      guard let argument, strcmp(argument, "--") != 0 else { return nil }
      if String(validatingCString: argument) == nil { return String(cString: argument) }
    }
    return nil
  }

  /// Runs one command line.
  ///
  /// - Returns: the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      // `run` checks its arguments itself: it must run its command even if they are invalid.
      if arguments.first != RunVerb.configuration.commandName { try checkArguments() }
      var command = try LoadLogCommand.command(arguments)
      try command.run()
      return Ending.done
    } catch {
      return Ending(of: error).announce()
    }
  }
}
