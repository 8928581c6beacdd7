import Foundation
public import Logging

extension LoadingController {
  /// How a controller records.
  public struct Options: Sendable {
    /// What an acknowledged event survives.
    public var durability = Durability.power
    /// Finished loads older than this are deleted while the store is idle; nil to keep all. Running and
    /// unbalanced loads, each feed's last load, success and failure, and all numbers stay. They are deleted by whole hours,
    /// about once an hour while something is recorded, so a load may stay for two hours longer.
    ///
    /// If the app sets no value, the store's own setting applies (``StoreRetention``), or 90 days if it has none.
    public var retention: Duration? = StoreRetention.usual.age.map(Duration.microseconds) {
      didSet { hasOwnRetention = true }
    }
    /// Whether ``retention`` was set, so that it replaces the store's setting.
    package private(set) var hasOwnRetention = false
    /// The longest time that a call waits until its event is recorded. A question waits as long for what was recorded
    /// before it; see `ask(_:)` for its answer. It must be greater than 0, or calls fail at once. If ``owner`` is not this
    /// process, a call whose commit is under way waits for its end.
    public var deadline = Duration.seconds(5)
    /// What happens if the store cannot be opened.
    public var onOpenFailure = OpenFailurePolicy.recordInMemory
    /// Where diagnostics go, at level warning: unmatched finishes, verdicts on dead owners and errors. While recording
    /// fails, only the first error of a kind is logged.
    public var logger = Logger(label: "LoadLog")
    /// Which process owns the loads that are started.
    public var owner = OwnerChoice.thisProcess
    /// The clocks.
    public var clock: any LoadClock = BootClock()
    /// How to look up other processes.
    public var processes: any ProcessTable = SystemProcessTable()
    /// How to look up other owners' locks; nil for the lock files beside the store.
    public var locks: (any LockTable)?
    /// Whether metrics have the feed's name as the dimension `feed`. Off by default, because names can be
    /// many, and private.
    ///
    /// The metrics count what this controller records: `loadlog_loads` the loads that finished, `loadlog_failures` those
    /// of them that failed, `loadlog_duration` how long they took, `loadlog_unbalanced` imbalances, and `loadlog_depth`
    /// what is open. `loadlog_commit_latency` is how long commits took. Loads that `close()` cancels
    /// are not counted.
    ///
    /// The name is empty for what concerns no single feed: verdicts on dead owners, finishes of unknown ids, and pushes
    /// that `resetAll()` abandons. If an app has several controllers, set the same value for all of them: Prometheus
    /// requires the same dimensions of all metrics with the same name.
    public var labelsMetricsByFeed = false

    /// The defaults.
    public init() {}
  }

  /// What happens if the store cannot be opened.
  public enum OpenFailurePolicy: Sendable, Hashable {
    /// Loads are recorded in memory from then on, and ``LoadingController/failure`` says why. An app should not fail to
    /// start because of its log.
    ///
    /// Nothing is on the disk then, and answers know only the loads of this run: `lastUpdated` of a feed that the store
    /// knows is nil, and `status()` shows no problems of the past. `close()` followed by ``LoadingController/reopen()``
    /// tries the store again; what was recorded in memory is gone then. Memory keeps what a store keeps, for
    /// ``LoadingController/Options/retention``. A server should use `.fail`.
    ///
    /// A store that is only busy is no reason to record in memory: calls throw at their deadline, or queue their events,
    /// and the store is tried again, as after an error of an open store.
    case recordInMemory
    /// Calls throw the error; the next call tries to open the store again. The logger gets one warning until the store
    /// can be opened.
    case fail
  }

  /// Which process owns the loads that are started.
  public enum OwnerChoice: Sendable, Hashable {
    /// This process, from open to close.
    case thisProcess
    /// Another process that outlives this one, such as the script that runs these commands. All such owners
    /// of a store share one count per feed. If a commit fails, its events cannot be tried again, except the ends of loads:
    /// those without a waiting caller are dropped and counted.
    case process(pid: Int32, app: String? = nil, inferred: Bool = false)
    /// No process; only a reboot ends the loads.
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
