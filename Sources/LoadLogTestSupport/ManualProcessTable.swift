public import LoadLogCore
import Synchronization

/// One process of a machine that exists only in a test, and what it sees of the others.
///
///     let app = ManualProcessTable()           // a machine, and a process on it
///     let other = app.another()                // a second process there
///     other.kill()
///     app.observe(other.current.pid)           // .gone
///
/// Give each owner of a store its own table. A process keeps its identity when it is dead.
public final class ManualProcessTable: ProcessTable {
  private final class Machine: Sendable {
    struct State {
      var boot = 1
      var lastPid: Int32 = 3000
      var ticks: Int64 = 500
      var processes: [Int32: ProcessObservation] = [:]
    }

    let id: String
    let state = Mutex(State())

    init(id: String) { self.id = id }
  }

  private let machine: Machine

  /// The process whose table this is.
  public let current: ProcessIdentity

  /// Makes a machine and a process on it.
  public convenience init(machineID: String = "machine") { self.init(on: Machine(id: machineID)) }

  private init(on machine: Machine, pid: Int32? = nil, pidNamespace: Int64 = 10, timeNamespace: Int64 = 20) {
    self.machine = machine
    current = machine.state.withLock { state in
      state.lastPid += 1
      state.ticks += 100
      let pid = pid ?? state.lastPid
      state.processes[pid] = .present(startTicks: state.ticks)
      return ProcessIdentity(
        machineID: machine.id, bootID: "\(machine.id)-boot-\(state.boot)", pid: pid, startTicks: state.ticks,
        pidNamespace: pidNamespace, timeNamespace: timeNamespace)
    }
  }

  /// Makes another process on the same machine, of its present boot.
  ///
  /// - Parameters:
  ///   - pid: a pid that is to be used again; by default one that was never used.
  ///   - pidNamespace: the inode of its pid namespace.
  ///   - timeNamespace: the number of its time namespace.
  public func another(
    pid: Int32? = nil, pidNamespace: Int64 = 10, timeNamespace: Int64 = 20
  ) -> ManualProcessTable {
    ManualProcessTable(on: machine, pid: pid, pidNamespace: pidNamespace, timeNamespace: timeNamespace)
  }

  /// Ends the process; its pid names nothing any more, or a zombie.
  public func kill(leavingZombie: Bool = false) {
    machine.state.withLock { $0.processes[current.pid] = leavingZombie ? .zombie : nil }
  }

  /// Hides the process, as another user's is where `/proc` is mounted with `hidepid`.
  public func hide() { machine.state.withLock { $0.processes[current.pid] = .hidden } }

  /// Ends all processes of the machine and begins a new boot, whose processes ``another(pid:pidNamespace:timeNamespace:)``
  /// makes. Tell the clock too: ``ManualClock/reboot(after:)``.
  public func reboot() {
    machine.state.withLock { state in
      state.boot += 1
      state.ticks = 0
      state.processes = [:]
    }
  }

  /// A process of this machine that lives; nil for any other pid.
  public func identity(of pid: Int32) -> ProcessIdentity? {
    guard case .present(let ticks) = observe(pid) else { return nil }
    var identity = current
    identity.pid = pid
    identity.startTicks = ticks
    return identity
  }

  /// What the machine says of a pid now.
  public func observe(_ pid: Int32) -> ProcessObservation {
    machine.state.withLock { $0.processes[pid] ?? .gone }
  }
}
