import Foundation
import LoadLog

/// A question of the JSON interface: a verb of the command line.
struct APIQuestion {
  /// The path after `/api/v1/`; a part in braces stands for an argument of the verb.
  let path: String
  /// The verb that answers it.
  let verb: String
  /// What it answers, in a few words.
  let summary: String
  /// The verb's options that a query may have.
  var options: [String] = []
  /// The verb's flags that a query may have.
  var flags: [String] = []
  /// Whether the query may name feeds.
  var hasFeeds = false
  /// The limit of a query without one; nil for that of the verb.
  var usualLimit: Int?

  /// The greatest number of loads in an answer.
  static let mostLoads = 10_000

  private static let window = ["since", "until"]

  static let all = [
    APIQuestion(
      path: "status", verb: "status", summary: "What each feed is doing, and the results of its loads.",
      options: window + ["sort", "max-age", "max-running"],
      flags: ["busy", "check", "failed", "late", "unbalanced", "overrunning"], hasFeeds: true),
    APIQuestion(
      path: "history", verb: "history", summary: "Loads, newest first.",
      options: window + ["state", "tag", "trace", "grep", "min-duration", "limit", "at"], flags: ["flips"],
      hasFeeds: true),
    APIQuestion(
      path: "unbalanced", verb: "unbalanced", summary: "Pushes without a pop, and pops without a push.",
      options: window + ["limit"], hasFeeds: true, usualLimit: mostLoads),
    APIQuestion(
      path: "loads/{id}", verb: "show", summary: "One load, by its id or the last digits of it."),
    APIQuestion(
      path: "feeds/{feed}/last-updated", verb: "last-updated", summary: "When a feed was last updated."),
  ]

  /// The parts of the path.
  private var parts: [String] { path.split(separator: "/").map(String.init) }
  /// The names of the arguments in the path.
  var arguments: [String] { parts.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) } }

  /// The words of the command line that asks the same.
  ///
  /// - Parameters:
  ///   - names: the parts of the path after `/api/v1`.
  ///   - query: the query of the address: options without their dashes, `feed` for feeds and patterns. A flag has no
  ///     value.
  /// - Returns: the words; nil if there is no such question.
  static func words(_ names: [String], _ query: String) throws(WrongQuery) -> [String]? {
    let found = all.first { question in
      question.parts.count == names.count
        && zip(question.parts, names).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
    guard let found else { return nil }
    return try found.words(zip(found.parts, names).filter { $0.0.hasPrefix("{") }.map(\.1), query)
  }

  /// The limit that is asked for, or the greatest one. The verb judges what is no number.
  private static func cut(_ limit: String) -> String {
    limit == "all" || Int32(limit) ?? 0 > mostLoads ? "\(mostLoads)" : limit
  }

  private func words(_ arguments: [String], _ query: String) throws(WrongQuery) -> [String] {
    var (words, feeds) = ([verb, "--json", "--quiet"], arguments)
    let parameters = Query(query).parameters
    if let usualLimit, !parameters.contains(where: { $0.name == "limit" }) {
      words.append("--limit=\(usualLimit)")
    }
    for (name, value) in parameters {
      guard let name, let value else { throw WrongQuery(field: nil, why: "the query has an invalid escape") }
      switch name {
      case "feed" where hasFeeds: feeds.append(value)
      case _ where flags.contains(name):
        guard value.isEmpty || value == "1" || value == "true" else {
          throw WrongQuery(field: name, why: "\(name) takes no value; leave it out or write \(name)=1")
        }
        words.append("--\(name)")
      // The parser would take the next word as the value of "--since=".
      case _ where options.contains(name):
        let value = name == "limit" ? Self.cut(value) : value
        words += value.isEmpty ? ["--\(name)", ""] : ["--\(name)=\(value)"]
      default:
        let known = (hasFeeds ? ["feed"] : []) + options + flags
        throw WrongQuery(
          field: name, why: "\(verb) has no parameter \(VisibleText.quoted(name)) here",
          hint: known.isEmpty ? "It has none." : "It has \(known.joined(separator: ", ")).")
      }
    }
    return words + ["--"] + feeds
  }
}

/// What is wrong with a query.
struct WrongQuery: Error {
  let field: String?
  let why: String
  var hint: String?
}

extension WrongQuery {
  /// What a verb says of its options, said of the parameters of a query, which are the options without dashes.
  init(_ error: LoadLogError, _ query: String) {
    let parameters = Query(query).parameters
    let option = /--([a-z-]+)( <[^>]*>)?/
    // What the client wrote, as the parser quotes it.
    let values = parameters.compactMap(\.value).map { "'\(VisibleText.line($0))'" }
    func plain(_ text: String) -> String {
      guard let value = values.first(where: { text.contains($0) }) else {
        return text.replacing(option) { $0.1 }
      }
      return text.components(separatedBy: value).map(plain).joined(separator: value)
    }
    /// The only parameter of the query that a text names.
    func named(_ text: String) -> String? {
      let text = values.reduce(text) { $0.replacing($1, with: "") }
      let names = Set(text.matches(of: option).map { String($0.1) })
        .intersection(parameters.compactMap(\.name))
      return names.count == 1 ? names.first : nil
    }
    let given = parameters.filter { $0.value != nil && $0.value == error.value }.compactMap(\.name)
    // These three take nearly any text: if another parameter has the same value, that one is wrong.
    let wrong = given.first { !["feed", "tag", "grep"].contains($0) } ?? given.first
    let plainError = LoadLogError(
      error.code, what: plain(error.what), value: error.value, why: plain(error.why), advice: error.advice)
    self.init(
      field: named(error.what) ?? named(error.why) ?? wrong ?? plain(error.what),
      why: plainError.description)
  }
}
