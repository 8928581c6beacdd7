/// Members that every JSON report starts with.
public struct JSONHead: Sendable {
  /// Wall time in microseconds at which the report was generated.
  public let generated: Int64
  /// Path of the store.
  public let store: String
  /// Time window of the report, wall times in microseconds; nil where it is unbounded.
  public let since: Int64?, until: Int64?

  /// Creates the head of a report.
  public init(generated: Int64, store: String, since: Int64? = nil, until: Int64? = nil) {
    self.generated = generated
    self.store = store
    self.since = since
    self.until = until
  }

  /// Object to which a report appends its own members.
  package var object: JSONValue {
    [
      "schema_version": .integer(1), "generated_at": .moment(generated), "store": .string(store),
    ]
  }

  /// Object to which a report with a time window appends its own members.
  var objectWithWindow: JSONValue {
    object.appending(["since": .moment(since), "until": .moment(until)])
  }
}
