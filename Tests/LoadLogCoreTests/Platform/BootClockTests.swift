import Dispatch
import Foundation
import LoadLogCore
import Synchronization
import Testing

@Suite struct BootClockTests {
  let clock = BootClock()

  @Test func readsBothClocks() throws {
    let first = clock.now()
    let second = clock.now()
    #expect(first.boot > 0)
    #expect(second.boot >= first.boot)
    #expect(abs(first.date.timeIntervalSinceNow) < 60)
  }

  @Test func callsWhenTheTimeHasCome() {
    let called = DispatchSemaphore(value: 0)
    let read = Mutex<Int64>(0)
    let time = clock.now().boot + 5_000_000
    clock.schedule(at: time) {
      read.withLock { $0 = clock.now().boot }
      called.signal()
    }
    called.wait()
    #expect(read.withLock { $0 } >= time)
  }

  @Test func callsAlarmsInOrderOfTimeWithoutWithdrawnOnes() {
    let isBlocked = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let order = Mutex<[Int64]>([])
    // While this action runs, the rest is scheduled.
    clock.schedule(at: 0) {
      isBlocked.signal()
      goOn.wait()
    }
    isBlocked.wait()
    var handles: [any ScheduledAlarm] = []
    for time: Int64 in [30, 10, 20, 20] {
      handles.append(clock.schedule(at: time) { order.withLock { $0.append(time) } })
    }
    clock.schedule(at: 40) { done.signal() }
    handles[2].cancel()
    handles[2].cancel()
    goOn.signal()
    done.wait()
    #expect(order.withLock { $0 } == [10, 20, 30])
    handles[0].cancel()
  }

  @Test func aFarAlarmDoesNotDelayANearOne() {
    let called = DispatchSemaphore(value: 0)
    let far = clock.schedule(at: .max) { Issue.record("called") }
    clock.schedule(at: clock.now().boot + 1_000_000) { called.signal() }
    called.wait()
    far.cancel()
  }

  @Test func aWithdrawnAlarmReleasesItsCaptures() {
    final class Token: Sendable {}
    var token: Token? = Token()
    weak let seen = token
    let alarm = clock.schedule(at: .max) { [token] in _ = token }
    token = nil
    #expect(seen != nil)
    alarm.cancel()
    #expect(seen == nil)
  }
}
