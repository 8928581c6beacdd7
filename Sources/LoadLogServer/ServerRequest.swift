package import LoadLogCore

/// A request as it came, before anything of it is trusted.
package struct ServerRequest: Sendable {
  /// The method, such as `GET`.
  package let method: String
  /// The path with its escapes, and the text after the first `?`.
  package let path: String, query: String
  /// The values of all Host headers.
  package let hosts: [String]
  /// The other header fields, with lowercase names, in their order.
  package let fields: [(name: String, value: String)]
  /// The address of the client.
  package let client: String
  /// The body, or the end of a long one; nil if there is none.
  package var body: KeptOutput?
  /// How long it has waited for its turn.
  var waited = Duration.zero

  /// Whether it is for the door of pings, which alone may write.
  var isPing: Bool { path.hasPrefix("/ping/") }

  /// The name that the client gives itself.
  var agent: String { fields.first { $0.name == "user-agent" }?.value ?? "" }

  /// Creates a request from its parts.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - target: the path with its query.
  ///   - hosts: the values of all Host headers.
  ///   - fields: the other header fields, with lowercase names.
  ///   - client: the address of the client.
  ///   - body: the body, or the end of a long one; nil if there is none.
  package init(
    _ method: String, _ target: String, hosts: [String], fields: [(name: String, value: String)] = [],
    client: String = "", body: KeptOutput? = nil
  ) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.method = method
    self.hosts = hosts
    self.fields = fields
    self.client = client
    self.body = body
    path = parts.first.map(String.init) ?? ""
    query = parts.count > 1 ? String(parts[1]) : ""
  }
}

/// A response.
package struct ServerResponse: Sendable, Equatable {
  /// The status code.
  package var status: Int
  /// The header fields.
  package var fields: [String: String]
  /// The body.
  package var body: [UInt8]

  /// Creates a response with a body of some media type.
  init(_ status: Int, _ type: String, _ body: [UInt8]) {
    self.status = status
    self.body = body
    fields = ["content-type": type]
  }
}
