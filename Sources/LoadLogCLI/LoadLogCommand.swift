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

  /// The command that a line asks for.
  ///
  /// - Throws: what ``parsed(_:)`` throws.
  static func command(_ arguments: [String]) throws -> any ParsableCommand {
    try plain(arguments) ?? parsed(arguments)
  }

  /// The verbs that scripts call again and again.
  static let plainVerbs: [any (ParsableCommand & PlainArguments).Type] = [
    StartVerb.self, FinishVerb.self, PushVerb.self, PopVerb.self, StatusVerb.self, LastUpdatedVerb.self,
    UnbalancedVerb.self, HistoryVerb.self,
  ]

  /// The command that a plain line of one of these verbs asks for; nil if the parser must read the line.
  static func plain(_ arguments: [String]) -> (any ParsableCommand)? {
    let verb = plainVerbs.first { $0.configuration.commandName == arguments.first }
    return verb?.init(words: Array(arguments.dropFirst()))
  }

  /// The command that a line asks the parser for.
  ///
  /// - Throws: what the parser throws; `invalidInput` if the line begins with no verb and no option, with the verb
  ///   that was probably meant.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    guard let word = arguments.first, !word.hasPrefix("-"), word != "help" else {
      return try parseAsRoot(arguments)
    }
    let verbs = configuration.groupedSubcommands.flatMap { $0.subcommands }
    if let verb = verbs.first(where: { $0.configuration.commandName == word }) {
      // Nearly all lines are right, and their verb alone reads them sooner than the whole family. Help, and what is
      // not right, the family has to tell, in its own name.
      let command = try? verb.parseAsRoot(Array(arguments.dropFirst()))
      return try command.flatMap { type(of: $0) == verb ? $0 : nil } ?? parseAsRoot(arguments)
    }
    let meant = SimilarName.of(word, among: verbs.compactMap { $0.configuration.commandName })
    throw LoadLogError(
      .invalidInput, what: "verb", value: word, why: "there is no such verb",
      advice: meant.map { "Did you mean \(VisibleText.quoted($0))?" } ?? "See loadlog --help.")
  }
}
