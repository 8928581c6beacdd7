import Foundation
package import LoadLogCore

/// The secrets in the addresses of pings and badges, and the feeds that they lead to.
///
/// A file has a line for each: a key, with a prefix for the names of its feeds if one follows; a UUID and the name of its
/// feed; or the word `badge` and the key of badges. Empty lines and those that begin with # do not count.
package struct PingKeys: Sendable {
  private var prefixes: [(key: Secret, prefix: String)] = []
  private var feeds: [(uuid: Secret, feed: Feed)] = []
  private var badges: [Secret] = []

  /// The first key of the file, for the address that the server prints; nil if it has none.
  package private(set) var first: String?

  /// Reads the keys of a file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - isMade: whether a missing file is made, with one key for pings; otherwise there are no keys then.
  /// - Throws: `invalidInput` for a line that is none of the three; `storeUnusable` if others may read the file; `io`.
  package init(file path: String, isMade: Bool = true) throws(LoadLogError) {
    let file = SecretFile(path, "the file of ping keys")
    guard isMade || access(path, F_OK) == 0 else {
      try self.init("")
      return
    }
    try file.createIfMissing {
      """
      # Secrets in addresses of loadlog serve. A line is a key for pings, and a prefix for the names of its feeds if one
      # follows; a UUID and the name of its feed; or the word badge and the key of badges.
      \(Secret.random())

      """
    }
    try self.init(file.text())
  }

  /// Reads keys from a text.
  ///
  /// - Throws: `invalidInput` for a line that is none of the three.
  package init(_ text: String) throws(LoadLogError) {
    for (number, line) in SecretFile.lines(text) {
      let words = line.split(maxSplits: 1) { $0 == " " || $0 == "\t" }.map(String.init)
      let word = words[0]
      let rest = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : nil
      if UUID(uuidString: word) != nil, let rest {
        feeds.append((Secret(word.lowercased()), try Feed(rest).validated()))
      } else if word == "badge", let rest, Secret.isAllowed(rest) {
        badges.append(Secret(rest))
      } else if Secret.isAllowed(word), UUID(uuidString: word) == nil {
        prefixes.append((Secret(word), rest ?? ""))
        first = first ?? word
      } else {
        // The line itself may be a secret.
        throw LoadLogError(
          .invalidInput, what: "line \(number) of the file of ping keys",
          why:
            "it is neither a key of at least \(Secret.leastCharacters) letters and digits nor a UUID and a feed"
        )
      }
    }
  }

  /// The feed of a slug under a key; nil if there is no such key.
  func feed(_ key: String, _ slug: String) -> Feed? {
    Self.value(of: key, in: prefixes).map { Feed($0 + slug) }
  }

  /// The feed of a UUID; nil if there is none.
  func feed(_ uuid: String) -> Feed? { Self.value(of: uuid.lowercased(), in: feeds) }

  /// Whether a text is a key of badges.
  func hasBadges(_ key: String) -> Bool { Self.value(of: key, in: badges.map { ($0, true) }) != nil }

  /// Looks at all secrets: the time tells nothing about them.
  private static func value<Value>(of given: String, in secrets: [(Secret, Value)]) -> Value? {
    secrets.reduce(nil) { found, one in one.0.matches(given) ? one.1 : found }
  }
}
