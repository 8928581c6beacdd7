import ArgumentParser
import Foundation
import LoadLog
@testable import LoadLogCLI
import Testing

@Suite struct UsageTests {
  /// The ending of a command line that is refused before it does anything; nil if it is accepted.
  private func ending(_ line: String, running: Bool = false) -> Ending? {
    let words = line.split(separator: " ").map(String.init)
    do {
      var command = try LoadLogCommand.command(words)
      if running { try command.run() }
      return nil
    } catch {
      return Ending(of: error)
    }
  }

  @Test(arguments: [
    "stauts", "status --sinc 3d", "status --max-age 3d", "status --late", "status --failed", "show",
    "history --limit 0", "history --limit -1", "history --limit 2147483648", "history --limit x",
    "history --limit 99999999999999999999", "history --limit some", "history --state foo",
    "status --sort x", "status --check --sort name", "prune",
    "prune --by-default",
    "prune --keep all", "prune --older-than all", "prune --keep 3d --older-than 3d",
    "prune --older-than 3d --by-default",
    "history --at now --since 3d",
    "last-updated",
    "unbalanced --ack", "unbalanced -m x", "unbalanced --all", "run", "run feed", "run feed --",
    "run feed true", "start",
    "start a b",
    "start a --owner-pid 1 --detached", "start a --owner-pid -1", "start a --owner-pid x", "finish",
    "finish abcd --failed --unchanged", "finish abcd --failed --exit 3", "finish abcd --exit -1",
    "finish abcd --exit x", "report -o", "push", "pop a b", "reset",
    "reset a --all", "status -q -v", "status --color red",
  ])
  func wrongUsagePrintsOneLineAndExits2(line: String) throws {
    let ending = try #require(self.ending(line))
    #expect(ending.code == 2)
    let complaint = try #require(ending.complaint)
    #expect(!complaint.isEmpty && !complaint.contains("\n"))
    #expect(ending.page == nil)
  }

  @Test(arguments: [
    "status", "status a b* --since 3d --json", "status --sort p95 a", "history --limit all --tag t --grep x",
    "history --state failed --state crashed", "run a -- b -c --d",
    "finish abcd --exit 3 --reason x", "unbalanced --ack abcd -m x", "unbalanced --ack --all",
    "reset --all", "pop a --failed", "last-updated a --as unix", "doctor --repair",
    "report a* --since 3d -o x.html", "report -o -",
  ])
  func rightUsageIsAccepted(line: String) {
    #expect(ending(line) == nil || ending(line)?.complaint == nil)
  }

  @Test func aHintRepeatsTheOptionsOfAFleet() throws {
    func words(_ line: String) throws -> String? {
      let verb = try LoadLogCommand.command(line.split(separator: " ").map(String.init))
      return (verb as? any AnsweringVerb)?.fleet.words
    }
    #expect(try words("status --db x.db") == nil)
    #expect(try words("status --fleet") == "--fleet")
    #expect(
      try words(
        "history --fleet --by-host --host web-* --host db-1 --to postgresql://h/l --insecure-transport")
        == "--fleet --by-host --host 'web-*' --host db-1 --to postgresql://h/l --insecure-transport")
  }

  @Test(arguments: ["--help", "status --help", "--version", "help run", "--generate-completion-script zsh"])
  func helpIsNoError(line: String) {
    let ending = ending(line, running: true)
    #expect(ending?.code == 0)
    #expect(ending?.page?.isEmpty == false)
  }

  @Test func anUnknownVerbSuggestsASimilarOne() {
    #expect(ending("stauts")?.complaint?.contains("Did you mean \"status\"?") == true)
  }

  @Test func everyErrorOfTheLibraryHasAnExitCode() {
    let codes: [(LoadLogError.Code, Int32)] = [
      (.invalidInput, 2), (.ambiguousID, 2), (.notFound, 1), (.storeMissing, 3), (.storeUnusable, 3),
      (.notLoadLog, 3), (.newerStore, 3), (.storeMoved, 5), (.damaged, 6), (.busy, 4), (.diskFull, 5),
      (.io, 5),
      (.closed, 5), (.overflow, 5),
    ]
    for (code, exit) in codes { #expect(Ending(of: LoadLogError(code, what: "x", why: "y")).code == exit) }
  }

  @Test func aClosedReaderIsNoErrorButAFullDiskIs() {
    #expect(Ending(of: OutputError(number: EPIPE)).code == 0)
    #expect(Ending(of: OutputError(number: EPIPE)).complaint == nil)
    #expect(Ending(of: OutputError(number: ENOSPC)).code == 5)
  }
}
