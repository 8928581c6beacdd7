import Foundation
package import LoadLogCore

/// The secret that requests from elsewhere must know.
///
/// Programs send it in the field `Authorization`. A browser sends it once, in a form, and then a cookie whose value is
/// another secret, which ends with the server.
package struct AccessToken: Sendable {
  private let token: Secret
  /// The value of the cookie.
  private let session = Secret.random()
  private let isSecure: Bool
  /// The port of the server, which the name of the cookie has: a browser sends the cookies of a host to all its ports.
  var port: Int?

  /// Reads the token of a file, or makes a file with one if there is none.
  ///
  /// - Parameters:
  ///   - path: the file: one line.
  ///   - isBehindProxy: whether browsers use TLS, so that they may send the cookie through nothing else.
  /// - Throws: `invalidInput` if the file has another number of lines, or the token is too short; `storeUnusable` if
  ///   others may read the file; `io`.
  package init(file path: String, isBehindProxy: Bool = false) throws(LoadLogError) {
    let file = SecretFile(path, "the file of the token")
    try file.createIfMissing { Secret.random() + "\n" }
    let lines = try file.lines().map { $0.line.trimmingCharacters(in: .whitespaces) }
    guard lines.count == 1, let line = lines.first, Secret.isAllowed(line) else {
      throw LoadLogError(
        .invalidInput, what: "the file of the token",
        why: "it must hold one line of at least \(Secret.leastCharacters) letters and digits", path: path)
    }
    token = Secret(line)
    isSecure = isBehindProxy
  }

  /// Whether a request knows the token, or its browser has shown it before.
  func admits(_ request: ServerRequest) -> Bool {
    let shown = request["authorization"]?.split(separator: " ") ?? []
    // With another scheme, a proxy asks for it, and may pass it on.
    if shown.first?.lowercased() == "bearer" { return shown.count == 2 && token.matches(String(shown[1])) }
    let cookies = request.fields.filter { $0.name == "cookie" }.flatMap { $0.value.split(separator: ";") }
    return cookies.contains { cookie in
      let pair = cookie.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      return pair.count == 2 && pair[0] == cookieName && Secret(session).matches(pair[1])
    }
  }

  private var cookieName: String { "loadlog-session\(port.map { "-\($0)" } ?? "")" }

  /// The field that sets the cookie; nil if a form has another token.
  ///
  /// - Parameter form: the form as the browser sends it.
  func cookie(for form: String) -> String? {
    guard let given = Query(form).value("token"), token.matches(given) else { return nil }
    return "\(cookieName)=\(session); Path=/; HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")"
  }
}
