/// A URL without what may be secret in it: user, query and fragment.
struct WebAddress: Hashable {
  /// The host in lower case, without port and brackets; where there is none the scheme with its colon, such as `data:`.
  let host: String
  /// Scheme, host, port and path; where there is no host only the scheme with its colon.
  let text: String

  /// Reads an absolute URL; nil if it is none.
  init?(_ url: String) {
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = url[..<colon]
    guard let first = scheme.utf8.first, Self.isLetter(first), scheme.utf8.allSatisfy(Self.isOfScheme) else {
      return nil
    }
    let rest = url[url.index(after: colon)...]
    let name = Self.host(rest)
    guard let name, !name.host.isEmpty else {
      host = scheme.lowercased() + ":"
      text = host
      return
    }
    host = name.host.lowercased()
    let path = rest[name.end...].prefix { $0 != "?" && $0 != "#" }
    text = "\(scheme.lowercased())://\(name.withPort)\(path)"
  }

  /// The host behind `//` and where the path begins.
  private static func host(
    _ rest: Substring
  ) -> (host: Substring, withPort: Substring, end: Substring.Index)? {
    guard rest.utf8.starts(with: "//".utf8) else { return nil }
    let authority = rest.dropFirst(2).prefix { !"/\\?#".contains($0) }
    let user = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
    let withPort = authority[user...]
    if withPort.first == "[", let bracket = withPort.firstIndex(of: "]") {
      return (withPort[..<bracket].dropFirst(), withPort, authority.endIndex)
    }
    return (withPort.prefix { $0 != ":" }, withPort, authority.endIndex)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func isOfScheme(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte.isDigit || [0x2B, 0x2D, 0x2E].contains(byte)
  }
}
