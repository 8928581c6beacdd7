import LoadLog
import Synchronization

/// The simulated processes and locks of a schedule.
final class SimulatedWorld: LockTable {
  fileprivate struct Process {
    let place: Place
    var fate = PlainModel.Fate.alive
  }

  private struct State {
    var processes: [Int: Process] = [:]
    var lockNames: [Int: String] = [:]
    var locks: [String: PlainModel.Owner.Lock] = [:]
  }

  private let state = Mutex(State())

  func add(_ owner: PlainModel.Owner) {
    state.withLock { state in
      state.processes[owner.process] = state.processes[owner.process] ?? Process(place: owner.place)
    }
  }

  func end(_ process: Int, _ fate: PlainModel.Fate) {
    state.withLock { $0.processes[process]?.fate = fate }
  }

  func setLock(of who: Int, name: String?, _ lock: PlainModel.Owner.Lock) {
    state.withLock { state in
      if let name { state.lockNames[who] = name }
      if let name = state.lockNames[who] { state.locks[name] = lock }
    }
  }

  func probe(_ lock: Owner.Lock) -> LockProbe {
    switch state.withLock({ $0.locks[lock.name] }) {
    case .held: .held
    case .free: .free
    case .replaced, .some(.none), nil: .unreadable
    }
  }

  func processes(seenBy viewer: ProcessIdentity) -> any ProcessTable {
    SimulatedProcesses(current: viewer, world: self)
  }

  fileprivate func process(_ number: Int) -> Process? { state.withLock { $0.processes[number] } }
}

/// The process table of the viewer's pid namespace.
private struct SimulatedProcesses: ProcessTable {
  let current: ProcessIdentity
  let world: SimulatedWorld

  func identity(of pid: Int32) -> ProcessIdentity? { nil }

  func observe(_ pid: Int32) -> ProcessObservation {
    let number = Int(pid) - ProcessIdentity.firstPid
    guard let process = world.process(number), process.place.boot == current.bootID,
      process.place.pids == current.pidNamespace
    else { return .gone }
    // Another time namespace counts ticks from another origin.
    let shift: Int64 = process.place.times == current.timeNamespace ? 0 : 77_000
    let ticks = (process.place.identity(process: number).startTicks ?? 0) + shift
    switch process.fate {
    case .alive: return .present(startTicks: ticks)
    case .gone: return .gone
    case .zombie: return .zombie
    case .reused: return .present(startTicks: ticks + 1)
    }
  }
}

extension ProcessIdentity {
  fileprivate static let firstPid = 1000
}

extension Place {
  /// The identity of a process in this place, by its number in the schedule; -1 for no process.
  func identity(process: Int) -> ProcessIdentity {
    ProcessIdentity(
      machineID: machine, bootID: boot, pid: process < 0 ? 0 : Int32(process + ProcessIdentity.firstPid),
      startTicks: process < 0 ? nil : Int64(5000 + process), pidNamespace: pids, timeNamespace: times)
  }
}

/// A clock that changes only when it is set.
final class SettableClock: LoadClock {
  private struct NoAlarm: ScheduledAlarm {
    func cancel() {}
  }

  private let instant = Mutex(LoadInstant(wall: 0, boot: 0))

  func set(_ moment: Moment) { instant.withLock { $0 = moment.instant } }

  func now() -> LoadInstant { instant.withLock { $0 } }

  func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm { NoAlarm() }
}

extension Moment {
  var instant: LoadInstant { LoadInstant(wall: wall, boot: boot) }
}
