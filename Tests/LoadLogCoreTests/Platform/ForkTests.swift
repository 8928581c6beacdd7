#if canImport(Glibc)
  import Dispatch
  import Glibc
  import LoadLogCore
  import TestProcesses
  import Testing

  /// What a forked child may and may not do with what its parent opened.
  @Suite struct ForkTests {
    @Test func aGateThrowsInAForkedChildAndStaysTheParents() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let path = folder.path + "/gate"
        let gate = try StoreGate(path: path, mode: 0o600)
        let other = try StoreGate(path: path, mode: 0o600)
        let generation = ForkGeneration.current
        try gate.lock()
        let status = SystemCalls.inForkedChild {
          gate.unlock()
          guard ForkGeneration.current == generation + 1 else { return 1 }
          do {
            _ = try gate.tryLock()
            return 2
          } catch {
            guard (error as? LoadLogError)?.code == .storeMoved else { return 3 }
          }
          guard let own = try? StoreGate(path: path, mode: 0o600) else { return 4 }
          guard (try? own.tryLock()) == false else { return 5 }
          return 0
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
            // The child is through with its attempts when the pipe ends.
            close(pipe[1])
            var byte: UInt8 = 0
            while read(pipe[0], &byte, 1) > 0 {}
            #expect(OwnerLock.probe(folder: folder.path, lock.lock) == .held)
          }
        ) {
          let here = SystemProcessTable().current
          lock.release(deleting: true)
          close(pipe[1])
          guard !lock.isHeld, here.pid == getpid(), here.pid != parent.pid else { return 1 }
          guard here.startTicks != nil, here.bootID == parent.bootID else { return 2 }
          guard OwnerLock.probe(folder: folder.path, lock.lock) == .held else { return 3 }
          return 0
        }
        #expect(status == 0)
      }
    }

    @Test func aForkedChildHasAlarmsOfItsOwn() async {
      await #expect(processExitsWith: .success) {
        let clock = BootClock()
        let parents = clock.schedule(at: .max) {}
        let called = DispatchSemaphore(value: 0)
        clock.schedule(at: 0) { called.signal() }
        called.wait()
        let status = SystemCalls.inForkedChild {
          parents.cancel()
          let called = DispatchSemaphore(value: 0)
          clock.schedule(at: clock.now().boot + 1_000_000) { called.signal() }
          called.wait()
          return 0
        }
        #expect(status == 0)
      }
    }
  }
#endif
