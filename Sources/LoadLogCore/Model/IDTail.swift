/// An id as it is typed: all of it, or its last digits.
public struct IDTail: Sendable, Hashable {
  /// The fewest digits that count as a tail.
  public static let minimumDigits = 4

  /// The text as it was given.
  public let text: String
  /// Its hexadecimal digits in lower case, without hyphens.
  public let digits: String

  /// Reads an id or its tail.
  ///
  /// - Throws: `invalidInput` if it is neither.
  public init(_ text: String) throws(LoadLogError) {
    let digits = text.filter { $0 != "-" }.lowercased()
    guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), (Self.minimumDigits...32).contains(digits.count)
    else {
      throw LoadLogError(
        .invalidInput, what: "id", value: text, why: "it is not one",
        advice: "Give the whole id, or its last \(Self.minimumDigits) or more hexadecimal digits.")
    }
    self.text = text
    self.digits = digits
  }

  /// The id, if the text is a whole one.
  public var whole: SessionID? { SessionID(text) }

  /// Whether an id ends like this.
  public func matches(_ id: SessionID) -> Bool {
    id.description.filter { $0 != "-" }.hasSuffix(digits)
  }

  /// The one candidate; `kind` says what was looked for.
  ///
  /// - Throws: `notFound` or `ambiguousID`.
  func only<Found>(
    of found: [Found], kind: String, id: (Found) -> SessionID
  ) throws(LoadLogError) -> Found {
    guard let first = found.first else {
      throw LoadLogError(.notFound, what: kind, value: text, why: "the store has none with that id")
    }
    guard found.count == 1 else {
      let ids = found.prefix(3).map { id($0).description }.joined(separator: ", ")
      throw LoadLogError(
        .ambiguousID, what: kind, value: text, why: "several ids end like that: \(ids)",
        advice: "Give more digits.")
    }
    return first
  }
}
