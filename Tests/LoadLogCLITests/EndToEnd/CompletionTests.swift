import Foundation
import TestProcesses
import Testing

/// The completion scripts in real shells: a tab after a command line.
@Suite struct CompletionTests {
  static let shells = ["bash", "zsh", "fish"].filter {
    Place.has($0) && Place.has("python3") && ($0 != "bash" || Place.hasModernBash)
  }

  private let place: Place

  init() throws { place = try Place() }

  /// Returns the line that a shell makes of a line and a tab, without the space at its end.
  private func completed(_ line: String, in shell: String) throws -> String {
    let script = place.folder.path + "/completion." + shell
    if !FileManager.default.fileExists(atPath: script) {
      let answer = try place.loadlog("--generate-completion-script", shell)
      try place.write(answer.output, to: "completion." + shell)
    }
    let typist = TestPlaces.package.appending(path: "Tests/Scripts/press_tab.py").path
    let answer = try place.start(["python3", typist, shell, script, line]).wait()
    #expect(answer.code == 0, "\(answer.errors)")
    return answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func everyWayToAskForAScriptGetsTheSame(shell: String) throws {
    let option = "--generate-completion-script"
    let script = try place.loadlog(option, shell)
    #expect(script.output.contains("---feeds"))
    #expect(try place.loadlog("\(option)=\(shell)") == script)
    place.environment["SHELL"] = "/bin/\(shell)"
    #expect(try place.loadlog(option) == script)
  }

  @Test(arguments: shells)
  func feedsAreOfferedWhereVerbsTakeThem(shell: String) throws {
    for feed in ["alpha/one", "beta"] { try place.loadlog("start", feed, "--detached") }
    for verb in [
      "status", "history", "unbalanced", "last-updated", "run", "start", "push", "pop", "reset", "export",
      "report", "notify",
    ] {
      let line = "loadlog \(verb) al"
      #expect(try completed(line, in: shell) == "loadlog \(verb) alpha/one")
    }
    let rows = [
      ("loadlog status beta --since 3d al", "loadlog status beta --since 3d alpha/one"),
      ("loadlog status --max-age 25h al", "loadlog status --max-age 25h alpha/one"),
      ("loadlog notify --on-change true al", "loadlog notify --on-change true alpha/one"),
      ("loadlog run --keep-output al", "loadlog run --keep-output alpha/one"),
      ("loadlog run beta al", "loadlog run beta al"), ("loadlog sta", "loadlog sta"),
      ("loadlog hist", "loadlog history"),
      ("loadlog status --since al", "loadlog status --since al"), ("loadlog finish al", "loadlog finish al"),
      ("loadlog unbalanced --ack al", "loadlog unbalanced --ack al"),
    ]
    for (line, expected) in rows { #expect(try completed(line, in: shell) == expected) }
  }

  /// The completed line is executed, so that a wrong quote shows.
  @Test(
    arguments: shells,
    [
      "two words", "colon:and:more", "quote's \"double\"", "$(touch pwned)`touch pwned`$HOME", "back\\slash",
      "star*", "-n", "tilde~#!&;|<>",
    ])
  func aNameIsDataInEveryShell(shell: String, name: String) throws {
    #expect(try place.loadlog("start", "--detached", "--", name).code == 0)
    let asked = name == "-n" ? "loadlog last-updated -- " : "loadlog last-updated "
    for typed in [0, 1] {
      let prefix = String(name.prefix(typed)).filter { $0.isLetter }
      let line = try completed(asked + prefix, in: shell)
      let answer = try place.shell("cd \(place.folder.path); \(line)", in: shell)
      #expect(answer == Finished(code: 0, output: "never\n", errors: ""), "\(line)")
    }
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/pwned"))
  }

  @Test(arguments: shells)
  func aNameWithAColonIsCompletedFromItsMiddle(shell: String) throws {
    for feed in ["host:8080", "host:9090", "host:x y"] { try place.loadlog("start", feed, "--detached") }
    for (typed, expected) in [("host:8", "host:8080"), ("host:9", "host:9090")] {
      let line = try completed("loadlog status " + typed, in: shell)
      #expect(line.replacing("\\", with: "") == "loadlog status " + expected)
    }
    let line = try completed("loadlog last-updated host:x", in: shell)
    #expect(try place.shell(line, in: shell).output == "never\n", "\(line)")
  }

  @Test(arguments: shells)
  func theStoreOfTheLineIsAsked(shell: String) throws {
    let other = place.folder.path + "/other store.db"
    try place.loadlog("start", "omega", "--detached", "--db", other)
    let asked = "loadlog status --db '\(other)' om"
    #expect(try completed(asked, in: shell) == asked + "ega")
    #expect(!FileManager.default.fileExists(atPath: place.store))
    let home = place.folder.path + "/home/at-home.db"
    try place.loadlog("start", "omicron", "--detached", "--db", home)
    #expect(try completed("loadlog status --db ~/at-home.db om", in: shell).hasSuffix("db omicron"))
    let missing = "loadlog status --db \(place.folder.path)/none.db om"
    #expect(try completed(missing, in: shell) == missing)
    try place.write("no store", to: "bad.db")
    #expect(try completed("loadlog status --db \(place.folder.path)/bad.db om", in: shell).hasSuffix(" om"))
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/none.db"))
  }

  @Test(arguments: shells)
  func commandsAreCompletedAfterTheirDashes(shell: String) throws {
    try place.write("", to: "home/some-file.txt")
    for (typed, expected) in [
      ("-- loadl", "-- loadlog"), ("-m x -- loadl", "-m x -- loadlog"),
      ("-- cat \(place.folder.path)/home/some-f", "-- cat \(place.folder.path)/home/some-file.txt"),
    ] {
      let line = try completed("loadlog run backup " + typed, in: shell)
      #expect(line == "loadlog run backup " + expected)
    }
  }
}
