import Foundation
import Testing

/// Scripts that die, and what `status` reports about them before another writer runs.
@Suite struct DeathTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func aKilledScriptHasCrashedAndStaysSo() throws {
    let script = try place.script("loadlog start f; read -r end")
    let id = try script.line()
    try place.expectRunning("f")
    try script.killAndReap()
    #expect(try place.unbalanced("f") == ["crashed": 1])
    let before = try place.ask("unbalanced")["unbalanced"][0]
    let advice = try place.loadlog("doctor", "--db", place.store).output
    #expect(advice.contains("Run loadlog doctor --repair --db \(place.store) to record that"), "\(advice)")
    for _ in 0..<2 {
      _ = try place.loadlog("doctor", "--repair")
      #expect(try place.unbalanced("f") == ["crashed": 1])
      #expect(try place.status("f")["running"].int == 0)
    }
    let after = try place.ask("unbalanced")["unbalanced"]
    #expect(after.all.count == 1)
    #expect(after[0]["load"].text == id)
    #expect(after[0]["evidence"].text == before["evidence"].text)
    #expect(after[0]["evidence"].text == "pid \(script.pid) (bash, inferred) is gone")
  }

  @Test(
    arguments: [
      (["--owner-pid", "$$"], "pid PID (bash) is gone"), (["--detached"], nil), (["--owner-pid", "0"], nil),
    ] as [([String], String?)])
  func theGivenOwnerDecides(flags: [String], evidence: String?) throws {
    let script = try place.script("loadlog start f \(flags.joined(separator: " ")); read -r end")
    _ = try script.line()
    if evidence != nil { try place.expectRunning("f") }
    try script.killAndReap()
    if let evidence {
      #expect(try place.unbalanced("f") == ["crashed": 1])
      let found = try place.ask("unbalanced")["unbalanced"][0]["evidence"].text
      #expect(found == evidence.replacing("PID", with: "\(script.pid)"))
    } else {
      #expect(try place.unbalanced("f") == [:])
      #expect(try place.status("f")["unknown"].int == 1)
    }
  }

  @Test func aFinishAfterDeathIsBelieved() throws {
    let script = try place.script("loadlog start f; read -r end")
    let id = try script.line()
    try script.killAndReap()
    _ = try place.loadlog("doctor", "--repair")
    #expect(try place.loadlog("finish", id).code == 0)
    #expect(try place.unbalanced("f") == [:])
    let load = try place.ask("history", "f")["loads"][0]
    #expect(load["state"].text == "succeeded")
    #expect(load["finished_after_verdict"].bool == true)
  }

  @Test func readingADeathWritesNothing() throws {
    let script = try place.script("loadlog push f; read -r end")
    _ = try script.line()
    try script.killAndReap()
    let before = try StoreFiles(of: place)
    for verb in [["status"], ["unbalanced"], ["history"], ["last-updated", "f"], ["doctor"]] {
      _ = try place.loadlog(verb)
      #expect(try StoreFiles(of: place) == before, "\(verb) wrote")
    }
  }

  @Test func aKilledRunHasCrashed() throws {
    let run = try place.start(["loadlog", "run", "f", "--", "sh", "-c", "echo up; read -r end"])
    #expect(try run.line() == "up")
    try place.expectRunning("f")
    try run.killAndReap()
    #expect(try place.unbalanced("f") == ["crashed": 1])
    let evidence = try place.ask("unbalanced")["unbalanced"][0]["evidence"].text
    #expect(evidence == "pid \(run.pid) is gone and its lock is free")
    _ = try place.loadlog("doctor", "--repair")
    #expect(try place.unbalanced("f") == ["crashed": 1])
    let files = try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/store")
    #expect(!files.contains { $0.contains("-owner-") }, "\(files)")
  }

  @Test func aZombieIsDeadAndAStoppedProcessIsNot() throws {
    let text = "exec 3>&1; loadlog start f >&3; read -r end"
    let script = try place.write(text, to: "job.sh")
    // The parent does not wait for its children, so the script stays a zombie.
    let parent = try place.start(["bash", "-c", "bash \(script) <&0 & echo $!; exec cat"])
    let pid = try #require(Int32(parent.line()))
    _ = try parent.line(1)
    try place.expectRunning("f")
    kill(pid, SIGSTOP)
    try Wait.until("a stopped script") { try place.state(of: pid) == "T" }
    try place.expectRunning("f")
    kill(pid, SIGKILL)
    try Wait.until("a zombie") { try place.state(of: pid) == "Z" }
    #expect(try place.unbalanced("f") == ["crashed": 1])
    let evidence = try place.ask("unbalanced")["unbalanced"][0]["evidence"].text
    #expect(evidence == "pid \(pid) (bash, inferred) is a zombie")
  }

  @Test(.enabled("no right to make pid namespaces here (needs root)") { Root.canUnshare })
  func aScriptInAnotherPidNamespaceCannotBeJudged() throws {
    let script = try place.write("loadlog start f; read -r end", to: "job.sh")
    let flags = ["--pid", "--fork", "--mount-proc", "--kill-child"]
    let child = try place.start(["unshare"] + flags + ["bash", script])
    _ = try child.line()
    for isAlive in [true, false] {
      if !isAlive { try child.killAndReap() }
      #expect(try place.unbalanced("f") == [:])
      #expect(try place.status("f")["unknown"].int == 1)
    }
  }
}
