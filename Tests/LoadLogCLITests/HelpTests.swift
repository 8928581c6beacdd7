import ArgumentParser
import Foundation
@testable import LoadLogCLI
import LoadLogTestSupport
import Testing

@Suite struct HelpTests {
  @Test func theMainHelpMatchesItsSnapshot() {
    #expect(Snapshot("loadlog.txt").difference(from: LoadLogCommand.helpMessage(columns: 80) + "\n") == nil)
  }

  @Test func theMainHelpListsEachVerbOnce() {
    let lists = LoadLogCommand.helpMessage(columns: 80).components(separatedBy: "SUBCOMMANDS:\n").dropFirst()
    let listed = lists.flatMap { list in
      list.components(separatedBy: "\n\n")[0].matches(of: /(?m)^  ([a-z-]+)/).map { String($0.1) }
    }
    #expect(listed == Verbs.displayedNames)
  }

  @Test(arguments: Verbs.names)
  func eachVerbHasHelpWithAnExample(name: String) throws {
    let help = try #require(Verbs.help(name))
    #expect(try Verbs.hasExample(name, in: help))
    #expect(!help.contains(/\n  loadlog .*\n\S/), "an example is longer than a line, and cannot be copied")
    #expect(Snapshot("\(name).txt").difference(from: help + "\n") == nil)
  }

  @Test func eachHelpSnapshotBelongsToAVerb() throws {
    let folder = Snapshot("loadlog.txt").file.deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.sorted() == (Verbs.names + ["loadlog"]).map { "\($0).txt" }.sorted())
  }
}
