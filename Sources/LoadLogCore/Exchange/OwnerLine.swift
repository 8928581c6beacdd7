/// `{"event":"owner","uid":…,"kind":…,…}`: all that a store keeps of an owner, under the names of its columns.
public struct OwnerLine: Sendable, Hashable {
  /// What other lines name it by: lower-case hexadecimal digits.
  public var uid: String
  /// `library`, `given`, `inferred`, `detached`, or a kind of a later version.
  public var kind: String
  /// `/etc/machine-id`.
  public var machineID = ""
  /// Another after each boot.
  public var bootID = ""
  /// The process; 0 for none.
  public var pid: Int64 = 0
  /// When the process started, in clock ticks since boot.
  public var startTicks: Int64?
  /// Inodes of its namespaces.
  public var pidNamespace: Int64?, timeNamespace: Int64?
  /// Its lock file.
  public var lockName: String?, lockInode: Int64?
  /// The machine's name.
  public var host = ""
  /// The program's name.
  public var app = ""
  /// When it opened the store, wall time in microseconds.
  public var openedAt: Int64 = 0
  /// When it opened the store, in nanoseconds of its boot clock. Key: `opened_boot_ns`.
  public var openedBoot: Int64 = 0
  /// The number of its last committed event.
  public var lastEvent: Int64 = 0
  /// Its last commit, wall time in microseconds.
  public var lastCommitAt: Int64 = 0
  /// Its last commit, in nanoseconds of its boot clock. Key: `last_commit_boot_ns`.
  public var lastCommitBoot: Int64 = 0
  /// When it closed the store, wall time in microseconds.
  public var closedAt: Int64?
  /// The state that its unfinished loads got when it was found dead.
  public var verdict: String?
  /// The proof of its death.
  public var evidence: String?
  /// How many events it had to drop.
  public var dropped: Int64 = 0

  /// Makes an owner of whom nothing else is known.
  public init(uid: String, kind: String) {
    self.uid = uid
    self.kind = kind
  }
}
