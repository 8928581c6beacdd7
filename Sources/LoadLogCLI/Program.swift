import ArgumentParser
import Foundation

/// The process: arguments in, exit code out.
@main
enum Program {
  static func main() {
    StandardStreams.secure()
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Runs one command line.
  ///
  /// - Returns: the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      try LoadLogCommand.expectVerb(arguments.first)
      var command = try LoadLogCommand.parseAsRoot(arguments)
      try command.run()
      return Ending.done
    } catch {
      return Ending(of: error).announce()
    }
  }
}
