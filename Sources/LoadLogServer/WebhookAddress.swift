package import Foundation
import LoadLogCLI
package import LoadLogCore

/// The address of a webhook. Its path, query and user are secrets, which no message shows.
package struct WebhookAddress: Sendable {
  /// The address, without a user.
  package let url: URL
  /// The value of an Authorization header; nil if the address names no user.
  package let authorization: String?

  /// Reads an address.
  ///
  /// - Parameters:
  ///   - text: an https address, or an http address of this machine.
  ///   - option: what named it, for errors.
  ///   - allowsPlainHTTP: whether http may leave this machine.
  /// - Throws: `invalidInput` for another text; the error does not repeat it.
  package init(_ text: String, option: String, allowsPlainHTTP: Bool) throws(LoadLogError) {
    var parts = URLComponents(string: text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? URLComponents()
    let user = parts.user.map { "\($0):\(parts.password ?? "")" }
    authorization = user.map { "Basic \(Data($0.utf8).base64EncodedString())" }
    (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
    guard let url = parts.url, let host = parts.host, !host.isEmpty,
      let scheme = parts.scheme?.lowercased(), ["https", "http"].contains(scheme),
      parts.port.map((1...65_535).contains) ?? true
    else {
      throw LoadLogError(
        .invalidInput, what: option, why: "it is not the address of a webhook",
        advice: "Write https://HOST/PATH.")
    }
    guard scheme == "https" || allowsPlainHTTP || Self.isThisMachine(host) else {
      throw LoadLogError(
        .invalidInput, what: option, why: "http would send its secrets and the reports unencrypted",
        advice: "Write https://, or add --plain-http.")
    }
    self.url = url
  }

  /// Whether a host is this machine for certain: other names than localhost could have any address.
  private static func isThisMachine(_ host: String) -> Bool {
    guard case .host(let address, _)? = ListenAddress(argument: "\(host.lowercased()):0") else {
      return false
    }
    return ListenAddress.isLoopback(address)
  }

  private init(_ url: URL, authorization: String?) {
    self.url = url
    self.authorization = authorization
  }

  /// The scheme, host and port: all that a message may show.
  package var origin: String { Self.origin(of: url) }

  private static func origin(of url: URL) -> String {
    let scheme = url.scheme?.lowercased() ?? ""
    let port = url.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" }
    let host = url.host()?.lowercased() ?? ""
    return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host)\(port ?? "")"
  }

  /// Where the header Location of a response leads; nil if that has another scheme, host or port, which must not get
  /// the secrets.
  package func redirected(to location: String) -> WebhookAddress? {
    guard let target = URL(string: location, relativeTo: url)?.absoluteURL, Self.origin(of: target) == origin
    else { return nil }
    return WebhookAddress(target, authorization: authorization)
  }
}
