/// The webhook that `notify` was asked for.
package struct WebhookSettings: Sendable {
  /// Its address, which may be a secret; nil if a file has it.
  package let address: String?
  /// The file with its address; nil if it was given itself.
  package let addressFile: String?
  /// The file with the keys that sign requests; nil to sign none.
  package let keyFile: String?
  /// Whether requests to other machines need no encryption.
  package let allowsPlainHTTP: Bool

  init(_ verb: NotifyVerb) {
    address = verb.webhook
    addressFile = verb.webhookFile
    keyFile = verb.webhookKeyFile
    allowsPlainHTTP = verb.plainHTTP
  }
}
