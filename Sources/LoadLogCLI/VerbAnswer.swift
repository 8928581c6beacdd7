import ArgumentParser
package import LoadLog
import LoadLogReports

/// Answers verbs without a terminal.
package enum VerbAnswer {
  /// What a verb prints with `--json`.
  ///
  /// - Parameters:
  ///   - words: the verb and its arguments.
  ///   - path: the store's path, as the answer names it.
  ///   - open: opens the store for reading.
  /// - Throws: `invalidInput` if the words are not those of a verb that answers questions; what asking the store throws.
  package static func json(
    _ words: [String], _ path: String, _ open: () throws(LoadLogError) -> any LoadReading
  ) throws -> [UInt8] { try bytes(verb(words).answer(open, at: path)) }

  /// What a verb prints of a fleet with `--json`.
  ///
  /// - Throws: `invalidInput` if the words are not those of a verb that answers questions; what asking the fleet throws.
  package static func json(_ words: [String], of fleet: AskedFleet) throws -> [UInt8] {
    try bytes(fleet.answer(verb(words)))
  }

  private static func bytes(_ answer: Answer) -> [UInt8] { Array((answer.json().text() + "\n").utf8) }

  private static func verb(_ words: [String]) throws -> any AnsweringVerb {
    let command: any ParsableCommand
    do {
      command = try LoadLogCommand.command(words)
    } catch let error as LoadLogError {
      throw error
    } catch {
      let complaint = Ending(of: error).complaint ?? "it is not understood"
      throw LoadLogError(
        .invalidInput, what: "query", why: complaint.hasSuffix(".") ? String(complaint.dropLast()) : complaint
      )
    }
    guard let verb = command as? any AnsweringVerb else {
      throw LoadLogError(.invalidInput, what: "query", why: "it is not understood")
    }
    return verb
  }
}
