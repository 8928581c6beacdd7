/// The line of code that started, finished, pushed or popped a load.
public struct CallSite: Sendable, Hashable {
  private enum Origin: Sendable {
    case source(StaticString, UInt)
    case text(String)
  }

  private let origin: Origin

  /// Creates a call site from `#fileID` and `#line`.
  public init(fileID: StaticString, line: UInt) { origin = .source(fileID, line) }

  /// Creates a call site from any text, such as `/srv/jobs/backup.sh:12`.
  public init(_ text: String) { origin = .text(text) }

  /// The call site as `file:line`, or the text that it was created from.
  public var text: String {
    switch origin {
    case .source(let file, let line): "\(file):\(line)"
    case .text(let text): text
    }
  }

  /// The source file: the text without a line number at its end. A pop prefers a push whose call site has the
  /// same file.
  public var file: String {
    switch origin {
    case .source(let file, _): "\(file)"
    case .text(let text): Self.file(of: text)
    }
  }

  /// The line number at the end of the text; nil if the text does not end in one.
  public var line: Int? {
    switch origin {
    case .source(_, let line): Int(exactly: line)
    case .text(let text): Self.colon(of: text).flatMap { Int(text[text.utf8.index(after: $0)...]) }
    }
  }

  /// Returns the file of a call site's text.
  public static func file(of text: String) -> String {
    colon(of: text).map { String(text[..<$0]) } ?? text
  }

  /// Finds the colon in front of the line number. The search is by byte, because the colon can form one
  /// `Character` with what precedes it.
  private static func colon(of text: String) -> String.Index? {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let digits = text.utf8[text.utf8.index(after: colon)...]
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) } ? colon : nil
  }

  /// Compares the texts; two literals at the same address need no comparison of their text.
  public static func == (lhs: CallSite, rhs: CallSite) -> Bool {
    if case .source(let file, let line) = lhs.origin, case .source(let other, let otherLine) = rhs.origin,
      file.hasPointerRepresentation, other.hasPointerRepresentation, file.utf8Start == other.utf8Start
    {
      return line == otherLine
    }
    return lhs.text == rhs.text
  }

  /// Hashes the line number, which needs no formatting, or the text if there is no line number.
  public func hash(into hasher: inout Hasher) {
    if let line { hasher.combine(line) } else { hasher.combine(text) }
  }
}
