#if canImport(Glibc)
  import Glibc
  import LoadLogCore
  import TestProcesses
  import Testing

  /// The behaviour of a forked child with files that its parent opened.
  @Suite struct ForkTests {
    @Test func aGateThrowsInAForkedChildAndStaysTheParents() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let path = folder.path + "/gate"
        let gate = try StoreGate(path: path, mode: 0o600)
        let other = try StoreGate(path: path, mode: 0o600)
        try gate.lock()
        let status = SystemCalls.inForkedChild {
          gate.unlock()
          do throws(LoadLogError) {
            _ = try gate.tryLock()
            return 1
          } catch {
            guard error.code == .closed else { return 2 }
          }
          do throws(LoadLogError) {
            _ = try StoreGate(path: path, mode: 0o600)
            return 3
          } catch {
            return error.code == .closed ? 0 : 4
          }
        }
        #expect(status == 0)
        #expect(try !other.tryLock())
        gate.unlock()
        #expect(try other.tryLock())
      }
    }

    @Test func anOwnerLockIsNotInherited() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let lock = try OwnerLock(folder: folder.path, name: "owner", mode: 0o600)
        let parent = SystemProcessTable().current
        var pipe: [Int32] = [0, 0]
        #expect(Glibc.pipe(&pipe) == 0)
        let status = SystemCalls.inForkedChild(
          meanwhile: { _ in
            // The child closes the pipe after its last attempt.
            close(pipe[1])
            var byte: UInt8 = 0
            while read(pipe[0], &byte, 1) > 0 {}
            #expect(OwnerLock.probe(folder: folder.path, lock.lock) == .held)
          }
        ) {
          let here = SystemProcessTable().current
          lock.release(deleting: true)
          close(pipe[1])
          guard here.pid == getpid(), here.pid != parent.pid else { return 1 }
          return here.startTicks != nil && here.bootID == parent.bootID ? 0 : 2
        }
        #expect(status == 0)
      }
    }
  }
#endif
