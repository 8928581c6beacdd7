/// The id of a load as a user types it: the whole id or its last digits.
public struct IDTail: Sendable, Hashable {
  /// The minimum number of hexadecimal digits.
  public static let minimumDigits = 4

  /// The text that the user typed.
  public let text: String
  /// The hexadecimal digits of the text, in lower case and without hyphens.
  public let digits: String

  /// Parses an id or the end of one.
  ///
  /// - Throws: `invalidInput` unless the text has 4 to 32 hexadecimal digits.
  public init(_ text: String) throws(LoadLogError) {
    guard let digits = Self.digits(of: text), digits.count >= Self.minimumDigits else {
      throw LoadLogError(
        .invalidInput, what: "id", value: text, why: "not a load id",
        advice: "Give the whole id, or at least its last \(Self.minimumDigits) hexadecimal digits.")
    }
    self.text = text
    self.digits = digits
  }

  /// The id, if the text is a whole one; otherwise nil.
  public var whole: SessionID? { SessionID(text) }

  /// Whether an id ends in these digits.
  public func matches(_ id: SessionID) -> Bool { Self.ends(id, in: digits) }

  /// The digits of an id or the end of one, in lower case and without hyphens; nil unless they are 1 to 32 hexadecimal
  /// digits.
  package static func digits(of text: String) -> String? {
    let digits = text.filter { $0 != "-" }.lowercased()
    let isPart = digits.allSatisfy { $0.isASCII && $0.isHexDigit } && (1...32).contains(digits.count)
    return isPart ? digits : nil
  }

  /// Whether an id ends in some ``digits(of:)``.
  static func ends(_ id: SessionID, in digits: String) -> Bool {
    id.description.filter { $0 != "-" }.hasSuffix(digits)
  }

  /// Returns the only element of `found`; errors call it a `kind`.
  ///
  /// - Parameter none: what to say if there is none; nil for what is usual.
  /// - Throws: `notFound` if there is none, `ambiguousID` if there are several.
  func only<Found>(
    of found: [Found], kind: String, none: (why: String, advice: String)? = nil, id: (Found) -> SessionID
  ) throws(LoadLogError) -> Found {
    guard let first = found.first else {
      throw LoadLogError(
        .notFound, what: kind, value: text, why: none?.why ?? "no \(kind) with this id is recorded",
        advice: none?.advice ?? "List the ids with loadlog history or loadlog unbalanced.")
    }
    guard found.count == 1 else {
      let ids = found.prefix(3).map { id($0).description }.joined(separator: ", ")
      throw LoadLogError(
        .ambiguousID, what: kind, value: text, why: "several ids end in these digits: \(ids)",
        advice: "Give more digits.")
    }
    return first
  }
}
