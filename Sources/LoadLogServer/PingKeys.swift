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
  /// - Throws: `invalidInput` for a line that is none of the three, and for a file without a secret; `storeUnusable` if
  ///   others may read the file; `io`.
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
    try self.init(file.text(), file: path)
    guard !prefixes.isEmpty || !feeds.isEmpty || !badges.isEmpty else {
      throw LoadLogError(
        .invalidInput, what: "the file of ping keys", why: "it holds no key and no UUID",
        advice: "Delete it, and a file with a new key is made.", path: path)
    }
  }

  /// Reads keys from a text.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - path: the file that has it, for errors; nil if there is none.
  /// - Throws: `invalidInput` for a line that is none of the three, or repeats a secret; for a prefix with which no name
  ///   is allowed.
  package init(_ text: String, file path: String? = nil) throws(LoadLogError) {
    // A line is not shown, because it may be a secret.
    func wrong(_ number: Int, _ why: String) -> LoadLogError {
      LoadLogError(
        .invalidInput, what: "line \(number) of the file of ping keys", why: why,
        advice: "A line is KEY, KEY PREFIX, UUID FEED, or badge KEY. openssl rand -hex 16 prints a new key.",
        path: path)
    }
    func check(_ feed: String, _ number: Int) throws(LoadLogError) -> Feed {
      do {
        return try Feed(feed).validated()
      } catch {
        throw wrong(number, "its feed or prefix is invalid: \(error.why)")
      }
    }
    var secrets: Set<String> = []
    for (number, line) in SecretFile.lines(text) {
      let words = line.split(maxSplits: 1) { $0 == " " || $0 == "\t" }.map(String.init)
      let rest = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : nil
      let isUUID = UUID(uuidString: words[0]) != nil
      let isBadge = words[0] == "badge"
      let secret = isUUID ? words[0].lowercased() : isBadge ? rest ?? "" : words[0]
      guard secrets.insert(secret).inserted else {
        throw wrong(number, "its key or UUID is that of an earlier line")
      }
      if isUUID, let rest {
        feeds.append((Secret(secret), try check(rest, number)))
      } else if !isUUID, Secret.isAllowed(secret) {
        if isBadge {
          badges.append(Secret(secret))
        } else {
          _ = try check((rest ?? "") + "a", number)
          prefixes.append((Secret(secret), rest ?? ""))
          first = first ?? secret
        }
      } else {
        throw wrong(
          number,
          isUUID
            ? "its UUID is not followed by the name of a feed"
            : "a key has only letters, digits, - and _, and at least \(Secret.leastCharacters) of them"
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

  /// Compares with all secrets, so that the time reveals nothing about them.
  private static func value<Value>(of given: String, in secrets: [(Secret, Value)]) -> Value? {
    secrets.reduce(nil) { found, one in one.0.matches(given) ? one.1 : found }
  }
}
