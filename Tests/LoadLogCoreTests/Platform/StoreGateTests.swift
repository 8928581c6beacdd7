import Dispatch
import Foundation
import LoadLogCore
import LoadLogLibC
import Synchronization
import TestProcesses
import Testing

@Suite struct StoreGateTests {
  let folder = TemporaryFolder()
  var path: String { folder.path + "/gate" }

  @Test func twoGatesOfOneProcessExcludeEachOther() throws {
    let one = try StoreGate(path: path, mode: 0o600)
    let two = try StoreGate(path: path, mode: 0o600)
    try one.lock()
    #expect(try !two.tryLock())
    #expect(try !one.tryLock(), "it is not reentrant")
    two.unlock()
    #expect(try !two.tryLock(), "only the holder lets go")
    one.unlock()
    #expect(try two.tryLock())
    two.unlock()
  }

  @Test func threadsAtOneGateTakeTurns() throws {
    let gate = try StoreGate(path: path, mode: 0o600)
    let inside = Mutex(0)
    let sum = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 200) { _ in
      guard (try? gate.lock()) != nil else { return }
      let others = inside.withLock { count in
        count += 1
        return count - 1
      }
      sum.withLock { $0 += others == 0 ? 1 : 0 }
      inside.withLock { $0 -= 1 }
      gate.unlock()
    }
    #expect(sum.withLock { $0 } == 200)
  }

  @Test func excludesOtherProcesses() throws {
    let gate = try StoreGate(path: path, mode: 0o600)
    let child = try Child([try Fixture.program("lock_holder"), path])
    _ = try child.line()
    #expect(try !gate.tryLock())
    child.killAndReap()
    #expect(try gate.tryLock())
  }

  @Test func waitsForOtherProcesses() throws {
    let gate = try StoreGate(path: path, mode: 0o600)
    let child = try Child([try Fixture.program("lock_holder"), path])
    _ = try child.line()
    try #require(try !gate.tryLock())
    let isIn = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      if (try? gate.lock()) != nil { isIn.signal() }
    }
    #expect(isIn.wait(timeout: .now()) == .timedOut)
    try child.finish()
    isIn.wait()
    #expect(try !gate.tryLock())
  }

  @Test(arguments: [true, false]) func locksTheFileThatThePathNamesNow(waiting: Bool) throws {
    let old = try StoreGate(path: path, mode: 0o600)
    try FileManager.default.removeItem(atPath: path)
    let new = try StoreGate(path: path, mode: 0o600)
    if waiting { try old.lock() } else { #expect(try old.tryLock()) }
    #expect(try !new.tryLock())
    old.unlock()
    #expect(try new.tryLock())
    #expect(try !old.tryLock())
  }

  @Test func aGateHeldByTheLastUserOfADeletedFileIsNotWaitedFor() throws {
    let stale = try StoreGate(path: path, mode: 0o600)
    let gate = try StoreGate(path: path, mode: 0o600)
    try stale.lock()
    try FileManager.default.removeItem(atPath: path)
    #expect(try gate.tryLock())
  }

  @Test func givesUpWhereTheFolderIsGone() throws {
    let gate = try StoreGate(path: path, mode: 0o600)
    try FileManager.default.removeItem(atPath: folder.path)
    let error = #expect(throws: LoadLogError.self) { try gate.lock() }
    #expect(error?.code == .storeMoved)
    #expect(error?.path == path)
    #expect(throws: LoadLogError.self, "its turn was given back") { try gate.tryLock() }
  }

  @Test func setsOnlyTheModeOfACreatedFile() throws {
    let files = FileManager.default
    _ = try StoreGate(path: path, mode: 0o666)
    #expect(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o666)
    _ = try StoreGate(path: path, mode: 0o600)
    #expect(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o666)
  }

  @Test func takesRegularFilesOnly() throws {
    mkfifo(folder.path + "/pipe", 0o600)
    symlink("/dev/null", folder.path + "/link")
    mkdir(folder.path + "/folder", 0o700)
    for name in ["pipe", "link", "folder", "missing/gate"] {
      let error = #expect(throws: LoadLogError.self) {
        try StoreGate(path: folder.path + "/" + name, mode: 0o600)
      }
      #expect(error?.code == .storeUnusable)
    }
  }

  @Test func mayGoWhileItIsHeld() throws {
    try StoreGate(path: path, mode: 0o600).lock()
    #expect(try StoreGate(path: path, mode: 0o600).tryLock())
  }

  /// As a child has one until it executes its program.
  @Test func mayGoWhileThereIsACopyOfItsDescriptor() throws {
    func copyOfAGateThatGoes() throws -> Int32 {
      let gate = try StoreGate(path: path, mode: 0o600)
      try gate.lock()
      let file = try #require(FileID(path: path))
      return try withExtendedLifetime(gate) {
        dup(try #require((3..<65_536).first { FileID(descriptor: $0) == file }))
      }
    }
    let copy = try copyOfAGateThatGoes()
    defer { close(copy) }
    #expect(try StoreGate(path: path, mode: 0o600).tryLock())
  }
}
