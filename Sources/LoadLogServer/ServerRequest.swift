import Foundation
package import LoadLogCLI
package import LoadLogCore

/// A request as it came, before anything of it is trusted.
package struct ServerRequest: Sendable {
  /// The method, such as `GET`.
  package let method: String
  /// What its path leads to, and the text after the first `?`.
  let door: Door, query: String
  /// The values of all Host headers.
  package let hosts: [String]
  /// The other header fields, with lowercase names, in their order.
  package let fields: [(name: String, value: String)]
  /// The address of the client.
  package var client: String
  /// The body.
  package var body: Body

  /// The body of a request, which was read before the request is answered.
  package enum Body: Sendable {
    case none
    /// The end of a text.
    case end(KeptOutput)
    /// A file at its beginning.
    case file(TemporaryFile)
  }

  /// The name that the client gives itself.
  var agent: String { self["user-agent"] ?? "" }

  /// The media type of the body, without its parameters.
  var mediaType: String {
    let type = self["content-type"]?.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
    return type.trimmingCharacters(in: .whitespaces).lowercased()
  }

  /// The first value of a header field.
  ///
  /// - Parameter name: its name in lowercase.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Creates a request from its parts.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - target: the path with its query.
  ///   - hosts: the values of all Host headers.
  ///   - fields: the other header fields, with lowercase names.
  ///   - client: the address of the client.
  ///   - body: the body.
  package init(
    _ method: String, _ target: String, hosts: [String], fields: [(name: String, value: String)] = [],
    client: String = "127.0.0.1", body: Body = .none
  ) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.method = method
    self.hosts = hosts
    self.fields = fields
    self.client = client
    self.body = body
    door = Door(path: parts.first.map(String.init) ?? "")
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
