import Foundation

/// The name of something that is loaded repeatedly: `reviews`, `network`, `apps/42/reviews`.
///
///     loads.push("network")
///     loads.push(Feed("apps/\(app.id)/reviews"))
///
/// A name has 1 to 200 Unicode scalars, contains no control or bidirectional-control characters, and neither
/// starts nor ends with white space. It is NFC-normalized. Creating a feed never fails: a call that is given
/// an invalid name throws `invalidInput`, and the error names the broken rule. Calls that never throw, such as `push`, drop
/// the event and report this error to the logger and ``LoadingController/failure``.
public struct Feed: Sendable, Hashable {
  /// The NFC-normalized name.
  public let name: String
  /// The rule that the name breaks; nil if the name is valid.
  let problem: Problem?

  enum Problem: Sendable, Hashable {
    case empty
    case tooLong(Int)
    case control
    case whiteSpaceAtEnds
  }

  /// The maximum number of Unicode scalars in a name.
  public static let maximumLength = 200

  /// Creates a feed. Invalid names are reported where the feed is used.
  public init(_ name: String) {
    let isPlain = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    self.name = isPlain ? name : name.precomposedStringWithCanonicalMapping
    problem = Self.problem(with: self.name, isPlain: isPlain)
  }

  /// Returns the feed if its name is valid.
  ///
  /// - Throws: `invalidInput` with the broken rule and the name.
  @discardableResult
  public func validated() throws(LoadLogError) -> Feed {
    guard let problem else { return self }
    throw LoadLogError(.invalidInput, what: "feed name", value: name, why: problem.text)
  }
}

extension Feed: ExpressibleByStringInterpolation, CustomStringConvertible, Comparable {
  /// Creates a feed from a string literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// The name.
  public var description: String { name }

  /// Orders feeds by name, in Unicode scalar order, which does not depend on the locale.
  public static func < (lhs: Feed, rhs: Feed) -> Bool { lhs.name < rhs.name }
}

extension Feed {
  private static func problem(with name: String, isPlain: Bool) -> Problem? {
    let scalars = name.unicodeScalars
    // A scalar takes at least one byte, so short names need no count.
    if name.utf8.count > maximumLength, case let count = scalars.count, count > maximumLength {
      return .tooLong(count)
    }
    guard !isPlain || name.isEmpty else { return nil }
    guard let first = scalars.first, let last = scalars.last else { return .empty }
    if first.properties.isWhitespace || last.properties.isWhitespace { return .whiteSpaceAtEnds }
    return scalars.contains(where: VisibleText.isHostile) ? .control : nil
  }
}

extension Feed.Problem {
  var text: String {
    switch self {
    case .empty: "it is empty; 1 to \(Feed.maximumLength) characters are allowed"
    case .tooLong(let count): "it has \(count) characters; 1 to \(Feed.maximumLength) are allowed"
    case .control: "it contains a control or bidirectional-control character; remove it"
    case .whiteSpaceAtEnds: "it has white space at an end; remove it"
    }
  }
}
