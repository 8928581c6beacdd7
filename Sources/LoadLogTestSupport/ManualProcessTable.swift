public import LoadLogCore
import Synchronization

/// A process table for one process on a simulated machine.
///
///     let app = ManualProcessTable()           // a new machine with one process
///     let other = app.another()                // a second process on the same machine
///     other.kill()
///     app.observe(other.current.pid)           // .gone
///
/// Give each owner of a store its own table. ``current`` keeps the identity of a process that was killed.
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

  /// The process to which this table belongs.
  public let current: ProcessIdentity

  /// Creates a machine with one process.
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

  /// Creates another process on the same machine, in its current boot.
  ///
  /// - Parameters:
  ///   - pid: The pid of the process, if a used one is to be reused; by default an unused one.
  ///   - pidNamespace: The inode of the process's pid namespace.
  ///   - timeNamespace: The inode of the process's time namespace.
  public func another(
    pid: Int32? = nil, pidNamespace: Int64 = 10, timeNamespace: Int64 = 20
  ) -> ManualProcessTable {
    ManualProcessTable(on: machine, pid: pid, pidNamespace: pidNamespace, timeNamespace: timeNamespace)
  }

  /// Kills the process. Its pid then refers to no process, or to a zombie.
  public func kill(leavingZombie: Bool = false) {
    machine.state.withLock { $0.processes[current.pid] = leavingZombie ? .zombie : nil }
  }

  /// Hides the process, as `/proc` hides processes of other users if it is mounted with `hidepid`.
  public func hide() { machine.state.withLock { $0.processes[current.pid] = .hidden } }

  /// Kills all processes and starts a new boot. ``another(pid:pidNamespace:timeNamespace:)`` creates processes in it.
  ///
  /// Call ``ManualClock/reboot(after:)``, too.
  public func reboot() {
    machine.state.withLock { state in
      state.boot += 1
      state.ticks = 0
      state.processes = [:]
    }
  }

  /// Returns the identity of a running process of this machine; nil for any other pid.
  public func identity(of pid: Int32) -> ProcessIdentity? {
    guard case .present(let ticks) = observe(pid) else { return nil }
    var identity = current
    identity.pid = pid
    identity.startTicks = ticks
    return identity
  }

  /// Returns what the machine reports about a pid.
  public func observe(_ pid: Int32) -> ProcessObservation {
    machine.state.withLock { $0.processes[pid] ?? .gone }
  }
}
