import ArgumentParser
import LoadLog

/// `loadlog`: the verbs, in the order in which its help shows them.
struct LoadLogCommand: ParsableCommand {
  static let name = "loadlog"

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Keep a record of what loads, how long it takes and what never finishes.",
    discussion: """
      Start with one command, then ask:

        loadlog run backup/db -- pg_dump app
        loadlog status

      A FEED is a name you choose; where a verb asks, * and ? stand for any characters. TIME is 24h, 7d, \
      14:05, "yesterday 14:05", 2026-11-21 or RFC 3339. An ID may be shortened to its last digits.

      Exit codes: 0 done, 1 a check failed or nothing was there to finish or pop, 2 wrong usage, 3 no usable \
      store, 4 busy, 5 disk full or I/O error, 6 damaged store.
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
      // demo is not displayed; here it still has help and completions.
      CommandGroup(name: "Keep", subcommands: [DoctorVerb.self, PruneVerb.self, DemoVerb.self]),
    ])

  /// Parses a command line.
  ///
  /// - Parameter arguments: the words after the program's name.
  /// - Throws: the parser's errors, and `invalidInput` if the first word is neither a verb nor an option. That error
  ///   suggests the verb with the most similar name.
  static func command(_ arguments: [String]) throws -> any ParsableCommand {
    guard let word = arguments.first, !word.hasPrefix("-"), word != "help" else {
      return try parseAsRoot(arguments)
    }
    let verbs = configuration.groupedSubcommands.flatMap { $0.subcommands }
    guard let verb = verbs.first(where: { $0.configuration.commandName == word }) else {
      let meant = SimilarName.of(word, among: verbs.compactMap { $0.configuration.commandName })
      throw LoadLogError(
        .invalidInput, what: "verb", value: word, why: "there is no such verb",
        advice: meant.map { "Did you mean \(VisibleText.quoted($0))?" } ?? "See loadlog --help.")
    }
    // The parser reflects on each command that it may have to parse: on one verb, not on all of them. Only help and
    // errors need the others, for the names in their texts.
    let command = try? verb.parseAsRoot(Array(arguments.dropFirst()))
    return try command.flatMap { type(of: $0) == verb ? $0 : nil } ?? parseAsRoot(arguments)
  }
}
