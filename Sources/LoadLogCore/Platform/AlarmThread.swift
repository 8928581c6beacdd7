import Synchronization

/// The thread that runs the alarms of ``BootClock``: one per process, started with the first alarm.
///
/// It is a plain thread, so that a busy cooperative pool does not delay a deadline. It waits at most one second
/// at a time and reads the boot clock again, because the semaphore's own clock stops during suspend.
final class AlarmThread: Sendable {
  struct Alarm {
    let boot: Int64
    let number: UInt64
    let action: @Sendable () -> Void
  }

  private enum Step {
    case call(Alarm)
    case wait(Int64)
    /// Wait for a signal.
    case sleep
  }

  private struct State {
    /// Sorted by time, then by number.
    var alarms: [Alarm] = []
    var lastNumber: UInt64 = 0
    var isStarted = false
    /// When the thread checks its list again without a signal; boot nanoseconds.
    var looksAt = Int64.max
  }

  private static let longestWait: Int64 = 1_000_000_000
  static let shared = AlarmThread()

  private let state = Mutex(State())
  private let news = WakeUp()

  func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm {
    let (handle, mustWake) = state.withLock { state in
      state.lastNumber += 1
      let alarm = Alarm(boot: boot, number: state.lastNumber, action: action)
      state.alarms.insert(alarm, at: state.alarms.place(of: boot, alarm.number))
      return (Handle(thread: self, boot: boot, number: alarm.number), boot < state.looksAt)
    }
    // If the system gives no thread, no alarm rings; the next alarm tries again.
    _ = start()
    if mustWake { news.signal() }
    return handle
  }

  /// Starts the thread, if it is not running.
  ///
  /// - Returns: false if the system gives no thread.
  func start() -> Bool {
    let mustStart = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard mustStart, !DaemonThread.start({ self.run() }) else { return true }
    state.withLock { $0.isStarted = false }
    return false
  }

  private func run() {
    while true {
      switch nextStep(at: BootClock.bootNanoseconds()) {
      case .call(let alarm): alarm.action()
      case .wait(let nanoseconds): _ = news.wait(nanoseconds: nanoseconds)
      case .sleep: news.wait()
      }
    }
  }

  /// Takes one alarm per step, so that an action can still cancel a later one.
  private func nextStep(at now: Int64) -> Step {
    state.withLock { state in
      guard let first = state.alarms.first else {
        state.looksAt = .max
        return .sleep
      }
      if first.boot <= now { return .call(state.alarms.removeFirst()) }
      let wait = min(first.boot - now, Self.longestWait)
      state.looksAt = now + wait
      return .wait(wait)
    }
  }

  private func remove(boot: Int64, number: UInt64) {
    // Return the alarm out of the lock, so that the objects that its action captures are released after the unlock.
    _ = state.withLock { state -> Alarm? in
      let place = state.alarms.place(of: boot, number)
      guard place < state.alarms.endIndex, state.alarms[place].number == number else { return nil }
      return state.alarms.remove(at: place)
    }
  }

  private struct Handle: ScheduledAlarm {
    let thread: AlarmThread
    let boot: Int64
    let number: UInt64

    func cancel() { thread.remove(boot: boot, number: number) }
  }
}

extension [AlarmThread.Alarm] {
  /// The index of an alarm in the sorted list, or the index to insert it at.
  fileprivate func place(of boot: Int64, _ number: UInt64) -> Int {
    partitioningIndex { ($0.boot, $0.number) >= (boot, number) }
  }
}
