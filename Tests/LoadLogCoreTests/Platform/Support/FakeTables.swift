import LoadLogCore

/// A process table with one other process.
struct FakeProcesses: ProcessTable {
  var current = ProcessIdentity.here
  var sight = ProcessObservation.hidden

  func identity(of pid: Int32) -> ProcessIdentity? { nil }
  func observe(_ pid: Int32) -> ProcessObservation { sight }
}

/// A lock table with one answer.
struct FakeLocks: LockTable {
  var answer = LockProbe.unreadable

  func probe(_ lock: Owner.Lock) -> LockProbe { answer }
}

extension ProcessIdentity {
  /// The reader, in the tables of these tests.
  static let here = ProcessIdentity(
    machineID: "machine", bootID: "boot", pid: 1, startTicks: 1, pidNamespace: 10, timeNamespace: 20)

  /// Pid 3102 beside it, with some facts changed.
  static func other(_ change: (inout ProcessIdentity) -> Void = { _ in }) -> ProcessIdentity {
    var identity = here
    identity.pid = 3102
    identity.startTicks = 500
    change(&identity)
    return identity
  }
}
