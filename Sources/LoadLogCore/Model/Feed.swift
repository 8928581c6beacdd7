import Foundation

/// A named thing that is loaded again and again: `reviews`, `network`, `apps/42/reviews`.
///
///     loads.push("network")
///     loads.push(Feed("apps/\(app.id)/reviews"))
///
/// A name has 1 to 200 Unicode scalars, no control or bidirectional-control characters and no white
/// space at its ends; it is NFC-normalised. Making a feed never fails: a name that breaks a rule is
/// refused where it is used, with an error that says which rule.
public struct Feed: Sendable, Hashable {
  /// The NFC-normalised name.
  public let name: String
  /// What is wrong with the name, or nil.
  let problem: Problem?

  enum Problem: Sendable, Hashable {
    case empty
    case tooLong(Int)
    case control
    case whiteSpaceAtEnds
  }

  /// The most Unicode scalars a name may have.
  public static let maximumLength = 200

  /// Makes a feed of a name.
  public init(_ name: String) {
    let isPlain = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    self.name = isPlain ? name : name.precomposedStringWithCanonicalMapping
    problem = Self.problem(with: self.name, isPlain: isPlain)
  }

  /// The feed itself, if its name is allowed.
  ///
  /// - Throws: `invalidInput`, naming the field, the limit and what was given.
  @discardableResult
  public func validated() throws(LoadLogError) -> Feed {
    guard let problem else { return self }
    throw LoadLogError(.invalidInput, what: "feed name", value: name, why: problem.text)
  }
}

extension Feed: ExpressibleByStringInterpolation, CustomStringConvertible, Comparable {
  /// Makes a feed of a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// The name.
  public var description: String { name }

  /// By name, in Unicode scalar order: the same on every machine.
  public static func < (lhs: Feed, rhs: Feed) -> Bool { lhs.name < rhs.name }
}

extension Feed {
  private static func problem(with name: String, isPlain: Bool) -> Problem? {
    let scalars = name.unicodeScalars
    // Each takes a byte at least.
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
    case .control: "it has a control or bidirectional-control character; none is allowed"
    case .whiteSpaceAtEnds: "it has white space at an end; none is allowed there"
    }
  }
}
