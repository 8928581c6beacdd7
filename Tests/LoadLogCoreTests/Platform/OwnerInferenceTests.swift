import Foundation
import Synchronization
import Testing

@testable import LoadLogCore

/// Searches in tables of ancestors. The first process of a table is the parent of `loadlog`.
@Suite struct OwnerInferenceTests {
  struct Process: Sendable {
    var program: String
    var arguments: [String]
    var folder: String? = "/home/ada"
    var scriptFiles: [String] = []

    init(_ line: String, as program: String? = nil, in folder: String? = "/home/ada", reads: [String] = []) {
      arguments = line.split(separator: " ").map(String.init)
      let name = arguments.first ?? ""
      self.program = program ?? (name.hasPrefix("/") ? name : "/usr/bin/" + name)
      self.folder = folder
      scriptFiles = reads
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let ancestors: [Process]
    /// The owner's index in the table; nil if none is found.
    let owner: Int?
    var app = "bash"
    var script: String?
  }

  private static let files: Set<String> = ["/home/ada/backup.sh", "/home/ada/jobs/load.py", "/srv/a b.sh"]

  private func inference(_ ancestors: [Process]) -> OwnerInference {
    OwnerInference(
      startingAt: ancestors.isEmpty ? 0 : 100,
      facts: { pid in
        let place = Int(pid) - 100
        guard ancestors.indices.contains(place) else { return nil }
        let process = ancestors[place]
        let isLast = place == ancestors.count - 1
        return ProcessFacts(
          parent: isLast ? 0 : pid + 1, executable: process.program,
          shortName: ProcessFacts.lastComponent(process.program), arguments: process.arguments,
          workingDirectory: process.folder, scriptFiles: process.scriptFiles)
      },
      isFile: { Self.files.contains($0) })
  }

  @Test(arguments: [
    Case(
      testDescription: "a script", ancestors: [Process("bash backup.sh"), Process("bash")], owner: 0,
      script: "/home/ada/backup.sh"),
    Case(
      testDescription: "( … ) or $( … ) in a script",
      ancestors: [Process("bash backup.sh"), Process("bash backup.sh"), Process("cron")], owner: 1,
      script: "/home/ada/backup.sh"),
    Case(
      testDescription: "a pipe in a function in a subshell",
      ancestors: [Process("bash backup.sh"), Process("bash backup.sh"), Process("bash backup.sh")],
      owner: 2, script: "/home/ada/backup.sh"),
    Case(
      testDescription: "timeout in a script",
      ancestors: [Process("timeout 5 loadlog start a"), Process("bash /home/ada/backup.sh")], owner: 1,
      script: "/home/ada/backup.sh"),
    Case(
      testDescription: "sudo twice, as with a pty",
      ancestors: [Process("sudo loadlog"), Process("sudo loadlog"), Process("bash backup.sh")], owner: 2,
      script: "/home/ada/backup.sh"),
    Case(
      testDescription: "xargs sh -c in a script",
      ancestors: [Process("sh -c loadlog", as: "/bin/dash"), Process("xargs sh"), Process("bash backup.sh")],
      owner: 2, script: "/home/ada/backup.sh"),
    Case(
      testDescription: "make in an interactive shell",
      ancestors: [Process("sh -ec loadlog", as: "/bin/dash"), Process("make all"), Process("bash")],
      owner: 2),
    Case(
      testDescription: "gmake in gmake, with a subshell",
      ancestors: [
        Process("sh -c x", as: "/bin/dash"), Process("sh -c x", as: "/bin/dash"), Process("gmake -C b"),
        Process("sh -c gmake", as: "/bin/dash"), Process("gmake all"), Process("bash"),
      ], owner: 5),
    Case(
      testDescription: "env -i, nice and time",
      ancestors: [
        Process("env -i loadlog"), Process("nice loadlog"), Process("time loadlog"), Process("bash"),
      ], owner: 3),
    Case(
      testDescription: "sh -c under cron is the owner",
      ancestors: [Process("sh -c loadlog", as: "/bin/dash"), Process("cron")], owner: 0, app: "dash"),
    Case(
      testDescription: "bash -c in a script",
      ancestors: [Process("bash -c loadlog"), Process("bash backup.sh")], owner: 0,
      script: "/home/ada/backup.sh"),
    Case(
      testDescription: "a script under timeout is the owner",
      ancestors: [Process("bash backup.sh"), Process("timeout 9 bash backup.sh")], owner: 0,
      script: "/home/ada/backup.sh"),
    Case(testDescription: "an interactive shell", ancestors: [Process("bash"), Process("sshd")], owner: 0),
    Case(
      testDescription: "a login shell in a terminal written in Python",
      ancestors: [Process("-bash", as: "/bin/bash"), Process("python3 jobs/load.py")], owner: 0),
    Case(
      testDescription: "options before the script",
      ancestors: [Process("bash -euo pipefail --rcfile /home/ada/backup.sh /home/ada/jobs/load.py secret")],
      owner: 0, script: "/home/ada/jobs/load.py"),
    Case(
      testDescription: "a Python script from another folder",
      ancestors: [Process("python3 -W error ../home/ada/./jobs/load.py --key secret", in: "/srv")], owner: 0,
      app: "python3", script: "/home/ada/jobs/load.py"),
    Case(
      testDescription: "a versioned Python that runs a module",
      ancestors: [Process("python3.11 -m jobs.load secret"), Process("bash backup.sh")], owner: 0,
      app: "python3.11", script: "/home/ada/backup.sh"),
    Case(
      testDescription: "perl -ne is no script", ancestors: [Process("perl -ne system /home/ada/backup.sh")],
      owner: 0, app: "perl"),
    Case(
      testDescription: "a script that has changed its folder",
      ancestors: [Process("bash backup.sh", in: "/", reads: ["/home/ada/backup.sh"])], owner: 0,
      script: "/home/ada/backup.sh"),
    Case(
      testDescription: "a script that is not there any more", ancestors: [Process("bash gone.sh")], owner: 0
    ),
    Case(
      testDescription: "a script on standard input", ancestors: [Process("bash -s backup.sh")], owner: 0),
    Case(
      testDescription: "a program that is no interpreter",
      ancestors: [Process("importer /home/ada/backup.sh"), Process("bash backup.sh")], owner: 0,
      app: "importer"),
    Case(
      testDescription: "busybox is many programs",
      ancestors: [
        Process("timeout 5 loadlog", as: "/bin/busybox"),
        Process("/bin/busybox sh backup.sh", as: "/bin/busybox"),
      ], owner: 1, app: "sh", script: "/home/ada/backup.sh"),
    Case(
      testDescription: "a program that was replaced while it runs",
      ancestors: [Process("sudo loadlog", as: "/usr/bin/sudo (deleted)"), Process("bash")], owner: 1),
    Case(testDescription: "the parent is outside the namespace", ancestors: [], owner: nil),
    Case(testDescription: "only passed over", ancestors: [Process("timeout 5 loadlog")], owner: nil),
    Case(
      testDescription: "a pipe's neighbour with other arguments is no subshell",
      ancestors: [Process("bash backup.sh a"), Process("bash backup.sh b")], owner: 0,
      script: "/home/ada/backup.sh"),
  ])
  func finds(_ test: Case) {
    let inference = inference(test.ancestors)
    let owner = inference.inferredOwner()
    #expect(owner?.pid == test.owner.map { Int32($0) + 100 })
    if test.owner != nil { #expect(owner?.app == test.app) }
    #expect(inference.callingScript() == test.script)
  }

  @Test func anAncestorThatCannotBeReadEndsTheSearch() {
    let inference = OwnerInference(startingAt: 5, facts: { _ in nil }, isFile: { _ in true })
    #expect(inference.inferredOwner() == nil)
    #expect(inference.callingScript() == nil)
  }

  @Test func eachProcessIsReadOnce() {
    final class Looks: Sendable { let pids = Mutex<[Int32]>([]) }
    let looks = Looks()
    let read = { @Sendable (pid: Int32) -> ProcessFacts? in
      looks.pids.withLock { $0.append(pid) }
      return ProcessFacts(
        parent: pid - 1, executable: "/bin/bash", shortName: "bash", arguments: ["bash", "/\(pid).sh"])
    }
    let inference = OwnerInference(startingAt: 5, facts: read, isFile: { _ in true })
    #expect(inference.inferredOwner()?.pid == 5)
    #expect(inference.callingScript() == "/5.sh")
    #expect(looks.pids.withLock { $0 } == [5, 4])
  }

  @Test func aChainThatLoopsEnds() {
    let facts = ProcessFacts(
      parent: 5, executable: "/bin/bash", shortName: "bash", arguments: ["bash", "-c", "x"])
    let inference = OwnerInference(startingAt: 5, facts: { _ in facts }, isFile: { _ in true })
    #expect(inference.inferredOwner() == nil)
    #expect(inference.callingScript() == nil)
  }
}
