import ArgumentParser
import LoadLog

/// The command line of `loadlog-net`.
package enum NetCommandLine {
  /// Runs a command line, on the main thread: most verbs block theirs, which Swift's other threads are not for.
  ///
  /// - Parameters:
  ///   - words: the arguments after the program's name.
  ///   - connect: makes the connection to a fleet's database.
  ///   - webhook: makes the destination of a webhook.
  ///   - serve: serves until a signal ends it.
  /// - Returns: the exit code.
  @MainActor package static func run(
    _ words: [String], connect: (FleetAddressOptions) throws -> any FleetConnection,
    webhook: (WebhookOptions) throws -> any FlipDestination,
    serve: @MainActor (ServeSettings) async throws -> Void
  ) async -> Int32 {
    StandardStreams.secure()
    do {
      guard takes(words) else { throw wrongVerb }
      var command = try LoadLogCommand.command(words)
      switch command {
      case let verb as ServeVerb: try await serve(ServeSettings(verb, connect))
      case let verb as DemoVerb:
        guard verb.web else { throw wrongVerb }
        try await serve(ServeSettings(verb))
      case let verb as NotifyVerb:
        let fleet = verb.fleet.fleet ? try AskedFleet(verb.fleet, isByHost: true, connect) : nil
        try verb.notify(verb.command() ?? webhook(verb.webhook), of: fleet)
      case let verb as SyncVerb where !verb.dryRun: try await verb.sync(to: connect(verb.address))
      case let verb as FleetVerb: try verb.run(connect(verb.address))
      case let verb as StatusVerb where verb.fleet.fleet && verb.watch:
        try verb.watchStatus(of: AskedFleet(verb.fleet, connect))
      case let verb as any AnsweringVerb where verb.fleet.fleet:
        try verb.print(AskedFleet(verb.fleet, connect).answer(verb))
      case let verb as ExportVerb where verb.fleet.fleet:
        try verb.export(AskedFleet(verb.fleet, connect).reader)
      case let verb as ReportVerb where verb.fleet.fleet:
        let fleet = try AskedFleet(verb.fleet, connect)
        try verb.write({ () throws(LoadLogError) in fleet.reader }, at: fleet.name) {
          () throws(LoadLogError) in try fleet.trouble(verb.window.patterns)
        }
      default: try command.run()
      }
      return Ending.done
    } catch {
      return Ending(of: error, verb: words.first).announce()
    }
  }

  /// Whether words are for this program, as far as the verb and `--fleet` say.
  private static func takes(_ words: [String]) -> Bool {
    guard let word = words.first else { return false }
    let verbs: [any ParsableCommand.Type] = [
      ServeVerb.self, DemoVerb.self, NotifyVerb.self, SyncVerb.self, FleetVerb.self,
    ]
    // An option comes first only to ask for the help or the version.
    return word.hasPrefix("-") || verbs.contains { $0.configuration.commandName == word }
      || words.prefix { $0 != "--" }.contains("--fleet")
  }

  private static var wrongVerb: LoadLogError {
    LoadLogError(
      .invalidInput, what: "loadlog-net",
      why: "it has only serve, demo --web, notify --webhook, sync, fleet, and verbs with --fleet",
      advice: "Run loadlog, which starts it where it is needed.")
  }
}
