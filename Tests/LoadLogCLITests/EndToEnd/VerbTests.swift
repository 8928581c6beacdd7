import Foundation
import LoadLog
@testable import LoadLogCLI
import TestProcesses
import Testing

/// Help, version and completions of the built program.
@Suite struct VerbTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test(arguments: Verbs.names, [["WORD", "--help"], ["WORD", "-h"], ["help", "WORD"]])
  func hasHelpWithAnExample(verb: String, words: [String]) throws {
    let answer = try place.loadlog(words.map { $0.replacing("WORD", with: verb) })
    #expect(answer.code == 0)
    #expect(answer.errors == "")
    #expect(try Verbs.hasExample(verb, in: answer.output))
    #expect(answer.output.contains("USAGE: loadlog \(verb)"))
  }

  @Test(arguments: [["--help"], ["help"], ["-h"]])
  func theHelpNamesEachVerb(words: [String]) throws {
    let answer = try place.loadlog(words)
    #expect(answer.code == 0)
    #expect(answer.errors == "")
    for verb in Verbs.displayedNames { #expect(answer.output.contains("  \(verb) ")) }
  }

  @Test func helpIsPrintedWithoutDashes() throws {
    let answer = try place.loadlog("run", "f", "ls", "--help")
    #expect(answer.code == 0 && answer.output.contains("USAGE: loadlog run"), "\(answer)")
  }

  @Test func withoutAStoreTheProgramGreets() throws {
    let greeting = try place.loadlog()
    #expect(greeting.code == 0 && greeting.errors == "")
    #expect(greeting.output.contains("Nothing is recorded yet") && greeting.output.contains(place.store))
    let lines = greeting.output.matches(of: /(?m)^  (loadlog .*)$/).map { String($0.1) }
    #expect(lines.count == 3)
    for line in lines {
      let answer = try place.shell(line.replacing("sleep 1", with: "true"))
      #expect(answer.code == 0 && answer.errors == "", "\(line): \(answer.errors)")
    }
    #expect(try place.loadlog().output == place.loadlog("--help").output)
  }

  @Test(arguments: HelpTopic.allCases) func aTopicHasAPage(topic: HelpTopic) throws {
    let page = try place.loadlog("help", topic.rawValue)
    #expect(page.code == 0 && page.errors == "")
    #expect(page.output == topic.text + "\n")
    #expect(page.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(try place.loadlog("--help").output.contains("loadlog help \(topic.rawValue)"))
  }

  private static let noFile = "cannot use store \"/dev/null\": it is not a regular file."

  @Test(arguments: [
    ("status --foo", "Unknown option '--foo'. Did you mean '--to'?", "status"),
    ("show", "Missing expected argument '<id>'.", "show"),
    ("prune", "Give either --older-than or --keep.", "prune"),
    ("run f --timeout 0s -- true", "--timeout \"0s\": it is not more than 0.", "run"),
    ("status --db /dev/null", noFile, "store"),
    ("run f --db /dev/null -- true", "not recorded: \(noFile)", "store"),
    ("status --db /", "cannot use store \"/\": it is a folder. Name a file in it.", nil),
    ("--foo", "Unknown option '--foo'. See loadlog --help.", nil),
    ("--fleet", "Unknown option '--fleet'. See loadlog --help.", nil),
    ("help --fleet", "Unknown option '--fleet'. See loadlog --help.", nil),
  ]) func anErrorThatSaysNoRemedyNamesItsPageOfHelp(line: String, text: String, page: String?) throws {
    let answer = try place.loadlog(line.split(separator: " ").map(String.init))
    #expect(answer.errors == "loadlog: \(text)\(page.map { " See loadlog help \($0)." } ?? "")\n")
    if let page { #expect(try place.loadlog("help", page).code == 0) }
  }

  @Test func thePageOfExitCodesSaysWhatTheDocumentsSay() throws {
    let file = TestPlaces.package.appending(path: "Docs/CommandLine.md")
    let document = try String(contentsOf: file, encoding: .utf8)
    let help = try place.loadlog("help", "exit-codes").output
    let page = help.replacing(/\s+/, with: " ")
    let rows = document.matches(of: /(?m)^\| ([0-9]+) \| (.*) \|$/)
    #expect(rows.count == 8)
    for row in rows { #expect(page.contains(" \(row.1) \(row.2)"), "\(row.2)") }
    let paragraphs = document.components(separatedBy: "\n\n")
    let ofRun = try #require(paragraphs.first { $0.hasPrefix("`run` returns ") })
    let codes = ofRun.matches(of: /([0-9]+)(?: \+ n)? if/).map(\.1)
    #expect(codes.count == 6)
    let list = try #require(help.split(separator: "instead:").last)
    #expect(list.matches(of: /\n  ([0-9]+)(?:\+n)?\s/).map(\.1) == codes)
  }

  @Test func thePageOfVerdictsNamesEachState() throws {
    let page = try place.loadlog("help", "verdicts").output
    for state in SessionState.allCases where state != .running {
      #expect(page.contains("  \(state.rawValue) "))
    }
  }

  @Test func theVersionIsOneLine() throws {
    let answer = try place.loadlog("--version")
    #expect(answer.code == 0)
    #expect(answer.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil, "\(answer.output)")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsAreScriptsThatKnowTheVerbs(shell: String) throws {
    let answer = try place.loadlog("--generate-completion-script", shell)
    #expect(answer.code == 0)
    #expect(answer.errors == "")
    for verb in Verbs.displayedNames { #expect(answer.output.contains(verb)) }
    guard Place.has(shell) else { return print("not tested: \(shell) is not installed to read its script") }
    let script = try place.write(answer.output, to: "completion")
    #expect(try place.start([shell, "-n", script]).wait() == Finished(code: 0, output: "", errors: ""))
  }

  @Test(arguments: Verbs.names) func helpNeedsNoStoreAndMakesNone(verb: String) throws {
    try place.loadlog(verb, "--help")
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/store"))
  }
}
