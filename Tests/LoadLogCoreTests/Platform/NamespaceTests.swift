#if canImport(Glibc)
  import Foundation
  import Glibc
  import LoadLogCore
  import TestProcesses
  import Testing

  /// Owner and reader in different pid namespaces: only the lock decides. Needs root.
  @Suite(.enabled("no right to make pid namespaces here (needs root)") { canMakePidNamespaces() })
  struct NamespaceTests {
    @Test(arguments: [["--mount-proc"], []]) func anOwnerInANamespaceOfItsOwn(mount: [String]) throws {
      let folder = TemporaryFolder()
      let path = folder.path + "/owner"
      let unshare = ["/usr/bin/env", "unshare", "--pid", "--fork"] + mount
      let child = try Child(unshare + [try Fixture.program("lock_holder"), path])
      let held = try HeldLock(child.line(), at: path)
      #expect(held.owner.process.pid == 1)
      let judge = DeathJudge(
        processes: SystemProcessTable(), locks: FolderLockTable(folder: folder.path))
      #expect(judge.judge(held.owner) == .alive)
      var lockless = held.owner
      lockless.lock = nil
      let unknown = Judgement.unknown(evidence: "its process is in another pid namespace")
      #expect(judge.judge(lockless) == unknown)
      try child.finish()
      #expect(judge.judge(held.owner) == .dead(.crashed, evidence: "the lock of pid 1 is free"))
      #expect(judge.judge(lockless) == unknown)
      try FileManager.default.removeItem(atPath: path)
      #expect(judge.judge(held.owner) == unknown, "a lock file that is gone proves nothing")
    }

    @Test func aReaderInANamespaceOfItsOwn() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let path = folder.path + "/owner"
        let child = try Child([try Fixture.program("lock_holder"), path])
        let owner = try HeldLock(child.line(), at: path).owner
        var toReader: [Int32] = [0, 0]
        var toParent: [Int32] = [0, 0]
        #expect(pipe(&toReader) == 0 && pipe(&toParent) == 0)
        #expect(SystemCalls.unsharePids())
        let status = SystemCalls.inForkedChild(
          meanwhile: { _ in
            var byte: UInt8 = 0
            close(toParent[1])
            _ = read(toParent[0], &byte, 1)
            child.killAndReap()
            close(toReader[1])
          }
        ) {
          let table = SystemProcessTable()
          let judge = DeathJudge(processes: table, locks: FolderLockTable(folder: folder.path))
          // /proc is still that of the outer namespace, where pid 1 is another process: the table must not use it.
          guard table.current.pid == 1, table.observe(1) == .hidden else { return 1 }
          guard table.identity(of: 1)?.startTicks == nil else { return 2 }
          guard judge.judge(owner) == .alive else { return 3 }
          var byte: UInt8 = 0
          close(toReader[1])
          close(toParent[1])
          _ = read(toReader[0], &byte, 1)
          let evidence = "the lock of pid \(owner.process.pid) is free"
          guard judge.judge(owner) == .dead(.crashed, evidence: evidence) else { return 4 }
          return 0
        }
        #expect(status == 0)
      }
    }
  }

  private func canMakePidNamespaces() -> Bool {
    guard getuid() == 0 else { return false }
    let attempt = try? Child(["/usr/bin/env", "unshare", "--pid", "--fork", "true"]).waitForEnd()
    return attempt == 0
  }
#endif
