import ArgumentParser
@testable import LoadLogCLI

/// The verbs of `loadlog`, read from its tree of commands, so that no test keeps a list of its own.
enum Verbs {
  static let all = LoadLogCommand.configuration.subcommands

  static let names = all.map(name)

  /// The verbs that the main help and README list.
  static let displayedNames = all.filter { $0.configuration.shouldDisplay }.map(name)

  private static func name(_ verb: any ParsableCommand.Type) -> String {
    verb.configuration.commandName ?? "\(verb)"
  }

  /// The help of a verb as the program prints it on a terminal that is 80 columns wide.
  static func help(_ name: String) -> String? {
    all.first { Self.name($0) == name }.map { LoadLogCommand.helpMessage(for: $0, columns: 80) }
  }

  /// Whether the help of a verb has an example that calls the verb.
  static func hasExample(_ name: String, in help: String) throws -> Bool {
    let example = help.split(separator: "\nExample:\n").dropFirst().first?.split(separator: "\nUSAGE: ").first
    return try example?.contains(Regex("loadlog \(name)[ \n]")) ?? false
  }
}
