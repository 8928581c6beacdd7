import ArgumentParser
@testable import LoadLogCLI
import Testing

/// A line that is read without the parser says what it says to the parser.
@Suite struct PlainLineTests {
  private static let verbs = LoadLogCommand.plainVerbs.compactMap { $0.configuration.commandName }

  /// Whether a line is read without the parser. Blanks part words; ~ is an empty one.
  private func isPlain(_ line: String) -> Bool {
    LoadLogCommand.plain(line.split(separator: " ").map { $0 == "~" ? "" : String($0) }) != nil
  }

  @Test(arguments: verbs)
  func `what is read plainly is what the parser reads`(name: String) throws {
    let verb = try #require(LoadLogCommand.plainVerbs.first { $0.configuration.commandName == name })
    var maker = try LineMaker(verb, seed: 5)
    var plain = 0
    var unseen = maker.names
    for _ in 0..<1500 {
      let line = [name] + maker.line()
      guard let command = LoadLogCommand.plain(line) else { continue }
      plain += 1
      unseen.subtract(line)
      // All values, in the order of the declarations; a property that was forgotten is a "definition".
      let parsed = (try? LoadLogCommand.parsed(line)).map { String(describing: $0) }
      #expect(String(describing: command) == parsed, "\(line)")
    }
    #expect(plain > 150)
    #expect(unseen.isEmpty, "never read plainly")
  }

  @Test(arguments: [
    "start backup/db", "start backup/db --owner-pid 42 -m Nightly",
    "start sync --call-site run.sh:12 --tag t", "start a --message text --detached --db f -q", "start -v a",
    "start ~ -m ~", "start help", "finish 41b6c1e", "finish 41b6c1e --exit 0",
    "finish 41b6c1e --failed --reason full", "finish a --cancelled", "push downloads",
    "push downloads --owner-pid 42 --call-site run.sh:12", "push --db f downloads", "pop downloads",
    "pop downloads --succeeded", "pop a --failed --reason r --db f", "status", "status --db f",
    "status backup/* --since 7d", "status backup/db --check --max-age 25h",
    "status --check --late --max-running 2h a b", "status --json --color never", "status a --until now b",
    "last-updated reviews", "last-updated reviews --as relative --json", "unbalanced", "unbalanced reviews",
    "unbalanced --ack 41b6c1e c02fa91 -m fixed", "unbalanced --all", "history",
    "history reviews --state failed --state crashed --since 24h --limit 5", "history --at 14:05",
  ])
  func `usual lines are plain`(line: String) {
    #expect(isPlain(line))
  }

  @Test(arguments: [
    "start", "start a b", "start --tag t", "start a --tag", "start a -m -q", "start a -m --db f",
    "start a --db -q f", "start a --db=f", "start a -- b", "start -- a", "start a -qv", "start a -mx",
    "start a --mess x", "start -", "start a -q -q", "start a --tag t --tag t", "start a --owner-pid x",
    "start a --owner-pid -1", "start a --owner-pid 1 --detached", "start a -q -v", "start a --help",
    "start a -h", "start a --version", "start a --generate-completion-script", "finish a --failed --failed",
    "finish a --failed --unchanged", "finish a --failed --exit 1", "status --late", "status --check --json",
    "status --color red", "status -1", "status --db --check f", "finish a --exit --failed 0",
    "history --limit 0", "history --state nothing", "history --at now --since 1d",
    "last-updated a --as never", "unbalanced --ack", "unbalanced -m text",
  ])
  func `what is wrong or less plain is for the parser`(line: String) {
    #expect(!isPlain(line))
  }
}
