import Foundation
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

  @Test(arguments: [["--help"], [], ["help"], ["-h"]])
  func theHelpNamesEachVerb(words: [String]) throws {
    let answer = try place.loadlog(words)
    #expect(answer.code == 0)
    #expect(answer.errors == "")
    for verb in Verbs.displayedNames { #expect(answer.output.contains("  \(verb) ")) }
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
