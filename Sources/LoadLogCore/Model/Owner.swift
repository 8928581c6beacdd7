/// The values that identify a process across pids, namespaces, boots and machines.
public struct ProcessIdentity: Sendable, Hashable {
  /// The contents of `/etc/machine-id`; empty if the machine has none.
  public var machineID: String
  /// The contents of `/proc/sys/kernel/random/boot_id`, which changes with each boot.
  public var bootID: String
  /// The process id in the process's own pid namespace; 0 if there is no process.
  public var pid: Int32
  /// When the process started, in clock ticks since boot (`/proc/PID/stat`, field 22); nil if unknown.
  public var startTicks: Int64?
  /// The inode of the pid namespace; nil if unknown.
  public var pidNamespace: Int64?
  /// A number for the time namespace; the inode of the machine's initial one. Boot clocks of different time
  /// namespaces cannot be compared.
  public var timeNamespace: Int64?

  /// Creates an identity from its parts.
  public init(
    machineID: String, bootID: String, pid: Int32, startTicks: Int64?, pidNamespace: Int64?,
    timeNamespace: Int64?
  ) {
    self.machineID = machineID
    self.bootID = bootID
    self.pid = pid
    self.startTicks = startTicks
    self.pidNamespace = pidNamespace
    self.timeNamespace = timeNamespace
  }

  /// Whether boot-clock readings of both processes can be subtracted: they share the boot and the time
  /// namespace.
  public func sharesBootClock(with other: ProcessIdentity) -> Bool {
    !bootID.isEmpty && bootID == other.bootID && timeNamespace == other.timeNamespace
  }
}

/// A process that uses a store, from open to close. It is responsible for the loads that it starts.
public struct Owner: Sendable, Hashable {
  /// How an owner became responsible for its loads.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The process opened the store through the library and holds a lock as long as it lives.
    case library
    /// The user named the process with `--owner-pid`.
    case given
    /// The command line found the process among its ancestors.
    case inferred
    /// There is no process. Only a reboot ends its loads.
    case detached
    /// A client of `loadlog serve`, whose process cannot be seen from here: it is never judged. ``Owner/host`` is its address, and
    /// ``Owner/app`` the name that it gives itself.
    case remote
  }

  /// The lock file that a library owner holds as long as its process lives.
  public struct Lock: Sendable, Hashable {
    /// The file's name in the folder of the store.
    public let name: String
    /// The file's inode when it was locked.
    public let inode: Int64

    /// Creates a lock from its parts.
    public init(name: String, inode: Int64) {
      self.name = name
      self.inode = inode
    }
  }

  /// How the owner became responsible for its loads.
  public var kind: Kind
  /// The identity of the process.
  public var process: ProcessIdentity
  /// The host name of the machine.
  public var host: String
  /// The name of the program.
  public var app: String
  /// The owner's lock file; nil if it holds none.
  public var lock: Lock?

  /// Creates an owner from its parts.
  public init(kind: Kind, process: ProcessIdentity, host: String, app: String, lock: Lock? = nil) {
    self.kind = kind
    self.process = process
    self.host = host
    self.app = app
    self.lock = lock
  }
}
