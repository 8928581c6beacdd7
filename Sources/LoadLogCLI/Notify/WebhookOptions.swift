package import ArgumentParser

/// The webhook that `notify` is asked for.
package struct WebhookOptions: ParsableArguments {
  @Option(
    name: .customLong("webhook"), parsing: .unconditional,
    help: ArgumentHelp(
      "The address to post to when feeds have flipped: https, or http on this machine.", valueName: "url"))
  package var address: String?

  @Option(
    name: .customLong("webhook-file"),
    help: ArgumentHelp(
      "A file with that address, which lists of processes do not show. Only its user may read it.",
      valueName: "path"),
    completion: .file())
  package var addressFile: String?

  @Option(
    name: .customLong("webhook-key-file"),
    help: ArgumentHelp(
      "A file with the key that signs the requests: whsec_ and base64. Only its user may read it.",
      valueName: "path"),
    completion: .file())
  package var keyFile: String?

  @Flag(help: "Post to other machines without encryption too.")
  package var plainHTTP = false

  package init() {}
}
