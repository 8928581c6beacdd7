import ArgumentParser
@testable import LoadLogCLI
import LoadLogTestSupport
import Testing

@Suite struct HelpTests {
  private static let verbs: [any ParsableCommand.Type] = LoadLogCommand.configuration.groupedSubcommands
    .flatMap { $0.subcommands }

  @Test func `the main help`() {
    #expect(Snapshot("loadlog.txt").difference(from: LoadLogCommand.helpMessage(columns: 80) + "\n") == nil)
  }

  @Test(arguments: 0..<verbs.count)
  func `each verb has help with an example`(index: Int) {
    let verb = Self.verbs[index]
    let name = verb.configuration.commandName ?? "?"
    let help = LoadLogCommand.helpMessage(for: verb, columns: 80)
    #expect(help.contains("Example:\n\n  loadlog \(name)") || help.contains("loadlog \(name) "))
    #expect(help.contains("Example:"))
    #expect(Snapshot("\(name).txt").difference(from: help + "\n") == nil)
  }
}
