/// What every JSON answer opens with.
public struct JSONHead: Sendable {
  /// When it was asked, wall time in microseconds.
  public let generated: Int64
  /// The store's path.
  public let store: String
  /// The window, wall times in microseconds.
  public let since: Int64?, until: Int64?

  /// Describes a question.
  public init(generated: Int64, store: String, since: Int64? = nil, until: Int64? = nil) {
    self.generated = generated
    self.store = store
    self.since = since
    self.until = until
  }

  /// The object that the answer's own members are appended to.
  public var object: JSONValue {
    [
      "schema_version": .integer(1), "generated_at": .moment(generated), "store": .string(store),
    ]
  }

  /// The same with the window.
  var objectWithWindow: JSONValue {
    object.appending(["since": .moment(since), "until": .moment(until)])
  }
}
