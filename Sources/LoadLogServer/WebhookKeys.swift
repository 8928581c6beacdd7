#if Server
  import Crypto
  import Foundation
  import LoadLog

  /// The keys that sign requests to a webhook: a line for each, `whsec_` and base64. With two, a receiver can change
  /// from one to the other.
  ///
  /// Source: Standard Webhooks 1.0.0, "Signature scheme".
  struct WebhookKeys {
    private let keys: [SymmetricKey]

    /// The number of bytes that a key may have.
    private static let length = 24...64

    /// - Throws: `invalidInput` if there is no key, or for a line that is none. The error does not repeat the line.
    init(_ lines: [String]) throws(LoadLogError) {
      let prefix = "whsec_"
      keys = lines.map { $0.trimmingCharacters(in: .whitespaces) }.compactMap { line in
        Data(base64Encoded: line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : "")
          .flatMap { Self.length.contains($0.count) ? SymmetricKey(data: $0) : nil }
      }
      guard !keys.isEmpty, keys.count == lines.count else {
        throw LoadLogError(
          .invalidInput, what: "the file of webhook keys",
          why:
            "a key is \(prefix) and the base64 of \(Self.length.lowerBound) to \(Self.length.upperBound) bytes",
          advice: "Make one with: echo \"\(prefix)$(head -c 32 /dev/urandom | base64)\"")
      }
    }

    /// The value of the header `webhook-signature`.
    func signatures(id: String, timestamp: String, body: String) -> String {
      let text = Data("\(id).\(timestamp).\(body)".utf8)
      return keys.map { key in
        "v1,\(Data(HMAC<SHA256>.authenticationCode(for: text, using: key)).base64EncodedString())"
      }.joined(separator: " ")
    }
  }
#endif
