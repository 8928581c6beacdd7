import ArgumentParser
import LoadLog

/// `loadlog`: the verbs, in the order in which its help shows them.
struct LoadLogCommand: ParsableCommand {
  static let name = "loadlog"

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Keep a record of what loads, how long it takes and what never finishes.",
    discussion: """
      Record a command, then show the status:

        loadlog run backup/db -- pg_dump app
        loadlog status

      A FEED is a name that you choose. Verbs that read the record take patterns with * and ?. TIME is 24h, 7d, \
      14:05, "yesterday 14:05", 2026-11-21 or RFC 3339. An ID may be shortened to its last digits.

      Exit codes: 0 success, 1 a check failed or there was nothing to finish or pop, 2 wrong usage, 3 no usable \
      store, 4 store busy, 5 disk full or I/O error, 6 damaged store.
      """,
    version: "0.1.0",
    groupedSubcommands: [
      CommandGroup(
        name: "Ask",
        subcommands: [
          StatusVerb.self, HistoryVerb.self, ShowVerb.self, UnbalancedVerb.self, LastUpdatedVerb.self,
        ]),
      CommandGroup(
        name: "Record",
        subcommands: [
          RunVerb.self, StartVerb.self, FinishVerb.self, PushVerb.self, PopVerb.self, ResetVerb.self,
        ]),
      CommandGroup(name: "Exchange", subcommands: [ImportVerb.self, ExportVerb.self, ReportVerb.self]),
      // The list of verbs hides demo, but demo still has help and completions.
      CommandGroup(name: "Keep", subcommands: [DoctorVerb.self, PruneVerb.self, DemoVerb.self]),
    ])

  private static var verbs: [any ParsableCommand.Type] {
    configuration.groupedSubcommands.flatMap { $0.subcommands }
  }

  /// The verb with a name.
  static func verb(_ name: String) -> (any ParsableCommand.Type)? {
    verbs.first { $0.configuration.commandName == name }
  }

  /// Parses a command line.
  ///
  /// - Parameter arguments: the words after the program's name.
  /// - Throws: the parser's errors, and `invalidInput` if the first word is neither a verb nor an option. That error
  ///   suggests the verb with the most similar name.
  static func command(_ arguments: [String]) throws -> any ParsableCommand {
    guard let word = arguments.first, !word.hasPrefix("-"), word != "help" else {
      return try parseAsRoot(arguments)
    }
    guard let verb = verb(word) else {
      let meant = SimilarName.of(word, among: verbs.compactMap { $0.configuration.commandName })
      throw LoadLogError(
        .invalidInput, what: "verb", value: word, why: "there is no such verb",
        advice: meant.map { "Did you mean \(VisibleText.quoted($0))?" } ?? "See loadlog --help.")
    }
    // The parser reflects on every command that it is given, which takes time: give it only the verb in question. Only
    // help and error texts need the names of the others.
    let command = try? verb.parseAsRoot(Array(arguments.dropFirst()))
    return try command.flatMap { type(of: $0) == verb ? $0 : nil } ?? parseAsRoot(arguments)
  }
}
