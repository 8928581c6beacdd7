/// Observes other processes from the calling one.
///
/// ``SystemProcessTable`` asks the system; tests use tables of their own.
public protocol ProcessTable: Sendable {
  /// The calling process. Right in a forked child too.
  var current: ProcessIdentity { get }

  /// The identity of another process, with pid and start ticks in the namespaces of the calling process. Nil if there
  /// is no such process; without start ticks if the process exists but cannot be read.
  func identity(of pid: Int32) -> ProcessIdentity?

  /// Observes whether a process exists, in the pid namespace of the calling process.
  func observe(_ pid: Int32) -> ProcessObservation
}

/// The result of observing a pid.
public enum ProcessObservation: Sendable, Hashable {
  /// The system says that there is no such process.
  case gone
  /// Its last thread has ended, or has started to end and runs no more of its program.
  case zombie
  /// There is a process. It started this many clock ticks after boot, in the caller's time namespace.
  case present(startTicks: Int64)
  /// It proves nothing: the pid is not valid, or nothing more about the process can be read.
  case hidden
}
