import ArgumentParser
import LoadLog
import LoadLogReports

/// A verb that answers a question about the record, in a terminal and over HTTP.
protocol AnsweringVerb: ParsableCommand {
  var fleet: FleetOptions { get }
  var store: StoreOptions { get }

  /// Asks the store.
  ///
  /// - Parameters:
  ///   - open: opens the store, or the fleet's database, for reading.
  ///   - path: the store's path, or the database's address, as the answer names it.
  func answer(
    _ open: () throws(LoadLogError) -> any LoadReading, at path: String
  ) throws -> Answer

  /// Prints an answer.
  ///
  /// - Throws: the exit code of a failed check.
  func print(_ answer: Answer) throws
}

/// What a verb answers.
struct Answer {
  /// The answer for people.
  var text: (PageStyle) -> String
  /// The answer for programs.
  var json: () -> JSONValue
  /// What a person should know beside the answer, which may be read by a script.
  var note: String?
  /// Whether it is that a check failed.
  var isRefusal = false
}

extension AnsweringVerb {
  func run() throws { try printAnswer() }

  /// Prints the answer of the store that the options name. A fleet answers in `loadlog-net`.
  func printAnswer() throws {
    if fleet.fleet { try NetProgram.execute() }
    let store = store
    try print(answer({ () throws(LoadLogError) in try store.reader() }, at: store.path()))
  }
}
