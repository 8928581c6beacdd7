import ArgumentParser
import LoadLog
import LoadLogReports

/// A verb that answers a question about the record, in a terminal and over HTTP.
protocol AnsweringVerb: ParsableCommand {
  var store: StoreOptions { get }

  /// Asks the store.
  ///
  /// - Parameters:
  ///   - open: opens the store for reading.
  ///   - path: the store's path, as the answer names it.
  func answer(
    _ open: () throws(LoadLogError) -> SQLiteLoadReader, at path: String
  ) throws -> Answer
}

/// What a verb answers.
struct Answer {
  /// The answer for people.
  let text: (PageStyle) -> String
  /// The answer for programs.
  let json: () -> JSONValue
  /// Whether it is that a check failed.
  var isRefusal = false
}

extension AnsweringVerb {
  /// The answer of the store that the options name.
  func answer() throws -> Answer { try answer(store.reader, at: store.path()) }
}
