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
    /// A thread of the parent that is inside the controller at the fork gives nothing back in the child.
    @Test func aChildRecordsWhoeverWasInsideTheController() async {
      await #expect(processExitsWith: .success) {
        let clock = StoppableClock()
        let bench = try Bench { $0.clock = clock }
        let loads = bench.loads
        try await loads.close()
        clock.stop()
        Thread.detachNewThread { loads.reopen() }
        try await onAThread { clock.awaitStopped() }
        let status = SystemCalls.inForkedChild {
          guard let token = try? loads.startLoading("mine") else { return 1 }
          guard (try? loads.finishLoading(token)) != nil, (try? loads.close()) != nil else { return 2 }
          return 0
        }
        #expect(status == 0)
        clock.goOn()
        loads.push("network")
        #expect(try await loads.allLoads().map(\.feed) == ["mine", "network"])
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
