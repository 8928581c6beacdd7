/// A JSON value whose keys keep the order they are given in, which Foundation's encoder cannot promise.
public indirect enum JSONValue: Sendable, Hashable {
  /// A member of an object.
  public struct Member: Sendable, Hashable {
    let key: String
    let value: JSONValue
  }

  /// Nothing, or not known.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// Printed as the shortest text that reads back as the same number; what is no number becomes null.
  case number(Double)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// An object; its keys keep their order.
  case object([Member])

  /// The object with the members of another at its end; anything but an object stays as it is.
  public func appending(_ other: JSONValue) -> JSONValue {
    guard case .object(let own) = self, case .object(let more) = other else { return self }
    return .object(own + more)
  }

  /// The value as text: on one line as long as it fits, else a line for each element.
  ///
  /// - Parameter indent: how far in the value stands.
  public func text(indent: Int = 0) -> String {
    let flat = flat
    guard indent + flat.utf8.count > 100 else { return flat }
    let margin = "\n" + String(repeating: " ", count: indent + 2)
    let end = "\n" + String(repeating: " ", count: indent)
    switch self {
    case .array(let values) where !values.isEmpty:
      return "[" + values.map { margin + $0.text(indent: indent + 2) }.joined(separator: ",") + end + "]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { margin + "\(Self.quoted($0.key)): \($0.value.text(indent: indent + 2))" }
      return "{" + lines.joined(separator: ",") + end + "}"
    default: return flat
    }
  }

  /// The value on one line.
  public var flat: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value): value.isFinite ? value.description : "null"
    case .string(let value): Self.quoted(value)
    case .array(let values): "[" + values.map(\.flat).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0.key)): \($0.value.flat)" }.joined(separator: ", ") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.append(json: text)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByDictionaryLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An object; the keys keep their order.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member(key: $0.0, value: $0.1) })
  }
  /// Null.
  public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
  /// A text, null if there is none.
  public static func text(_ value: String?) -> JSONValue { value.map(string) ?? .null }
  /// A count, null if there is none.
  static func count(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }
  /// A moment, from wall microseconds.
  static func moment(_ wall: Int64?) -> JSONValue { wall.map { .string(UTCTime.text($0)) } ?? .null }
  /// A duration in seconds, from nanoseconds.
  static func seconds(_ nanoseconds: Int64?) -> JSONValue { nanoseconds.map { seconds(Double($0)) } ?? .null }
  /// A duration in seconds, from nanoseconds.
  static func seconds(_ nanoseconds: Double) -> JSONValue { .number(nanoseconds / 1_000_000_000) }
}
