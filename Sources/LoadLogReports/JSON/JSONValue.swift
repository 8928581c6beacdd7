/// JSON value whose objects keep the order of their keys, which Foundation's encoder does not promise.
public indirect enum JSONValue: Sendable, Hashable {
  /// Member of an object.
  public struct Member: Sendable, Hashable {
    let key: String
    let value: JSONValue

    /// Creates a member.
    package init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// Null: unknown or not applicable.
  case null
  /// Boolean.
  case bool(Bool)
  /// Integer.
  case integer(Int64)
  /// Number, written as the shortest text that reads back as the same number; infinity and NaN become null.
  case number(Double)
  /// String.
  case string(String)
  /// Array.
  case array([JSONValue])
  /// Object; its keys keep their order.
  case object([Member])

  /// Returns the object with the members of another appended; a value that is not an object is returned
  /// unchanged.
  package func appending(_ other: JSONValue) -> JSONValue {
    guard case .object(let own) = self, case .object(let more) = other else { return self }
    return .object(own + more)
  }

  /// Returns the value as text: on one line if it fits into 100 columns, otherwise with one line per element.
  ///
  /// - Parameter indent: column at which the value starts.
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

  /// Text of the value on one line.
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
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an object; the keys keep their order.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member(key: $0.0, value: $0.1) })
  }
  /// Creates null.
  public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
  /// Returns a string, or null for nil.
  package static func text(_ value: String?) -> JSONValue { value.map(string) ?? .null }
  /// Returns an integer, or null for nil.
  static func count(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }
  /// Returns a wall time in microseconds as RFC 3339, or null for nil.
  static func moment(_ wall: Int64?) -> JSONValue { wall.map { .string(UTCTime.text($0)) } ?? .null }
  /// Returns nanoseconds as a number of seconds, or null for nil.
  static func seconds(_ nanoseconds: Int64?) -> JSONValue { nanoseconds.map { seconds(Double($0)) } ?? .null }
  /// Returns a member that names hosts of a fleet; none without such hosts.
  static func hosts(_ key: String, _ hosts: [String]) -> JSONValue {
    hosts.isEmpty ? [:] : .object([Member(key: key, value: .array(hosts.map { .string($0) }))])
  }
  /// Returns nanoseconds as a number of seconds.
  static func seconds(_ nanoseconds: Double) -> JSONValue { .number(nanoseconds / 1_000_000_000) }
}
