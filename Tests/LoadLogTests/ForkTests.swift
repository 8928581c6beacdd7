import Dispatch
import Foundation
import LoadLog
import LoadLogTestSupport
import Synchronization
import TestProcesses
import Testing

#if canImport(Glibc)
  import Glibc

  @Suite struct ForkTests {
    @Test func aForkedChildIsRefusedAndItsParentLosesNothing() async {
      await #expect(processExitsWith: .success) {
        // No thread of the parent may hold a lock of Swift's runtime or of a manual clock at the fork.
        let bench = try Bench {
          $0.clock = BootClock()
          $0.deadline = .seconds(300)
        }
        let loads = bench.loads
        let token = try await loads.startLoading("parent")
        loads.push("network")
        try await loads.flush()
        let status = SystemCalls.inForkedChild {
          loads.push("child")
          loads.reopen()
          let calls: [() throws -> Void] = [
            { _ = try loads.startLoading("child") }, { try loads.finishLoading(token) },
            { try loads.flush() }, { _ = try loads.lastUpdated("parent") }, { try loads.close() },
            { _ = try LoadingController.inMemory().startLoading("child") },
          ]
          for (number, call) in calls.enumerated() {
            do {
              try call()
              return Int32(number + 1)
            } catch {
              guard (error as? LoadLogError)?.code == .closed else { return Int32(number + 101) }
            }
          }
          guard loads.failure?.code == .closed, loads.depth(of: "parent") == 0 else { return 200 }
          return 0
        }
        #expect(status == 0)
        #expect(loads.failure == nil)
        try await loads.finishLoading(token)
        loads.pop("network")
        #expect(try await loads.allLoads().map(\.feed) == ["parent", "network"])
        #expect(try await loads.allLoads().allSatisfy { $0.state != .running })
        try await loads.close()
      }
    }

    /// A thread of the parent that holds the controller's lock at the fork never unlocks it in the child.
    @Test func aChildDoesNotWaitForThreadsOfItsParent() async {
      await #expect(processExitsWith: .success) {
        let clock = StoppableClock()
        let bench = try Bench {
          $0.clock = clock
          $0.deadline = .seconds(300)
        }
        let loads = bench.loads
        try await loads.close()
        clock.stop()
        Thread.detachNewThread { loads.reopen() }
        try await onAThread { clock.awaitStopped() }
        let status = SystemCalls.inForkedChild {
          loads.push("child")
          do throws(LoadLogError) {
            _ = try loads.startLoading("child")
            return 1
          } catch {
            return error.code == .closed ? 0 : 2
          }
        }
        #expect(status == 0)
        clock.goOn()
        loads.push("network")
        #expect(try await loads.allLoads().map(\.feed) == ["network"])
        try await loads.close()
      }
    }

    @Test func aControllerThatIsFirstUsedAfterTheForkRecords() async {
      await #expect(processExitsWith: .success) {
        let bench = try Bench()
        let loads = bench.loads
        let status = SystemCalls.inForkedChild {
          guard let token = try? loads.startLoading("mine") else { return 1 }
          guard (try? loads.finishLoading(token)) != nil, (try? loads.close()) != nil else { return 2 }
          return 0
        }
        #expect(status == 0)
        #expect(try await loads.allLoads().map(\.feed) == ["mine"])
        try await loads.close()
      }
    }
  }

  /// The system's clocks, of which one reading can be held up.
  private final class StoppableClock: LoadClock {
    private let clock = BootClock()
    private let isToStop = Atomic(false)
    private let stopped = DispatchSemaphore(value: 0)
    private let goingOn = DispatchSemaphore(value: 0)

    func stop() { isToStop.store(true, ordering: .sequentiallyConsistent) }

    func awaitStopped() { stopped.wait() }

    func goOn() { goingOn.signal() }

    func now() -> LoadInstant {
      if isToStop.exchange(false, ordering: .sequentiallyConsistent) {
        stopped.signal()
        goingOn.wait()
      }
      return clock.now()
    }

    func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm {
      clock.schedule(at: boot, action)
    }
  }
#endif
