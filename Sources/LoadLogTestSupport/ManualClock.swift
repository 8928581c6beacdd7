public import LoadLogCore
import Synchronization

/// A clock that stands still until a test advances it.
///
/// Advancing it fires the alarms that become due, earliest first. While an alarm fires, the clock reads the time at which
/// the alarm was due.
public final class ManualClock: LoadClock {
  private struct State {
    var now: LoadInstant
    var alarms: [Int: (due: Int64, action: @Sendable () -> Void)] = [:]
    var lastAlarm = 0
    var waiters: [(minimumCount: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - wall: Wall time in microseconds since 1970; by default in November 2026.
  ///   - boot: Time since boot in nanoseconds.
  public init(wall: Int64 = 1_795_250_467_000_000, boot: Int64 = 1_000_000_000_000) {
    state = Mutex(State(now: LoadInstant(wall: wall, boot: boot)))
  }

  /// Returns the current time of the clock.
  public func now() -> LoadInstant { state.withLock { $0.now } }

  /// Schedules an alarm. If it is already due, it fires when the clock is advanced next.
  public func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm {
    let (id, ready) = state.withLock { state in
      state.lastAlarm += 1
      state.alarms[state.lastAlarm] = (boot, action)
      let ready = state.waiters.filter { $0.minimumCount <= state.alarms.count }
      state.waiters.removeAll { $0.minimumCount <= state.alarms.count }
      return (state.lastAlarm, ready)
    }
    ready.forEach { $0.continuation.resume() }
    return Alarm(id: id, clock: self)
  }

  /// Waits until at least `count` alarms are scheduled.
  ///
  /// Call it before the clock is advanced if another task schedules the alarm; otherwise the clock may advance before the
  /// alarm exists.
  public func alarms(atLeast count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isScheduled = state.withLock { state in
        if state.alarms.count < count { state.waiters.append((count, continuation)) }
        return state.alarms.count >= count
      }
      if isScheduled { continuation.resume() }
    }
  }

  /// Advances wall time and boot time, and fires the alarms that become due, each at its own time: the clock does not
  /// go on before the tasks that an alarm starts on the main actor have run. An alarm that such a task schedules fires too
  /// if it becomes due. In an `async` function the compiler chooses this form.
  public func advance(by duration: Duration) async {
    let target = now().boot.addingClamping(nanoseconds(duration))
    await runMainActor()
    while let action = nextAction(until: target) {
      action()
      await runMainActor()
    }
    move(to: target)
  }

  /// Advances wall time and boot time, and fires the alarms that become due, for tests that cannot wait. Tasks that an
  /// alarm starts run later, when the clock has been advanced by the whole duration.
  public func advance(by duration: Duration) {
    let target = now().boot.addingClamping(nanoseconds(duration))
    while let action = nextAction(until: target) { action() }
    move(to: target)
  }

  /// Changes wall time without boot time, as a user or a time server does. A negative duration sets it back.
  public func stepWall(by duration: Duration) {
    state.withLock { state in
      state.now = LoadInstant(
        wall: state.now.wall.addingClamping(nanoseconds(duration) / 1000), boot: state.now.boot)
    }
  }

  /// Simulates a reboot: boot time restarts at 20 s, and wall time advances by `duration`.
  public func reboot(after duration: Duration = .seconds(60)) {
    state.withLock { state in
      state.now = LoadInstant(
        wall: state.now.wall.addingClamping(nanoseconds(duration) / 1000), boot: 20_000_000_000)
    }
  }

  /// Lets the main actor run the tasks that wait for it, and those that they start in turn.
  private func runMainActor() async { for _ in 0..<3 { await Task { @MainActor in }.value } }

  private func move(to target: Int64) { state.withLock { $0.now = $0.now.moved(toBoot: target) } }

  /// Removes the next alarm that is due by `target`, and moves the clock to its time.
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
    LoadInstant(wall: wall.addingClamping(target.subtractingClamping(boot) / 1000), boot: target)
  }
}
