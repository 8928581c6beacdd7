import Foundation
import Testing

/// Scripts that start a load in all the usual ways, without naming the owner.
@Suite struct StartingShapeTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test(
    arguments: [
      "loadlog start f > id; id=$(cat id)",
      "id=$(loadlog start f)",
      "id=$(loadlog start f | tail -n 1)",
      "id=$(cd / && loadlog start f)",
      "begin() { loadlog start f; }; id=$(begin)",
      "id=$(timeout 600 loadlog start f)",
      #"id=$(printf 'all:\n\t@loadlog start f\n' | make -s -f -)"#,
      #"id=$(printf 'all:\n\t@cd / && loadlog start f; true\n' | make -s -f -)"#,
      "id=$(echo f | xargs loadlog start)",
      "id=$(echo | while read -r x; do ( loadlog start f; true ); done)",
    ], ["bash", "dash"])
  func onlyTheScriptAnswersForIt(shape: String, shell: String) throws {
    guard !shape.contains("timeout") || Place.has("timeout") else {
      return print("not tested: timeout is not installed")
    }
    let script = try place.script("cd '\(place.folder.path)'\n\(shape)\necho $id; read -r end", in: shell)
    let id = try script.line()
    try place.expectRunning("f")
    let load = try place.ask("show", id)["load"]
    #expect(load["owner"]["pid"].int == Int(script.pid))
    #expect(load["owner"]["app"].text == shell)
    #expect(load["owner"]["inferred"].bool == true)
    #expect(load["call_site"].text?.hasSuffix(".sh") == true)
    try script.killAndReap()
    #expect(try place.unbalanced("f") == ["crashed": 1])
  }

  @Test(arguments: ["bash", "dash"])
  func aScriptThatFinishesInItsTrapIsBalanced(shell: String) throws {
    let text = """
      id=$(loadlog start f --owner-pid $$ -m "Nightly dump") || :
      trap 'loadlog finish "$id" --exit $? || :' EXIT
      exit 4
      """
    #expect(try place.script(text, in: shell).wait() == Finished(code: 4, output: "", errors: ""))
    #expect(try place.unbalanced("f") == [:])
    let load = try place.ask("history")["loads"][0]
    #expect(load["reason"].text == "exit 4")
    #expect(load["message"].text == "Nightly dump")
    #expect(load["owner"]["inferred"].bool == false)
  }

  /// The lines of README and of the help, when no start can be recorded, or only no finish.
  @Test(arguments: ["bash", "dash"], [false, true])
  func aScriptThatCannotBeRecordedWorksOn(shell: String, isStarted: Bool) throws {
    if !isStarted { place.environment["LOADLOG_DB"] = "/dev/null" }
    for code: Int32 in [0, 7] {
      let text = """
        set -e
        id=$(loadlog start f --owner-pid $$) || :
        trap 'loadlog finish "$id" --exit $? || :' EXIT
        export LOADLOG_DB=/dev/null
        echo work
        exit \(code)
        """
      let end = try place.script(text, in: shell).wait()
      #expect(end.code == code && end.output == "work\n", "\(end)")
      #expect(end.errors.hasPrefix("loadlog: cannot use store \"/dev/null\""))
    }
  }
}
