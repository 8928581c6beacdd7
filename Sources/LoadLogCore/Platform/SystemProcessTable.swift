import LoadLogLibC

/// The system's process table: kill(2) and /proc on Linux, sysctl(3) on Darwin.
///
/// Callable on any thread. Asks the system at each call, so answers are right in a forked child; only the ids of the
/// machine and of the boot are cached.
public struct SystemProcessTable: ProcessTable {
  /// Makes the table; costs nothing.
  public init() {}

  /// The calling process.
  public var current: ProcessIdentity {
    identity(pid: getpid(), startTicks: Self.startTicks(of: nil))
  }

  /// See ``ProcessTable/identity(of:)``.
  public func identity(of pid: Int32) -> ProcessIdentity? {
    switch observe(pid) {
    case .gone: nil
    case .present(let ticks): identity(pid: pid, startTicks: ticks)
    case .zombie: identity(pid: pid, startTicks: Self.startTicks(of: pid))
    case .hidden: pid > 0 ? identity(pid: pid, startTicks: nil) : nil
    }
  }

  /// See ``ProcessTable/observe(_:)``. A pid that is not positive is hidden: kill(2) gives such numbers
  /// to groups of processes.
  public func observe(_ pid: Int32) -> ProcessObservation {
    guard pid > 0 else { return .hidden }
    if Self.isGone(pid) { return .gone }
    if let seen = Self.look(at: pid) { return seen }
    // It may have ended between the two checks.
    return Self.isGone(pid) ? .gone : .hidden
  }

  /// The host name, as stored with owners.
  public static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 257)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func isGone(_ pid: Int32) -> Bool {
    kill(pid, 0) != 0 && errno == ESRCH
  }

  private func identity(pid: Int32, startTicks: Int64?) -> ProcessIdentity {
    ProcessIdentity(
      machineID: Self.machineID, bootID: Self.bootID, pid: pid, startTicks: startTicks,
      pidNamespace: Self.namespace("pid"), timeNamespace: Self.timeNamespace)
  }
}
