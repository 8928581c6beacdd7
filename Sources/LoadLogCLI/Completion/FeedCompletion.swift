import ArgumentParser
import LoadLog

/// A verb whose arguments are names of feeds.
protocol FeedVerb: ParsableCommand {
  /// The names on the command line, in order.
  var namedFeeds: [String] { get }
  var store: StoreOptions { get }
}

extension StatusVerb: FeedVerb { var namedFeeds: [String] { window.feeds } }
extension HistoryVerb: FeedVerb { var namedFeeds: [String] { window.feeds } }
extension UnbalancedVerb: FeedVerb { var namedFeeds: [String] { ack && !all ? [] : window.feeds } }
extension LastUpdatedVerb: FeedVerb { var namedFeeds: [String] { [feed] } }
extension RunVerb: FeedVerb { var namedFeeds: [String] { [feed] } }
extension StartVerb: FeedVerb { var namedFeeds: [String] { [feed] } }
extension PushVerb: FeedVerb { var namedFeeds: [String] { [feed] } }
extension PopVerb: FeedVerb { var namedFeeds: [String] { [feed] } }
extension ResetVerb: FeedVerb { var namedFeeds: [String] { feeds } }
extension ExpectVerb: FeedVerb { var namedFeeds: [String] { [feed].compactMap(\.self) } }
extension NotifyVerb: FeedVerb { var namedFeeds: [String] { feeds } }
extension ExportVerb: FeedVerb { var namedFeeds: [String] { window.feeds } }
extension ReportVerb: FeedVerb { var namedFeeds: [String] { window.feeds } }

/// What shells ask before they know a whole command line: a completion script, and names of feeds for it.
enum ShellQuestion {
  /// Answers `loadlog --generate-completion-script SHELL`, also with "=" or without a shell as the parser reads it, and
  /// `loadlog ---feeds WORD…` from such a script.
  ///
  /// - Returns: the text to print; nil if the arguments are no such question.
  /// - Throws: the exit code if no feed may follow.
  static func answer(_ arguments: [String]) throws -> String? {
    let option = arguments.first?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) ?? []
    let rest = option.dropFirst().map(String.init) + arguments.dropFirst()
    switch option.first {
    case "---feeds":
      guard let names = feeds(after: rest) else { throw ExitCode(Ending.refused) }
      return names.map { $0 + "\n" }.joined()
    case "--generate-completion-script" where rest.count <= 1:
      let shell = rest.first.map(CompletionShell.init(rawValue:)) ?? .autodetected()
      return shell.map { CompletionScript.text(for: $0) + "\n" }
    default: return nil
    }
  }

  /// What verbs demand that may be typed behind the feeds.
  private static let rests = [[], ["--", "true"], ["--on-change", "true"], ["--check"]]

  /// Returns the names of feeds that may follow the words of a command line; nil if no feed may follow. There are no
  /// names if the store cannot be read: a completion reports no errors, and creates no store.
  ///
  /// The words are parsed with a placeholder behind them, so that the parser decides what may stand there; and with what a
  /// complete line may have behind it.
  ///
  /// - Parameter words: the words between the program's name and the cursor.
  private static func feeds(after words: [String]) -> [String]? {
    let placeholder = "feed"
    guard let word = words.first, let verb = try? LoadLogCommand.verb(word) as? any FeedVerb.Type else {
      return nil
    }
    let own = LoadLogCommand.prepared(Array(words.dropFirst()), for: verb)
    let parsed = rests.lazy.compactMap { try? verb.parseAsRoot(own + [placeholder] + $0) as? any FeedVerb }
      .first { $0.namedFeeds.last == placeholder }
    guard let parsed else { return nil }
    let reader = try? SQLiteLoadReader(at: parsed.store.path(), deadline: .seconds(1))
    return (try? reader?.feeds().map(\.name)) ?? []
  }
}
