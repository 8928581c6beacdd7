/// The ndjson line `{"event":"owner","uid":…,"kind":…,…}`: all that a store knows of an owner. The keys are
/// the names of its columns.
public struct OwnerLine: Sendable, Hashable {
  /// The key by which other lines refer to the owner: lower-case hexadecimal digits.
  public var uid: String
  /// The kind: `library`, `given`, `inferred`, `detached`, `remote`, or a kind of a later version.
  public var kind: String
  /// The contents of `/etc/machine-id`.
  public var machineID = ""
  /// The id of the boot, which changes with each boot.
  public var bootID = ""
  /// The process id; 0 if there is no process.
  public var pid: Int64 = 0
  /// When the process started, in clock ticks since boot.
  public var startTicks: Int64?
  /// The inode of a namespace of the process.
  public var pidNamespace: Int64?, timeNamespace: Int64?
  /// The name or inode of the lock file.
  public var lockName: String?, lockInode: Int64?
  /// The host name of the machine.
  public var host = ""
  /// The name of the program.
  public var app = ""
  /// When the owner opened the store, in microseconds since 1970.
  public var openedAt: Int64 = 0
  /// When the owner opened the store, in nanoseconds of its boot clock. Key: `opened_boot_ns`.
  public var openedBoot: Int64 = 0
  /// The number of the owner's last committed event.
  public var lastEvent: Int64 = 0
  /// The owner's last commit, in microseconds since 1970.
  public var lastCommitAt: Int64 = 0
  /// The owner's last commit, in nanoseconds of its boot clock. Key: `last_commit_boot_ns`.
  public var lastCommitBoot: Int64 = 0
  /// When the owner closed the store, in microseconds since 1970; nil if it has not.
  public var closedAt: Int64?
  /// The state that the owner's unfinished loads got when the owner was found dead.
  public var verdict: String?
  /// The evidence of the owner's death.
  public var evidence: String?
  /// The number of events that the owner dropped.
  public var dropped: Int64 = 0

  /// Creates a line with default values.
  package init(uid: String, kind: String) {
    self.uid = uid
    self.kind = kind
  }
}
