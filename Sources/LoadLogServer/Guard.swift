import Foundation
import LoadLog
import LoadLogCLI

/// Decides which requests are answered at all, before any route sees them.
///
/// Browsers let any page send requests to the local machine. The Host header shows whether the user meant this server
/// (DNS rebinding sends the name of the attacker), and two other fields whether a page of this server sent a request.
package struct Guard: Sendable {
  /// The names and addresses by which this server may be called; nil at a Unix socket without a proxy, where the peer is
  /// known.
  private let hosts: Set<String>?
  private let port: Int
  private let isBehindProxy: Bool
  private let rate: RateLimit
  /// What requests must know; nil if every client that can reach the server may ask it.
  let token: AccessToken?

  /// Creates a guard.
  ///
  /// - Parameters:
  ///   - names: further host names beside those of the loopback interface.
  ///   - port: the port at which the server listens; nil at a Unix socket.
  ///   - token: what requests must know; nil to answer all.
  ///   - isBehindProxy: whether a proxy passes the requests on. It names the client in `X-Forwarded-For`, and listens at
  ///     another port.
  ///   - rate: how many requests a second an address may send. Loopback addresses and sockets have no limit, unless
  ///     they are those of a proxy.
  package init(
    names: [String], port: Int?, token: AccessToken? = nil, isBehindProxy: Bool = false,
    rate: Int = ServeSettings.usualRate
  ) {
    let isChecked = port != nil || isBehindProxy
    hosts = isChecked ? Set((["localhost", "127.0.0.1", "[::1]"] + names).map { $0.lowercased() }) : nil
    self.port = port ?? 0
    var token = token
    token?.port = port
    self.token = token
    self.isBehindProxy = isBehindProxy
    self.rate = RateLimit(perSecond: rate)
  }

  /// The address of the client: that of the connection, or the one that the proxy has seen.
  func client(of request: ServerRequest) -> String {
    let forwarded = request.fields.last { $0.name == "x-forwarded-for" }?.value.split(separator: ",").last
    guard isBehindProxy, let forwarded else { return request.client }
    return forwarded.trimmingCharacters(in: .whitespaces)
  }

  /// The reason to refuse a request; nil to answer it. Ask once for each request: it counts.
  func refusal(of request: ServerRequest) -> ServerResponse? {
    let door = request.door
    guard request.hosts.count == 1, let host = request.hosts.first?.lowercased(), !host.isEmpty else {
      return door.refusal(400, "the request must have exactly one Host header")
    }
    guard isOurs(host) else {
      return door.refusal(
        421, "this server is not \(VisibleText.quoted(host))",
        hint: "If it is, start it with --host-name\(isBehindProxy ? "" : ", and use its port, \(port)").")
    }
    guard !isLimited(request) || rate.admits(client(of: request)) else {
      var answer = door.refusal(429, "too many requests a second from this address")
      answer.fields["retry-after"] = "1"
      return answer
    }
    guard door.methods.contains(request.method) else {
      var answer = door.refusal(405, "\(VisibleText.quoted(request.method)) is not allowed here")
      answer.fields["allow"] = door.methods.joined(separator: ", ")
      return answer
    }
    guard door.needsNoToken || token?.admits(request) != false else {
      return door.isPage
        ? LoginPage.answer(isWrong: false)
        : door.refusal(
          401, "the token is missing or wrong",
          hint: "Send \"Authorization: Bearer TOKEN\", with the token from the file that --token-file names.")
    }
    guard case .file(_, let types) = door.body else { return nil }
    guard isFromHere(request, host: host) else {
      return door.refusal(403, "only pages of this server may write here")
    }
    guard types.contains(request.mediaType) else {
      return door.refusal(
        415, "the body must be \(types.joined(separator: " or "))", field: "content-type",
        hint: door == .traces ? "Set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json." : nil)
    }
    return nil
  }

  /// Whether a Host header names this server, with its port; a browser leaves port 80 out. The names of a proxy have the
  /// port at which the proxy listens.
  private func isOurs(_ host: String) -> Bool {
    guard let hosts else { return true }
    if hosts.contains(host) { return port == 80 || isBehindProxy }
    guard let colon = host.lastIndex(of: ":"), hosts.contains(String(host[..<colon])) else { return false }
    let digits = host[host.index(after: colon)...]
    return isBehindProxy ? UInt16(digits) != nil : digits == "\(port)"
  }

  private func isLimited(_ request: ServerRequest) -> Bool {
    isBehindProxy || (hosts != nil && !ListenAddress.isLoopback(request.client))
  }

  /// Whether no other page sends a request. Scripts cannot set the two fields, and programs leave them out.
  private func isFromHere(_ request: ServerRequest, host: String) -> Bool {
    if let site = request["sec-fetch-site"] { return site == "same-origin" || site == "none" }
    guard let origin = request["origin"]?.lowercased() else { return true }
    return ["http://", "https://"].contains { origin == $0 + host }
  }
}
