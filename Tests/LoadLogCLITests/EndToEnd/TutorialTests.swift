import Foundation
import TestProcesses
import Testing

/// Docs/Tutorial.md, typed into a shell line by line, prints what the page shows.
@Suite struct TutorialTests {
  @Test func eachLinePrintsWhatThePageShows() throws {
    let place = try Place()
    place.environment["LOADLOG_DB"] = nil
    let page = try String(contentsOf: TestPlaces.package.appending(path: "Docs/Tutorial.md"), encoding: .utf8)
    let lines = page.components(separatedBy: "```console\n").dropFirst()
      .flatMap { $0.components(separatedBy: "\n```")[0].components(separatedBy: "\n") }
    var steps: [(typed: String, shown: [String])] = []
    for line in lines {
      if line.hasPrefix("$ ") {
        steps.append((String(line.dropFirst(2)), []))
      } else if line.hasPrefix("> ") {
        steps[steps.count - 1].typed += "\n" + line.dropFirst(2)
      } else {
        steps[steps.count - 1].shown.append(line)
      }
    }
    try #require(steps.count > 10)

    let mark = "--- next line ---"
    let script = steps.map(\.typed).joined(separator: "\necho '\(mark)'\n")
    let answer = try place.shell("cd '\(place.folder.path)' && exec 2>&1\n\(script)")
    #expect(answer.code == 0)
    let printed = answer.output.components(separatedBy: mark + "\n")
    try #require(printed.count == steps.count, "\(answer.output)")
    for (step, output) in zip(steps, printed) {
      let shown = step.shown.map { $0 + "\n" }.joined()
      #expect(masked(output) == masked(shown), "\(step.typed) prints\n\(output)and not\n\(shown)")
    }
  }

  /// A text without what differs from run to run: numbers and their units, dates, ids, paths, and the number of blanks,
  /// which depends on them.
  private func masked(_ text: String) -> String {
    text.replacing(/(?m)^\S*bash: .* Killed .*$/, with: "Killed")
      .replacing(/"\/.*\/loads\.db"/, with: "STORE")
      .replacing(/(?m)\b[0-9a-f]{7}$/, with: "ID")
      .replacing(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s/, with: "")
      .replacing(/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/, with: "MONTH")
      .replacing(/[0-9][0-9.:,]*( (ms|s|m))?\b/, with: "N")
      .replacing(/\x20+/, with: " ")
  }
}
