/// The line of code that started, finished, pushed or popped.
public struct CallSite: Sendable, Hashable {
  private enum Origin: Sendable {
    case source(StaticString, UInt)
    case text(String)
  }

  private let origin: Origin

  /// A line of Swift: `#fileID` and `#line`.
  public init(fileID: StaticString, line: UInt) { origin = .source(fileID, line) }

  /// A text, such as `/srv/jobs/backup.sh:12`.
  public init(_ text: String) { origin = .text(text) }

  /// It is a line of this program: there are not many of them, and none takes memory.
  package var isOwnLine: Bool { if case .source = origin { true } else { false } }

  /// `file:line`, or the text as it was given.
  public var text: String {
    switch origin {
    case .source(let file, let line): "\(file):\(line)"
    case .text(let text): text
    }
  }

  /// The source file: the text without a line number at its end. Two call sites with one file are
  /// taken to belong together when a pop looks for its push.
  public var file: String {
    switch origin {
    case .source(let file, _): "\(file)"
    case .text(let text): Self.file(of: text)
    }
  }

  /// The line number at the end of the text, or nil.
  public var line: Int? {
    switch origin {
    case .source(_, let line): Int(exactly: line)
    case .text(let text): Self.colon(of: text).flatMap { Int(text[text.utf8.index(after: $0)...]) }
    }
  }

  /// The file of a call site's text.
  public static func file(of text: String) -> String {
    colon(of: text).map { String(text[..<$0]) } ?? text
  }

  /// Where the colon before a line number is. A colon is a byte: as a character it may be one with what stands before it.
  private static func colon(of text: String) -> String.Index? {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let digits = text.utf8[text.utf8.index(after: colon)...]
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) } ? colon : nil
  }

  /// Equal texts are equal call sites.
  public static func == (lhs: CallSite, rhs: CallSite) -> Bool {
    if case .source(let file, let line) = lhs.origin, case .source(let other, let otherLine) = rhs.origin,
      file.hasPointerRepresentation, other.hasPointerRepresentation, file.utf8Start == other.utf8Start
    {
      return line == otherLine
    }
    return lhs.text == rhs.text
  }

  /// Hashes the line number, which is at hand; the text, if it has none.
  public func hash(into hasher: inout Hasher) {
    if let line { hasher.combine(line) } else { hasher.combine(text) }
  }
}
