import ArgumentParser
import LoadLog

/// `loadlog-net` with the verbs of a fleet.
package enum FleetProgram {
  /// Whether a command line is for ``run(_:connect:)``.
  package static func takes(_ words: [String]) -> Bool {
    let verbs = [SyncVerb.configuration.commandName, FleetVerb.configuration.commandName]
    guard words.first != ServeVerb.configuration.commandName else { return false }
    return verbs.contains(words.first) || words.prefix { $0 != "--" }.contains("--fleet")
  }

  /// Runs a command line.
  ///
  /// - Parameters:
  ///   - words: the arguments.
  ///   - connect: makes the connection to a database.
  /// - Returns: the exit code.
  package static func run(
    _ words: [String], connect: (FleetAddressSettings) throws -> any FleetConnection
  ) async -> Int32 {
    StandardStreams.secure()
    do {
      var command = try LoadLogCommand.command(words)
      switch command {
      case let verb as SyncVerb where !verb.dryRun: try await verb.sync(to: connect(verb.address.settings))
      case let verb as FleetVerb: try verb.run(connect(verb.address.settings))
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
}
