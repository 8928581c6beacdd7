import Foundation
package import LoadLogCore

/// The secrets in the addresses of pings, and the feeds that they lead to.
///
/// A file has a line for each: a key, with a prefix for the names of its feeds if one follows; or a UUID and the name of
/// its feed. Empty lines and those that begin with # do not count.
package struct PingKeys: Sendable {
  private var prefixes: [(key: [UInt8], prefix: String)] = []
  private var feeds: [(uuid: [UInt8], feed: Feed)] = []

  /// The first key of the file, for the address that the server prints; nil if it has none.
  package private(set) var first: String?

  /// The least number of characters of a key: as many hold 128 random bits.
  private static let leastCharacters = 22
  /// The greatest number of bytes of a file.
  private static let mostBytes = 1 << 20

  /// Reads the keys of a file, or makes a file with one key if there is none.
  ///
  /// - Throws: `invalidInput` for a line that is neither, and for a file without a secret; `storeUnusable` if others may
  ///   read the file; `io`.
  package init(file path: String) throws(LoadLogError) {
    try Self.createIfMissing(path)
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure("cannot read", path) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_mode & 0o077 == 0 else {
      throw LoadLogError(
        .storeUnusable, what: "the file of ping keys", why: "others could read it, or it is no file",
        advice: "Run: chmod 600 \(VisibleText.quoted(path)).", path: path)
    }
    let data: Data
    do {
      data = try file.read(upToCount: Self.mostBytes + 1) ?? Data()
    } catch {
      throw Self.failure("cannot read", path)
    }
    guard data.count <= Self.mostBytes, let text = String(data: data, encoding: .utf8) else {
      throw LoadLogError(
        .invalidInput, what: "the file of ping keys", why: "it is no text of at most \(Self.mostBytes) bytes",
        path: path)
    }
    try self.init(text)
    guard !prefixes.isEmpty || !feeds.isEmpty else {
      throw LoadLogError(
        .invalidInput, what: "the file of ping keys", why: "it holds no key and no UUID",
        advice: "Delete it, and a file with a new key is made.", path: path)
    }
  }

  /// Reads keys from a text.
  ///
  /// - Throws: `invalidInput` for a line that is neither a key nor a UUID with its feed, or repeats an earlier one; for a
  ///   prefix with which no name is allowed.
  package init(_ text: String) throws(LoadLogError) {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    var secrets: Set<String> = []
    for (index, line) in lines.enumerated() {
      let words = line.split(maxSplits: 1) { $0 == " " || $0 == "\t" }.map(String.init)
      guard let word = words.first, !word.hasPrefix("#") else { continue }
      let rest = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : nil
      let isUUID = UUID(uuidString: word) != nil
      guard secrets.insert(isUUID ? word.lowercased() : word).inserted else {
        throw Self.wrong(line: index, "its key or UUID is that of an earlier line")
      }
      if isUUID, let rest {
        feeds.append((Array(word.lowercased().utf8), try Feed(rest).validated()))
      } else if !isUUID, word.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil, word.utf8.count >= Self.leastCharacters
      {
        _ = try Feed((rest ?? "") + "a").validated()
        prefixes.append((Array(word.utf8), rest ?? ""))
        first = first ?? word
      } else {
        throw Self.wrong(
          line: index,
          "it is neither a key of at least \(Self.leastCharacters) letters and digits nor a UUID and a feed")
      }
    }
  }

  /// What is wrong with a line, which is counted from 0. It is not shown, because it may be a secret.
  private static func wrong(line: Int, _ why: String) -> LoadLogError {
    LoadLogError(.invalidInput, what: "line \(line + 1) of the file of ping keys", why: why)
  }

  /// The feed of a slug under a key; nil if there is no such key.
  func feed(_ key: String, _ slug: String) -> Feed? {
    Self.value(of: key, in: prefixes.map { ($0.key, $0.prefix) }).map { Feed($0 + slug) }
  }

  /// The feed of a UUID; nil if there is none.
  func feed(_ uuid: String) -> Feed? {
    Self.value(of: uuid.lowercased(), in: feeds.map { ($0.uuid, $0.feed) })
  }

  /// Looks at all secrets, and at all bytes of those that are as long: the time tells nothing about them.
  private static func value<Value>(of given: String, in secrets: [(secret: [UInt8], value: Value)]) -> Value?
  {
    let given = Array(given.utf8)
    var found: Value?
    for (secret, value) in secrets where secret.count == given.count {
      if zip(secret, given).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 { found = value }
    }
    return found
  }

  private static func createIfMissing(_ path: String) throws(LoadLogError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw failure("cannot create", path) }
      return
    }
    var generator = SystemRandomNumberGenerator()
    let key = (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0 ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let text = """
      # Secrets of the pings to loadlog serve. A line is a key, and a prefix for the names of its feeds if one follows;
      # or a UUID and the name of its feed.
      \(key)

      """
    do {
      try file.write(contentsOf: Data(text.utf8))
      try file.synchronize()
    } catch {
      unlink(path)
      throw failure("cannot write", path)
    }
  }

  private static func failure(_ what: String, _ path: String) -> LoadLogError {
    LoadLogError(
      .io, what: "\(what) the file of ping keys", why: String(cString: strerror(errno)), path: path)
  }
}
