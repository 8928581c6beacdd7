import Foundation
import LoadLogCore
import LoadLogLibC
import TestProcesses
import Testing

@Suite struct OwnerLockTests {
  let folder = TemporaryFolder()

  private func path(_ name: String) -> String { folder.path + "/" + name }

  @Test func isHeldUntilItIsReleased() throws {
    let lock = try OwnerLock(folder: folder.path, name: "owner", mode: 0o640)
    let table = FolderLockTable(folder: folder.path)
    #expect(table.probe(lock.lock) == .held)
    lock.release(deleting: false)
    #expect(table.probe(lock.lock) == .free)
    lock.release(deleting: true)
    #expect(table.probe(lock.lock) == .free)
  }

  @Test func isReleasedWithItsLastReference() throws {
    let lock = try OwnerLock(folder: folder.path, name: "owner", mode: 0o600).lock
    #expect(OwnerLock.probe(folder: folder.path, lock) == .free)
  }

  @Test func deletesItsFileOnACleanClose() throws {
    let lock = try OwnerLock(folder: folder.path, name: "owner", mode: 0o600)
    lock.release(deleting: true)
    #expect(!FileManager.default.fileExists(atPath: path("owner")))
    #expect(OwnerLock.probe(folder: folder.path, lock.lock) == .unreadable)
    #expect(!FileManager.default.fileExists(atPath: path("owner")), "looking must not create it")
  }

  @Test func deletesNoOtherFileThatTookItsName() throws {
    let lock = try OwnerLock(folder: folder.path, name: "owner", mode: 0o600)
    try FileManager.default.moveItem(atPath: path("owner"), toPath: path("moved"))
    try Data("theirs".utf8).write(to: URL(filePath: path("owner")))
    #expect(OwnerLock.probe(folder: folder.path, lock.lock) == .unreadable)
    lock.release(deleting: true)
    #expect(FileManager.default.fileExists(atPath: path("owner")))
  }

  @Test func setsItsModeWhateverTheUmask() throws {
    let lock = try OwnerLock(folder: folder.path, name: "owner", mode: 0o666)
    let attributes = try FileManager.default.attributesOfItem(atPath: path("owner"))
    #expect(attributes[.posixPermissions] as? Int == 0o666)
    #expect(OwnerLock.probe(folder: folder.path, lock.lock) == .held)
  }

  @Test func refusesAnExistingFile() throws {
    try Data().write(to: URL(filePath: path("owner")))
    let error = #expect(throws: LoadLogError.self) {
      try OwnerLock(folder: folder.path, name: "owner", mode: 0o600)
    }
    #expect(error?.code == .storeUnusable)
    #expect(error?.path == path("owner"))
  }

  @Test(arguments: ["", ".", "..", "a/b", "../owner", "a\0b"])
  func refusesNamesOutsideOfTheFolder(_ name: String) {
    let error = #expect(throws: LoadLogError.self) {
      try OwnerLock(folder: folder.path, name: name, mode: 0o600)
    }
    #expect(error?.code == .invalidInput)
    let lock = Owner.Lock(name: name, inode: 1)
    #expect(OwnerLock.probe(folder: folder.path, lock) == .unreadable)
  }

  @Test func followsNoLink() throws {
    let lock = try OwnerLock(folder: folder.path, name: "owner", mode: 0o600)
    symlink(path("owner"), path("link"))
    let linked = Owner.Lock(name: "link", inode: lock.lock.inode)
    #expect(OwnerLock.probe(folder: folder.path, linked) == .unreadable)
    #expect(OwnerLock.probe(folder: folder.path, lock.lock) == .held)
  }

  @Test func aNamedPipeDoesNotBlock() throws {
    mkfifo(path("pipe"), 0o600)
    let id = try #require(FileID(path: path("pipe")))
    let lock = Owner.Lock(name: "pipe", inode: id.storedInode &+ 1)
    #expect(OwnerLock.probe(folder: folder.path, lock) == .unreadable)
  }

  @Test func aLivingProcessThatLostItsLockIsDetected() throws {
    let lock = try OwnerLock(folder: folder.path, name: "owner", mode: 0o600)
    let table = SystemProcessTable()
    let judge = DeathJudge(processes: table, locks: FolderLockTable(folder: folder.path))
    let owner = Owner(kind: .library, process: table.current, host: "", app: "", lock: lock.lock)
    #expect(judge.judge(owner) == .alive)
    lock.release(deleting: false)
    let evidence = "pid \(getpid()) lives, but its lock was released"
    #expect(judge.judge(owner) == .dead(.released, evidence: evidence))
  }

  @Test func theKernelReleasesTheLockOfAKilledProcess() throws {
    let child = try Child([try Fixture.program("lock_holder"), path("owner")])
    let held = try HeldLock(child.line(), at: path("owner"))
    let judge = DeathJudge(
      processes: SystemProcessTable(), locks: FolderLockTable(folder: folder.path))
    #expect(judge.judge(held.owner) == .alive)
    child.killAndReap()
    let evidence = "pid \(child.pid) is gone and its lock is free"
    #expect(judge.judge(held.owner) == .dead(.crashed, evidence: evidence))
  }

  /// A C program calls fork, which Swift cannot, and checks the registry of descriptors in the child.
  @Test func aForkedChildClosesTheDescriptorsAndUnlocksNothing() throws {
    let child = try Child([try Fixture.program("forked_child", shims: true), folder.path])
    let words = Set(try child.rest().split(separator: "\n").map(String.init))
    #expect(words == ["closed", "recognized", "refused", "spared", "held", "free"])
    #expect(child.waitForEnd() == 0)
  }
}
