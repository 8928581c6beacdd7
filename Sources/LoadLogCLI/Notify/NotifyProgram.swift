import ArgumentParser

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
  /// The version of this program.
  package let version: String
}

/// `loadlog-net notify`.
package enum NotifyProgram {
  /// Runs a command line; blocks until it is done.
  ///
  /// - Parameters:
  ///   - words: the arguments: `notify` and its options.
  ///   - webhook: makes the destination of a webhook.
  ///   - connect: makes the connection to a fleet's database.
  /// - Returns: the exit code.
  package static func run(
    _ words: [String], webhook: (WebhookSettings) throws -> any FlipDestination,
    connect: (FleetAddressSettings) throws -> any FleetConnection
  ) -> Int32 {
    StandardStreams.secure()
    do {
      var command = try LoadLogCommand.command(words)
      if let verb = command as? NotifyVerb {
        let fleet = verb.fleet.fleet ? try AskedFleet(verb.fleet, isByHost: true, connect) : nil
        try verb.notify(verb.command() ?? webhook(verb.webhookSettings), of: fleet)
      } else {
        try command.run()
      }
      return Ending.done
    } catch {
      return Ending(of: error, verb: words.first).announce()
    }
  }
}

extension NotifyVerb {
  /// The webhook, if no command is to run.
  fileprivate var webhookSettings: WebhookSettings {
    WebhookSettings(
      address: webhook, addressFile: webhookFile, keyFile: webhookKeyFile, allowsPlainHTTP: plainHTTP,
      version: LoadLogCommand.version)
  }
}
