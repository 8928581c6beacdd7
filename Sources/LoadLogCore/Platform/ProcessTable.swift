/// What can be seen of processes from the calling one.
///
/// ``SystemProcessTable`` asks the system; tests bring a table of their own.
public protocol ProcessTable: Sendable {
  /// The calling process. Right in a forked child too.
  var current: ProcessIdentity { get }

  /// Another process as seen from here, in the namespaces of the calling process: its pid and start
  /// ticks mean what they mean to the reader. Nil if there is no such process; without start ticks if
  /// there is one that cannot be read.
  func identity(of pid: Int32) -> ProcessIdentity?

  /// Whether a process is there, in the pid namespace of the calling process.
  func observe(_ pid: Int32) -> ProcessObservation
}

/// What one look at a pid showed.
public enum ProcessObservation: Sendable, Hashable {
  /// The system says that there is no such process.
  case gone
  /// It has ended, its last thread too, or is about to and runs no more of its program.
  case zombie
  /// There is a process; when it started, in clock ticks since boot as the reader sees them.
  case present(startTicks: Int64)
  /// It proves nothing: the pid is no pid, or there is a process of which no more can be seen.
  case hidden
}
