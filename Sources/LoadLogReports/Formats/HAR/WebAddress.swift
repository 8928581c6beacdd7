/// URL without the parts that may contain secrets: user, query and fragment.
struct WebAddress: Hashable {
  /// Host in lower case without port and brackets; for a URL without a host, the scheme with its colon, such
  /// as `data:`.
  let host: String
  /// Scheme, host, port and path; for a URL without a host, the scheme with its colon.
  let text: String

  /// Parses an absolute URL; nil if the text is something else.
  init?(_ url: String) {
    // A delimiter is a byte. As a character, "?" differs from "?" with a combining mark.
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = url[..<colon]
    guard let first = scheme.utf8.first, Self.isLetter(first), scheme.utf8.allSatisfy(Self.isOfScheme) else {
      return nil
    }
    let rest = bytes[bytes.index(after: colon)...]
    let name = Self.host(rest)
    guard let name, !name.host.isEmpty else {
      host = scheme.lowercased() + ":"
      text = host
      return
    }
    host = Substring(name.host).lowercased()
    let path = rest[name.end...].prefix { !"?#".utf8.contains($0) }
    text = "\(scheme.lowercased())://\(Substring(name.withPort))\(Substring(path))"
  }

  /// Returns the host after `//`, the host with its port, and the index at which the path starts.
  private static func host(
    _ rest: Substring.UTF8View
  ) -> (host: Substring.UTF8View, withPort: Substring.UTF8View, end: Substring.Index)? {
    guard rest.starts(with: "//".utf8) else { return nil }
    let authority = rest.dropFirst(2).prefix { !"/\\?#".utf8.contains($0) }
    let user =
      authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) } ?? authority.startIndex
    let withPort = authority[user...]
    if withPort.first == UInt8(ascii: "["), let bracket = withPort.firstIndex(of: UInt8(ascii: "]")) {
      return (withPort[..<bracket].dropFirst(), withPort, authority.endIndex)
    }
    return (withPort.prefix { $0 != UInt8(ascii: ":") }, withPort, authority.endIndex)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func isOfScheme(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte.isDigit || [0x2B, 0x2D, 0x2E].contains(byte)
  }
}
