import Foundation
import Testing

/// Help, version, completions and README of the built program.
@Suite struct VerbTests {
  private static let verbs = [
    "status", "history", "show", "unbalanced", "last-updated", "run", "start", "finish", "push", "pop",
    "reset", "report",
    "doctor",
  ]

  private let place: Place

  init() throws { place = try Place() }

  @Test(arguments: verbs, [["WORD", "--help"], ["WORD", "-h"], ["help", "WORD"]])
  func hasHelpWithAnExample(verb: String, words: [String]) throws {
    let answer = try place.loadlog(words.map { $0.replacing("WORD", with: verb) })
    #expect(answer.code == 0)
    #expect(answer.errors == "")
    let example = try #require(answer.output.components(separatedBy: "Example:").last)
    #expect(example.contains("loadlog \(verb)"))
    #expect(answer.output.contains("USAGE: loadlog \(verb)"))
  }

  @Test(arguments: [["--help"], [], ["help"], ["-h"]])
  func theHelpNamesEachVerb(words: [String]) throws {
    let answer = try place.loadlog(words)
    #expect(answer.code == 0)
    #expect(answer.errors == "")
    for verb in Self.verbs { #expect(answer.output.contains("  \(verb) ")) }
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
    for verb in Self.verbs { #expect(answer.output.contains(verb)) }
    guard Place.has(shell) else { return print("not tested: \(shell) is not installed to read its script") }
    let script = try place.write(answer.output, to: "completion")
    #expect(try place.start([shell, "-n", script]).wait() == Finished(code: 0, output: "", errors: ""))
  }

  @Test func theReadmeNamesEachVerb() throws {
    let readme = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../README.md")
    let text = try String(contentsOf: readme.standardizedFileURL, encoding: .utf8)
    for verb in Self.verbs { #expect(text.contains(verb), "\(verb)") }
  }

  @Test(arguments: verbs) func helpNeedsNoStoreAndMakesNone(verb: String) throws {
    try place.loadlog(verb, "--help")
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/store"))
  }
}
