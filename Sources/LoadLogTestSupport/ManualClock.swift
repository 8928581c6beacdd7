public import LoadLogCore
import Synchronization

/// Clocks that stand still until a test moves them. Alarms due at an instant fire before ``advance(by:)``
/// returns, earliest first, each with the clocks at its own time.
public final class ManualClock: LoadClock {
  private struct State {
    var now: LoadInstant
    var alarms: [Int: (due: Int64, action: @Sendable () -> Void)] = [:]
    var lastAlarm = 0
    var watchers: [(least: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// Makes clocks that read the given times: wall time in microseconds since 1970, by default in November
  /// 2026, and time since boot in nanoseconds.
  public init(wall: Int64 = 1_795_250_467_000_000, boot: Int64 = 1_000_000_000_000) {
    state = Mutex(State(now: LoadInstant(wall: wall, boot: boot)))
  }

  /// The time that was set.
  public func now() -> LoadInstant { state.withLock { $0.now } }

  /// Keeps an alarm until its time comes.
  public func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm {
    let (id, ready) = state.withLock { state in
      state.lastAlarm += 1
      state.alarms[state.lastAlarm] = (boot, action)
      let ready = state.watchers.filter { $0.least <= state.alarms.count }
      state.watchers.removeAll { $0.least <= state.alarms.count }
      return (state.lastAlarm, ready)
    }
    ready.forEach { $0.continuation.resume() }
    return Alarm(id: id, clock: self)
  }

  /// Returns as soon as so many alarms stand: when somebody is known to wait for the time that a test is
  /// about to let pass.
  public func alarms(atLeast count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.alarms.count < count { state.watchers.append((count, continuation)) }
        return state.alarms.count >= count
      }
      if isThere { continuation.resume() }
    }
  }

  /// Lets time pass on both clocks.
  public func advance(by duration: Duration) {
    let target = now().boot + nanoseconds(duration)
    while let action = nextAction(until: target) { action() }
    state.withLock { $0.now = $0.now.moved(toBoot: target) }
  }

  /// Sets the wall clock forward, or back, as a person or a time server does.
  public func stepWall(by duration: Duration) {
    state.withLock { state in
      state.now = LoadInstant(wall: state.now.wall + nanoseconds(duration) / 1000, boot: state.now.boot)
    }
  }

  /// Begins a new boot: the boot clock starts again, the wall clock goes on.
  public func reboot(after duration: Duration = .seconds(60)) {
    state.withLock { state in
      state.now = LoadInstant(wall: state.now.wall + nanoseconds(duration) / 1000, boot: 20_000_000_000)
    }
  }

  private func nextAction(until target: Int64) -> (@Sendable () -> Void)? {
    state.withLock { state in
      let next = state.alarms.filter { $0.value.due <= target }
        .min { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
      guard let next else { return nil }
      state.alarms[next.key] = nil
      if next.value.due > state.now.boot { state.now = state.now.moved(toBoot: next.value.due) }
      return next.value.action
    }
  }

  private func nanoseconds(_ duration: Duration) -> Int64 { duration.wholeNanoseconds }

  private struct Alarm: ScheduledAlarm {
    let id: Int
    let clock: ManualClock

    func cancel() { clock.state.withLock { $0.alarms[id] = nil } }
  }
}

extension LoadInstant {
  fileprivate func moved(toBoot target: Int64) -> LoadInstant {
    LoadInstant(wall: wall + (target - boot) / 1000, boot: target)
  }
}
