/// What tells one process from every other, as the system shows it.
public struct ProcessIdentity: Sendable, Hashable {
  /// `/etc/machine-id`; empty where there is none.
  public var machineID: String
  /// `/proc/sys/kernel/random/boot_id`: another after each boot.
  public var bootID: String
  /// The process id, in its own pid namespace; 0 for none.
  public var pid: Int32
  /// When the process started, in clock ticks since boot (`/proc/PID/stat`, field 22); compared raw.
  public var startTicks: Int64?
  /// The inode of its pid namespace.
  public var pidNamespace: Int64?
  /// A number of its time namespace; in the machine's own the inode. Boot clocks of two time namespaces cannot be
  /// compared.
  public var timeNamespace: Int64?

  /// Makes an identity of its parts.
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

  /// Whether boot-clock readings of the two can be subtracted: the same boot, the same time namespace.
  public func sharesBootClock(with other: ProcessIdentity) -> Bool {
    !bootID.isEmpty && bootID == other.bootID && timeNamespace == other.timeNamespace
  }
}

/// One process's use of a store, from open to close: it answers for the sessions it starts.
public struct Owner: Sendable, Hashable {
  /// How an owner came to answer for its sessions.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A process that opened the store through the library and holds a lock for life.
    case library
    /// A process named by `--owner-pid`.
    case given
    /// A process found among the ancestors of a command.
    case inferred
    /// No process; only a reboot ends its sessions.
    case detached
  }

  /// The lock file that a library owner holds for life.
  public struct Lock: Sendable, Hashable {
    /// The file's name, in the folder of the store.
    public let name: String
    /// The file's inode when it was locked.
    public let inode: Int64

    /// Makes a lock of its parts.
    public init(name: String, inode: Int64) {
      self.name = name
      self.inode = inode
    }
  }

  /// How it came to answer for its sessions.
  public var kind: Kind
  /// The process.
  public var process: ProcessIdentity
  /// The machine's name.
  public var host: String
  /// The program's name.
  public var app: String
  /// Its lock file, if it holds one.
  public var lock: Lock?

  /// Makes an owner of its parts.
  public init(kind: Kind, process: ProcessIdentity, host: String, app: String, lock: Lock? = nil) {
    self.kind = kind
    self.process = process
    self.host = host
    self.app = app
    self.lock = lock
  }
}
