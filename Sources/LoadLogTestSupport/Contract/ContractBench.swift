package import LoadLogCore
import Testing

/// A folder for a store, with simulated processes and locks and a manual clock, and the owners that use the
/// store.
final class ContractBench {
  let clock = ManualClock()
  let locks = ManualLocks()
  let processes = ManualProcessTable()
  private let makeProvider: LoadStoreContract.MakeProvider

  init(_ makeProvider: @escaping LoadStoreContract.MakeProvider) { self.makeProvider = makeProvider }

  /// Opens the store for a new owner, by default for a library owner of the first process.
  func recorder(
    _ kind: Owner.Kind = .library, in processes: ManualProcessTable? = nil
  ) throws -> ContractRecorder {
    let processes = processes ?? self.processes
    let provider = try makeProvider(.init(processes: processes, locks: locks, clock: clock))
    let owner = Owner(kind: kind, process: processes.current, host: "box", app: "app")
    return try ContractRecorder(clock: clock, open: provider.opener(owner, clock.now()))
  }
}

/// Records events for an owner and numbers them as the commit queue does.
final class ContractRecorder {
  let clock: ManualClock
  private let open: LoadStoreProvider.Opener
  private(set) var store: any LoadStore
  private(set) var lastNumber: Int64 = 0

  init(clock: ManualClock, open: @escaping LoadStoreProvider.Opener) throws {
    self.clock = clock
    self.open = open
    store = try open()
  }

  deinit { store.close(finally: false) }

  /// Commits events as one batch, with the current time.
  @discardableResult
  func record(_ kinds: LoadEvent.Kind..., from callSite: String? = nil) throws -> [Receipt] {
    try commit(kinds.map { number($0, from: callSite) })
  }

  /// Commits one event and returns its receipt.
  @discardableResult
  func one(_ kind: LoadEvent.Kind, from callSite: String? = nil) throws -> Receipt {
    try #require(try commit([number(kind, from: callSite)]).first)
  }

  func number(_ kind: LoadEvent.Kind, from callSite: String? = nil) -> NumberedEvent {
    lastNumber += 1
    let event = LoadEvent(kind, at: clock.now(), callSite: callSite.map { CallSite($0) })
    return NumberedEvent(number: lastNumber, event: event)
  }

  func commit(_ events: [NumberedEvent], dropped: Int = 0) throws -> [Receipt] {
    try #require(try store.begin(waiting: true))
    return try store.commit(events, dropped: dropped)
  }

  /// Starts a load with a new id.
  func start(
    _ feed: Feed = "reviews", message: String? = nil, tag: String? = nil, from callSite: String? = nil
  ) throws -> SessionID {
    let id = SessionID(milliseconds: clock.now().wall / 1000)
    let receipt = try one(.start(id, feed, message: message, tag: tag), from: callSite)
    #expect(receipt.outcome == .recorded)
    return id
  }

  /// Starts and finishes a load.
  @discardableResult
  func load(_ feed: Feed = "reviews", _ verdict: Verdict = .succeeded, taking time: Duration) throws
    -> SessionID
  {
    let id = try start(feed)
    clock.advance(by: time)
    try one(.finish(id, verdict))
    return id
  }

  func push(_ feed: Feed = "network", times: Int = 1) throws {
    for _ in 0..<times { try one(.push(feed)) }
  }

  /// Returns the load with an id.
  func session(_ id: SessionID) throws -> LoadingSession {
    let found = try store.reader.loads(endingIn: id.description)
    return try #require(found.count == 1 ? found.first : nil)
  }

  /// Returns all loads, newest first.
  func history() throws -> [LoadingSession] { try store.reader.history(LoadFilter()).loads }

  func unbalanced() throws -> [Imbalance] { try store.reader.unbalanced(LoadFilter()) }

  /// Returns the numbers of a feed, over all time or a window.
  func numbers(of feed: Feed, _ filter: LoadFilter = LoadFilter()) throws -> LoadNumbers {
    try #require(try store.reader.wholeStatus(filter).feeds.first { $0.feed == feed }).numbers
  }

  func totals() throws -> LoadNumbers { try store.reader.wholeStatus(LoadFilter()).totals }

  func dates(of feed: Feed = "reviews") throws -> FeedDates { try #require(try store.reader.dates(of: feed)) }

  /// Closes and reopens the store for the same owner, as the commit queue does after a failure.
  func reopen() throws {
    store.close(finally: false)
    store = try open()
  }

  /// Closes the store cleanly.
  func close() throws {
    try one(.close)
    store.close(finally: true)
  }
}

extension LoadReading {
  /// Returns the status with busy time and peak depth.
  package func wholeStatus(_ filter: LoadFilter) throws(LoadLogError) -> StatusSummary {
    var summary = try status(filter, runningLimit: nil)
    summary.add(try busy(filter) { _, _ in })
    return summary
  }
}
