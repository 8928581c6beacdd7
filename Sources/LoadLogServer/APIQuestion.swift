import Foundation

/// A question of the JSON interface, as the words of the verb that answers it.
struct APIQuestion {
  private let verb: String
  private let arguments: [String]
  /// The verb's options that a query may have; a value of nil is a flag.
  private let options: Set<String>
  private let flags: Set<String>
  /// Whether the query may name feeds.
  private let hasFeeds: Bool

  private static let window: Set = ["since", "until"]

  /// - Parameter names: the parts of the path after `/api/v1`. Nil if there is nothing.
  init?(_ names: [String]) {
    switch (names.count, names.first) {
    case (1, "status"):
      self.init(
        "status", [], options: Self.window.union(["sort", "max-age", "max-running"]),
        flags: ["busy", "check", "failed", "late", "unbalanced", "overrunning"], hasFeeds: true)
    case (1, "history"):
      self.init(
        "history", [], options: Self.window.union(["state", "tag", "grep", "min-duration", "limit", "at"]),
        flags: ["flips"], hasFeeds: true)
    case (1, "unbalanced"): self.init("unbalanced", [], options: Self.window, hasFeeds: true)
    case (2, "loads"): self.init("show", [names[1]])
    case (3, "feeds") where names[2] == "last-updated": self.init("last-updated", [names[1]])
    default: return nil
    }
  }

  private init(
    _ verb: String, _ arguments: [String], options: Set<String> = [], flags: Set<String> = [],
    hasFeeds: Bool = false
  ) {
    self.verb = verb
    self.arguments = arguments
    self.options = options
    self.flags = flags
    self.hasFeeds = hasFeeds
  }

  /// The words of the command line that asks the same.
  ///
  /// - Parameter query: the query of the address: options without their dashes, `feed` for feeds and patterns. A flag has
  ///   no value.
  func words(_ query: String) throws(WrongQuery) -> [String] {
    var (words, feeds) = ([verb, "--json", "--quiet"], arguments)
    for part in query.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = pair.map { String($0).replacingOccurrences(of: "+", with: " ").removingPercentEncoding }
      guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else {
        throw WrongQuery(field: nil, why: "the query has an invalid escape")
      }
      switch name {
      case "feed" where hasFeeds: feeds.append(value)
      case _ where flags.contains(name):
        guard value.isEmpty || value == "1" || value == "true" else {
          throw WrongQuery(field: name, why: "\(name) takes no value; leave it out or write \(name)=1")
        }
        words.append("--\(name)")
      case _ where options.contains(name): words.append("--\(name)=\(value)")
      default: throw WrongQuery(field: name, why: "\(verb) has no parameter \"\(name)\" here")
      }
    }
    return words + ["--"] + feeds
  }
}

/// What is wrong with a query.
struct WrongQuery: Error {
  let field: String?
  let why: String
}
