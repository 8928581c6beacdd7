import ArgumentParser
import LoadLog

/// The exit code of a command that did not return normally, and the text to print before it exits.
struct Ending {
  static let done: Int32 = 0
  /// A check failed, or there was nothing to finish or pop.
  static let refused: Int32 = 1
  static let usage: Int32 = 2
  static let store: Int32 = 3
  static let busy: Int32 = 4
  static let io: Int32 = 5
  static let damaged: Int32 = 6

  let code: Int32
  /// One line for standard error.
  var complaint: String?
  /// Help, a version or a completion script, for standard output.
  var page: String?

  /// Maps an error to an exit code and a text.
  ///
  /// - Parameter verb: the first word of the command line, whose help explains what is wrong with the others.
  init(of error: any Error, verb: String? = nil) {
    switch error {
    case let error as LoadLogError:
      code = Self.code(of: error.code)
      complaint = Self.text(of: error, verb: verb)
    case let error as OutputError:
      code = error.isReaderGone ? Self.done : Self.io
      complaint = error.isReaderGone ? nil : error.description
    case let error as ExitCode:
      code = error.rawValue
    case _ where LoadLogCommand.exitCode(for: error) == .success:
      code = Self.done
      page = LoadLogCommand.fullMessage(for: error)
    default:
      code = Self.usage
      let message = LoadLogCommand.message(for: error)
      var line = VisibleText.line(message.replacing("\n  - ", with: " ").replacing("\n", with: " "))
      // The parser would suggest another option, which may do harm.
      if let verb = Self.help(ofVerb: verb), line.hasPrefix("Unknown option '--fleet'") {
        // These concern a fleet anyway, or no host's store.
        let others = [FleetVerb.configuration, SyncVerb.configuration, DemoVerb.configuration]
        let needsNone = others.contains { $0.commandName == verb }
        line = "\(verb) has no --fleet: \(needsNone ? "omit it" : "run it on the host whose store is meant")."
      }
      let page = verb.map { word in Self.help(ofVerb: word).map { "help \($0)" } ?? "--help" }
      complaint = Self.pointing(line, to: page)
    }
  }

  /// Prints the text.
  ///
  /// - Returns: the exit code.
  func announce() -> Int32 {
    if let complaint { Output.note(complaint) }
    guard let page else { return code }
    do {
      try Output.write(page + "\n")
      return code
    } catch {
      return Ending(of: error).announce()
    }
  }

  /// An error of the library on one line. If it does not say what to do, the page of help that explains it follows.
  static func text(of error: LoadLogError, verb: String?) -> String {
    let page: String? =
      switch error.code {
      case _ where error.advice != nil: nil
      case .invalidInput: help(ofVerb: verb)
      case .storeMissing, .storeUnusable, .storeMoved, .notLoadLog, .newerStore, .busy, .diskFull, .damaged:
        HelpTopic.store.rawValue
      case .fleetUnreachable, .fleetUnusable, .storeCopied: FleetVerb.configuration.commandName
      default: nil
      }
    return pointing(error.description, to: page.map { "help \($0)" })
  }

  /// The page of a verb; nil if the word is none.
  private static func help(ofVerb word: String?) -> String? {
    word.flatMap { try? LoadLogCommand.verb($0) }?.configuration.commandName
  }

  private static func pointing(_ line: String, to page: String?) -> String {
    guard let page else { return line }
    return "\(line)\(".?".contains(line.last ?? ".") ? "" : ".") See loadlog \(page)."
  }

  /// The exit code for an error code of the library.
  static func code(of code: LoadLogError.Code) -> Int32 {
    switch code {
    case .notFound: refused
    case .invalidInput, .ambiguousID: usage
    case .storeMissing, .storeUnusable, .notLoadLog, .newerStore, .storeCopied, .fleetUnusable: store
    case .busy: busy
    case .damaged: damaged
    default: io
    }
  }
}
