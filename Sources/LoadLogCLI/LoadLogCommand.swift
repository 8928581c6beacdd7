import ArgumentParser
import LoadLog

/// `loadlog`: the verbs, in the order in which its help shows them.
struct LoadLogCommand: ParsableCommand {
  static let name = "loadlog"
  static let version = LoadLogVersion.current

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Keep a record of what loads, how long it takes and what never finishes.",
    discussion: """
      Record a command, then show the status:

        loadlog run backup/db -- pg_dump app
        loadlog status

      A FEED is a name that you choose. Verbs that read the record, except last-updated, take patterns with * and ?. \
      TIME is 24h, 7d, 14:05, "yesterday 14:05", 2026-11-21, RFC 3339, or as loadlog prints it. An ID may be \
      shortened to its last digits.

      loadlog help store says where the record is, loadlog help verdicts how a load can end, and loadlog help \
      exit-codes lists the exit codes.
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Ask",
        subcommands: [
          StatusVerb.self, HistoryVerb.self, ShowVerb.self, OutputVerb.self, UnbalancedVerb.self,
          LastUpdatedVerb.self, ServeVerb.self,
        ]),
      CommandGroup(
        name: "Record",
        subcommands: [
          RunVerb.self, StartVerb.self, FinishVerb.self, PushVerb.self, PopVerb.self, ResetVerb.self,
        ]),
      CommandGroup(name: "Expect", subcommands: [ExpectVerb.self, NotifyVerb.self]),
      CommandGroup(name: "Exchange", subcommands: [ImportVerb.self, ExportVerb.self, ReportVerb.self]),
      CommandGroup(name: "Fleet", subcommands: [SyncVerb.self, FleetVerb.self]),
      // The list of verbs hides demo, but demo still has help and completions.
      CommandGroup(
        name: "Maintain", subcommands: [DoctorVerb.self, RecoverVerb.self, PruneVerb.self, DemoVerb.self]),
    ])

  /// Parses a command line.
  ///
  /// - Parameter arguments: the words after the program's name.
  /// - Throws: the parser's errors; `CleanExit` with a page of help that belongs to no verb; and `invalidInput` if the
  ///   first word is neither a verb nor an option. That error suggests the verb with the most similar name.
  static func command(_ arguments: [String]) throws -> any ParsableCommand {
    guard let word = arguments.first else {
      if let greeting = Greeting.text { throw CleanExit.message(greeting) }
      return try help(arguments)
    }
    if word.hasPrefix("-") { return try help(arguments) }
    if word == "help" {
      if let page = arguments.dropFirst().first.flatMap(HelpTopic.init) { throw CleanExit.message(page.text) }
      // The parser would print the main help instead of help for an unknown verb.
      if let topic = arguments.dropFirst().first, !topic.hasPrefix("-"), topic != word { _ = try verb(topic) }
      return try help(arguments)
    }
    let verb = try verb(word)
    // The parser reflects on every command that it is given, which takes time: give it only the verb in question. Only
    // help and error texts need the names of the others.
    let words = Array(arguments.dropFirst())
    let own = Array(words.prefix { $0 != "--" })
    let rest = words.dropFirst(own.count)
    let readings = readings(of: prepared(own, for: verb))
    for reading in readings {
      if let command = try? verb.parseAsRoot(reading + rest), type(of: command) == verb { return command }
    }
    if verb == RunVerb.self, questions.isDisjoint(with: own),
      let fault = RunVerb.fault(in: own, hasCommand: !rest.isEmpty)
    {
      throw fault
    }
    return try help([word] + (readings.last ?? own) + rest)
  }

  /// The words of a verb as the parser can read them.
  static func prepared(_ words: [String], for verb: any ParsableCommand.Type) -> [String] {
    verb == RunVerb.self ? RunVerb.prepared(words) : words
  }

  /// The ways to read words, the likelier first: the parser takes the next word as the value of "--since=", which has an
  /// empty one. Behind an option such a word may itself be the value, as in "-m --since=".
  private static func readings(of words: [String]) -> [[String]] {
    func split(_ word: String) -> [String] {
      word.hasPrefix("--") && word.hasSuffix("=") ? [String(word.dropLast()), ""] : [word]
    }
    let asValues = zip([""] + words, words).flatMap { before, word in
      before.hasPrefix("-") && !before.contains("=") ? [word] : split(word)
    }
    return [words.flatMap(split), asValues]
  }

  /// The verb with a name.
  ///
  /// - Throws: `invalidInput` if there is none; suggests the verb with the most similar name.
  static func verb(_ word: String) throws -> any ParsableCommand.Type {
    let verbs = configuration.groupedSubcommands.flatMap { $0.subcommands }
    if let verb = verbs.first(where: { $0.configuration.commandName == word }) { return verb }
    let meant = SimilarName.of(word, among: verbs.compactMap { $0.configuration.commandName })
    throw LoadLogError(
      .invalidInput, what: "verb", value: word, why: "there is no such verb",
      advice: meant.map { "Did you mean \(VisibleText.quoted($0))?" } ?? "See loadlog --help.")
  }

  private static let questions: Set = ["-h", "-help", "--help", "--version"]

  /// The command that prints help or the version.
  ///
  /// - Throws: the parser's errors, and `invalidInput` for a word such as "-hx" if no other word asks for help: the parser
  ///   finds "-h" in it and ignores the rest.
  private static func help(_ arguments: [String]) throws -> any ParsableCommand {
    if let first = arguments.first, first.hasPrefix("-"), !questions.contains(first),
      let verb = arguments.first(where: { (try? verb($0)) != nil })
    {
      throw LoadLogError(
        .invalidInput, what: "option", value: first, why: "it stands before the verb",
        advice: "Write loadlog \(verb) first, and then its options.")
    }
    let help = try parseAsRoot(arguments)
    let own = arguments.prefix { $0 != "--" }
    guard let glued = own.first(where: { $0.wholeMatch(of: /-[a-zA-Z0-9]*h[a-zA-Z0-9]*/) != nil }),
      own.allSatisfy({ !questions.contains($0) })
    else { return help }
    throw LoadLogError(
      .invalidInput, what: "option", value: glued, why: "there is no such option",
      advice: "See loadlog \(glued == own.first ? "" : "\(own[0]) ")--help.")
  }
}
