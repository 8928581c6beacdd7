import ArgumentParser
import LoadLog
import LoadLogReports

/// `loadlog-net` with the verbs of a fleet.
package enum FleetProgram {
  /// Whether a command line is for ``run(_:connect:)``.
  package static func takes(_ words: [String]) -> Bool {
    let verbs = [SyncVerb.configuration.commandName, FleetVerb.configuration.commandName]
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
      case let verb as any AnsweringVerb where verb.fleet.fleet:
        let fleet = try connect(verb.fleet.address.settings)
        let answer = try verb.answer(
          { () throws(LoadLogError) in try fleet.reader(verb.fleet.question) }, at: fleet.name)
        try verb.print((verb as? StatusVerb)?.completed(answer, by: fleet) ?? answer)
      case let verb as ExportVerb where verb.fleet.fleet:
        try verb.export(connect(verb.fleet.address.settings))
      case let verb as ReportVerb where verb.fleet.fleet:
        let fleet = try connect(verb.fleet.address.settings)
        try verb.write({ () throws(LoadLogError) in try fleet.reader(verb.fleet.question) }, at: fleet.name)
      default: try command.run()
      }
      return Ending.done
    } catch {
      return Ending(of: error).announce()
    }
  }
}

extension StatusVerb {
  /// Adds what is wrong with hosts to the status of a fleet.
  fileprivate func completed(_ answer: Answer, by fleet: any FleetConnection) throws(LoadLogError) -> Answer {
    guard !check else { return answer }
    var question = self.fleet.question
    question.isByHost = true
    let (hosts, now) = try fleet.hosts()
    let chosen = question.hosts.map { FeedPattern($0) }
    let trouble = FleetTrouble(
      hosts.filter { host in chosen.isEmpty || chosen.contains { $0.matches(Feed(host.name)) } }, now: now,
      try fleet.reader(question).status(LoadFilter(feeds: window.filter().feeds), runningLimit: nil))
    return Answer(
      text: { answer.text($0) + trouble.text($0) }, json: { answer.json().appending(trouble.json()) })
  }
}
