import Foundation
import LoadLog

/// A question of the JSON interface: a verb of the command line.
struct APIQuestion {
  /// The path after `/api/v1`; a part in braces stands for an argument of the verb.
  let path: [String]
  /// The verb that answers it.
  let verb: String
  /// What it answers, in a few words.
  let summary: String
  /// The verb's options that a query may have.
  let options: [String]
  /// The verb's flags that a query may have.
  let flags: [String]
  /// Whether the query may name feeds.
  let hasFeeds: Bool
  /// The limit of a query without one; nil for that of the verb.
  let usualLimit: Int?

  /// The greatest number of loads in an answer.
  static let mostLoads = 10_000

  private static let window = ["since", "until"]

  static let all = [
    APIQuestion(
      "status", "status", "What each feed is doing, and the results of its loads.",
      options: window + ["sort", "max-age", "max-running"],
      flags: ["busy", "check", "failed", "late", "unbalanced", "overrunning"], hasFeeds: true),
    APIQuestion(
      "history", "history", "Loads, newest first.",
      options: window + ["state", "tag", "trace", "grep", "min-duration", "limit", "at"], flags: ["flips"],
      hasFeeds: true),
    APIQuestion(
      "unbalanced", "unbalanced", "Pushes without a pop, and pops without a push.",
      options: window + ["limit"], hasFeeds: true, usualLimit: mostLoads),
    APIQuestion("loads/{id}", "show", "One load, by its id or the last digits of it."),
    APIQuestion("feeds/{feed}/last-updated", "last-updated", "When a feed was last updated."),
  ]

  private init(
    _ path: String, _ verb: String, _ summary: String, options: [String] = [], flags: [String] = [],
    hasFeeds: Bool = false, usualLimit: Int? = nil
  ) {
    self.path = path.split(separator: "/").map(String.init)
    self.verb = verb
    self.summary = summary
    self.options = options
    self.flags = flags
    self.hasFeeds = hasFeeds
    self.usualLimit = usualLimit
  }

  /// The names of the arguments in the path.
  var arguments: [String] { path.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) } }

  /// The words of the command line that asks the same.
  ///
  /// - Parameters:
  ///   - names: the parts of the path after `/api/v1`.
  ///   - query: the query of the address: options without their dashes, `feed` for feeds and patterns. A flag has no
  ///     value.
  /// - Returns: the words; nil if there is no such question.
  static func words(_ names: [String], _ query: String) throws(WrongQuery) -> [String]? {
    let found = all.first { question in
      question.path.count == names.count
        && zip(question.path, names).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
    guard let found else { return nil }
    return try found.words(zip(found.path, names).filter { $0.0.hasPrefix("{") }.map(\.1), query)
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
      case "limit" where options.contains(name):
        guard Int(value).map((1...Self.mostLoads).contains) == true else {
          throw WrongQuery(field: name, why: "\(name) must be a number from 1 to \(Self.mostLoads)")
        }
        words.append("--limit=\(value)")
      case _ where flags.contains(name):
        guard value.isEmpty || value == "1" || value == "true" else {
          throw WrongQuery(field: name, why: "\(name) takes no value; leave it out or write \(name)=1")
        }
        words.append("--\(name)")
      // The parser would take the next word as the value of "--since=".
      case _ where options.contains(name):
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
  let hint: String?

  init(field: String?, why: String, hint: String? = nil) {
    self.field = field
    self.why = why
    self.hint = hint
  }

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
    field = named(error.what) ?? named(error.why) ?? wrong ?? plain(error.what)
    why =
      LoadLogError(
        error.code, what: plain(error.what), value: error.value, why: plain(error.why), advice: error.advice
      ).description
    hint = nil
  }
}
