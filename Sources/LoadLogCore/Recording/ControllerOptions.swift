import Foundation
public import Logging

extension LoadingController {
  /// How a controller records.
  public struct Options: Sendable {
    /// What an acknowledged event survives.
    public var durability = Durability.power
    /// Finished loads older than this are dropped by and by, when there is nothing else to do; nil to keep all.
    /// What runs, what is unbalanced, each feed's last load, success and failure and all numbers stay.
    public var retention: Duration? = .seconds(90 * 86_400)
    /// How long a caller waits at most.
    public var deadline = Duration.seconds(5)
    /// What happens if the store cannot be opened.
    public var onOpenFailure = OpenFailurePolicy.recordInMemory
    /// Where diagnostics go: unmatched finishes, verdicts and trouble, at warning.
    public var logger = Logger(label: "LoadLog")
    /// Who answers for what is started.
    public var owner = OwnerChoice.thisProcess
    /// The clocks.
    public var clock: any LoadClock = BootClock()
    /// How other processes are seen.
    public var processes: any ProcessTable = SystemProcessTable()
    /// How other owners' locks are seen; nil for the files beside the store.
    public var locks: (any LockTable)?
    /// Adds the feed's name to metrics as the dimension `feed`. Off by default: names may be many, and
    /// private.
    public var labelsMetricsByFeed = false

    /// The defaults.
    public init() {}
  }

  /// What happens if the store cannot be opened.
  public enum OpenFailurePolicy: Sendable, Hashable {
    /// Loads are recorded in memory, until the process ends; ``LoadingController/failure`` says why. An app
    /// must not fail to start over its log.
    case recordInMemory
    /// Calls throw the error, and the store is tried again.
    case fail
  }

  /// Who answers for what is started.
  public enum OwnerChoice: Sendable, Hashable {
    /// This process, from open to close.
    case thisProcess
    /// Another process, that outlives this one: a script whose commands these are. Its counts are those of
    /// the feed, whoever pushed.
    case process(pid: Int32, app: String? = nil, inferred: Bool = false)
    /// Nobody; only a reboot ends what is started.
    case detached
  }
}

extension LoadingController.Options {
  /// The owner that a controller with these options is.
  func makeOwner() -> Owner {
    let here = processes.current
    let host = SystemProcessTable.hostName
    let program = ProcessInfo.processInfo.processName
    switch owner {
    case .thisProcess: return Owner(kind: .library, process: here, host: host, app: program)
    case .process(let pid, let app, let isInferred):
      var other = here
      other.pid = pid
      other.startTicks = nil
      let process = processes.identity(of: pid) ?? other
      return Owner(
        kind: isInferred ? .inferred : .given, process: process, host: host,
        app: app ?? ProcessFacts.read(pid)?.program ?? "")
    case .detached:
      var nobody = here
      nobody.pid = 0
      nobody.startTicks = nil
      return Owner(kind: .detached, process: nobody, host: host, app: program)
    }
  }
}
