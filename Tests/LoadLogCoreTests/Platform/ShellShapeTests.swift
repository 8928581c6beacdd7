import Foundation
import TestProcesses
import Testing

@testable import LoadLogCore

/// Searches in the real ancestors of a command in real shell scripts.
@Suite struct ShellShapeTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The script; LEAF stands for the command.
    let script: String
    /// Whether a `bash -c` in the script, and not the script, is the owner.
    var isOwnedByText = false

    init(_ script: String, isOwnedByText: Bool = false) {
      testDescription = script
      self.script = script
      self.isOwnedByText = isOwnedByText
    }
  }

  @Test(
    arguments: [
      Shape("LEAF; true"), Shape("( LEAF; true ); true"), Shape("x=$(LEAF; true); true"),
      Shape("LEAF | cat; true"), Shape("echo | while read -r x; do ( LEAF; true ); done; true"),
      Shape("f() { LEAF; true; }; f & wait"), Shape("echo a | xargs sh -c 'LEAF; true'; true"),
      Shape("echo a | xargs -I{} LEAF; true"), Shape("timeout 600 LEAF; true"),
      Shape("timeout 600 sh -c '( LEAF; true ); true'; true"),
      Shape(#"printf 'all:\n\t@LEAF; true\n' | make -s -f -; true"#),
      Shape("env A=b nice nohup LEAF 2>&1; true"), Shape("cd / && LEAF; true"),
      Shape("bash -c 'LEAF; true'; true", isOwnedByText: true),
    ], ["bash", "dash"])
  func findsTheScript(shape: Shape, shell: String) throws {
    let shellPath = try #require(Self.path(of: shell), "\(shell) is not installed")
    guard !shape.script.contains("timeout") || Self.path(of: "timeout") != nil else {
      return print("not tested: timeout is not installed")
    }
    let folder = TemporaryFolder()
    let script = folder.path + "/a script.sh"
    let leaf = try Fixture.program("leaf")
    let text = "exec 3>&1 4<&0\n" + shape.script.replacing("LEAF", with: leaf) + "\n"
    try Data(text.utf8).write(to: URL(filePath: script))
    let child = try Child([shellPath, script, "an argument"])
    let parent = try child.number()
    let inference = OwnerInference(
      startingAt: parent, facts: ProcessFacts.read, isFile: SystemFile.isRegularFile)
    #expect(inference.callingScript() == script)
    let owner = try #require(inference.inferredOwner())
    if shape.isOwnedByText {
      #expect(owner.pid != child.pid)
      #expect(owner.app == "bash")
    } else {
      #expect(owner.pid == child.pid)
      #expect(owner.app == shell)
    }
    #expect(try child.finish() == 0)
  }

  private static func path(of program: String) -> String? {
    ["/bin/", "/usr/bin/"].map { $0 + program }.first(where: SystemFile.isRegularFile)
  }

  @Test func aRelativeScriptIsFoundFromAnywhere() throws {
    let folder = TemporaryFolder()
    // The pattern below must not find scripts in folders of other tests.
    let inner = folder.path + "/inner"
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
    let leaf = try Fixture.program("leaf")
    let text = "exec 3>&1 4<&0; \(leaf); true\n"
    try Data(text.utf8).write(to: URL(filePath: inner + "/job.sh"))
    for command in ["bash ./job.sh", "dash job.sh", "bash -eu -o pipefail ../*/job.sh"] {
      let child = try Child(["/bin/bash", "-c", "cd '\(inner)' && exec \(command)"])
      let inference = OwnerInference(
        startingAt: try child.number(), facts: ProcessFacts.read, isFile: SystemFile.isRegularFile)
      let found = try #require(inference.callingScript())
      #expect(FileID(path: found) == FileID(path: inner + "/job.sh"))
      #expect(found.hasPrefix("/"))
      #expect(try child.finish() == 0)
    }
  }

  @Test func aPythonScriptCallsToo() throws {
    let folder = TemporaryFolder()
    let script = folder.path + "/job.py"
    let leaf = try Fixture.program("leaf")
    let call = "import os, subprocess\nos.dup2(1, 3); os.dup2(0, 4)\n"
    let text = call + "subprocess.run(['\(leaf)'], close_fds=False, pass_fds=(3, 4))\n"
    try Data(text.utf8).write(to: URL(filePath: script))
    guard let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first(where: SystemFile.isRegularFile)
    else { return print("not tested: python3 is not installed") }
    let child = try Child([python, "-u", script, "secret"])
    let inference = OwnerInference(
      startingAt: try child.number(), facts: ProcessFacts.read, isFile: SystemFile.isRegularFile)
    #expect(inference.callingScript() == script)
    #expect(inference.inferredOwner()?.pid == child.pid)
    #expect(try child.finish() == 0)
  }
}
