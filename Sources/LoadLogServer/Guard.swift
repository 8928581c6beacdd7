import LoadLog

/// Decides which requests are answered at all, before any route sees them.
///
/// Browsers let any page send requests to the local machine. The Host header shows whether the user meant this server
/// (DNS rebinding sends the name of the attacker).
package struct Guard: Sendable {
  /// The greatest number of header fields.
  static let mostFields = 100
  /// The names and addresses by which this server may be called; nil at a Unix socket, where the peer is known.
  private let hosts: Set<String>?
  private let port: Int

  /// Creates a guard.
  ///
  /// - Parameters:
  ///   - names: further host names beside those of the loopback interface.
  ///   - port: the port at which the server listens; nil at a Unix socket.
  package init(names: [String], port: Int?) {
    hosts = port.map { _ in Set((["localhost", "127.0.0.1", "[::1]"] + names).map { $0.lowercased() }) }
    self.port = port ?? 0
  }

  /// The reason to refuse a request; nil to answer it.
  func refusal(of request: ServerRequest) -> ServerResponse? {
    guard request.fields.count <= Self.mostFields else {
      return .failure(431, "the request has more than \(Self.mostFields) header fields")
    }
    guard request.hosts.count == 1, let host = request.hosts.first, !host.isEmpty else {
      return .failure(400, "the request must have exactly one Host header")
    }
    guard isOurs(host) else {
      return .failure(
        421, "this server is not \(VisibleText.quoted(host))",
        hint: "If it is, start it with --host-name, and use the port at which it listens.")
    }
    let methods = request.isPing ? ["GET", "HEAD", "POST"] : ["GET", "HEAD"]
    guard methods.contains(request.method) else {
      var answer = ServerResponse.failure(405, "\(VisibleText.quoted(request.method)) is not allowed here")
      answer.fields["allow"] = methods.joined(separator: ", ")
      return answer
    }
    return nil
  }

  /// Whether a Host header names this server, with its port; a browser leaves port 80 out.
  private func isOurs(_ host: String) -> Bool {
    guard let hosts else { return true }
    let host = host.lowercased()
    if port == 80, hosts.contains(host) { return true }
    guard host.hasSuffix(":\(port)") else { return false }
    return hosts.contains(String(host.dropLast(":\(port)".count)))
  }
}
