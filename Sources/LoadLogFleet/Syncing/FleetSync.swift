public import LoadLogCore
package import LoadLogSQLite
import Synchronization

/// Ships a store to a fleet's database, so that one question can be asked of all hosts.
///
///     let sync = try FleetSync(storeAt: url, to: address)
///     try await sync.run(every: .seconds(60))
///
/// The store stays the truth: what is shipped are copies of its rows. Shipping holds the store only while it reads what
/// changed, never while it waits for the network, so recording does not notice it. Whatever is lost on the way is sent
/// again, and never counts twice.
///
/// May be used from any thread; rounds run one after the other.
public final class FleetSync: Sendable {
  /// For how long a host counts as alive after it was heard, unless it says otherwise.
  public static let defaultLease = Duration.seconds(180)
  /// How often one round starts again because another program ships the same store.
  private static let mostRefusals = 20
  /// The interval from which on each round opens a new connection: a fleet has more hosts than a database has room for connections.
  private static let longInterval = Duration.seconds(10)

  /// Opens a connection to the database. It is closed when the destination goes away.
  package typealias Connect = @Sendable () throws(LoadLogError) -> any FleetDestination

  private let path: String
  private let connect: Connect
  private let lease: Duration
  private let processes: any ProcessTable
  private let clock: any LoadClock
  private let state: Mutex<State>

  private struct State {
    var settings: StoreOutbox.Settings
    var host: SessionID?
    // Mutex takes care that one thread uses it at a time.
    /// The connection of the last round, if the next one follows soon.
    nonisolated(unsafe) var destination: (any FleetDestination)?
  }

  /// Creates a sync for a store, which must exist when the first round begins.
  ///
  /// - Parameters:
  ///   - path: the store's file.
  ///   - connect: opens a connection to the database.
  ///   - settings: what is shipped.
  ///   - lease: for how long the host counts as alive after each round.
  package init(
    storeAt path: String, settings: StoreOutbox.Settings = .init(), lease: Duration = FleetSync.defaultLease,
    processes: any ProcessTable = SystemProcessTable(), clock: any LoadClock = BootClock(),
    connect: @escaping Connect
  ) {
    self.path = path
    self.connect = connect
    self.lease = lease
    self.processes = processes
    self.clock = clock
    state = Mutex(State(settings: settings))
  }

  /// Ships everything that waits.
  ///
  /// The store keeps how the round ended; `loadlog doctor` reports it.
  ///
  /// - Returns: what was shipped.
  /// - Throws: `fleetUnreachable`, `fleetUnusable` or `storeCopied`, and what opening and writing a store throws.
  ///   What was shipped before the error stays, and the next round goes on from there.
  @discardableResult
  public func round() async throws(LoadLogError) -> FleetRound {
    try await onThread { () throws(LoadLogError) in try self.ship() }.get()
  }

  /// Ships everything that waits; see the `async` form. Blocks the thread.
  @available(*, noasync, message: "Use the async form.")
  @discardableResult
  public func round() throws(LoadLogError) -> FleetRound { try ship() }

  /// - Parameter keepsConnection: whether the next round, which follows soon, uses the same connection.
  private func ship(keepsConnection: Bool = false) throws(LoadLogError) -> FleetRound {
    try state.withLock { state throws(LoadLogError) in
      let outbox = try StoreOutbox(at: path, processes: processes, clock: clock)
      do throws(LoadLogError) {
        let round = try ship(outbox, &state)
        if !keepsConnection { state.destination = nil }
        try outbox.noteRound(failure: nil)
        return round
      } catch {
        state.destination = nil
        try? outbox.noteRound(failure: error.description)
        throw error
      }
    }
  }

  private func ship(_ outbox: StoreOutbox, _ state: inout State) throws(LoadLogError) -> FleetRound {
    let host = try outbox.prepare(state.settings)
    state.settings.asNewHost = false
    state.host = host.id
    var destination = try resolve(outbox, host.id, &state)
    var round = FleetRound()
    var refusals = 0
    while true {
      guard let batch = try nextBatch(outbox, host.id, destination) else { throw Self.contended }
      guard try destination.send(batch, lease: lease) else {
        // Another program ships this store, or an answer was lost.
        refusals += 1
        guard refusals <= Self.mostRefusals else { throw Self.contended }
        destination = try resolve(outbox, host.id, &state)
        continue
      }
      try outbox.confirm(batch)
      round.add(batch)
      if batch.host.waiting == 0 { return round }
    }
  }

  /// Acts on what the database says of the host, and returns the connection to it.
  private func resolve(
    _ outbox: StoreOutbox, _ host: SessionID, _ state: inout State
  ) throws(LoadLogError) -> any FleetDestination {
    var remains: ShippedRemains?
    for _ in 0...Self.mostRefusals {
      let base = try outbox.base()
      let (destination, position) = try look(at: host, &state)
      if try outbox.resolve(position, remains, since: base) { return destination }
      remains = try destination.remains(of: host)
    }
    throw Self.contended
  }

  /// Where the host's rows stand, by the connection that was kept, or by a new one if that has ended since.
  private func look(
    at host: SessionID, _ state: inout State
  ) throws(LoadLogError) -> (any FleetDestination, ShippedPosition?) {
    if let kept = state.destination, let position = try? kept.position(of: host) { return (kept, position) }
    let destination = try connect()
    state.destination = destination
    return (destination, try destination.position(of: host))
  }

  /// The next batch; nil if another program makes the store start over again and again.
  private func nextBatch(
    _ outbox: StoreOutbox, _ host: SessionID, _ destination: any FleetDestination
  ) throws(LoadLogError) -> ShippedBatch? {
    if let batch = try outbox.nextBatch(nil) { return batch }
    return try outbox.nextBatch(destination.remains(of: host))
  }

  private static var contended: LoadLogError {
    LoadLogError(
      .busy, what: "cannot sync", why: "another program ships the same store again and again",
      advice: "Let one program sync a store.")
  }
}

/// What a round shipped.
public struct FleetRound: Sendable, Hashable {
  /// The number of transactions.
  public private(set) var batches = 0
  /// The number of loads' rows.
  public private(set) var loads = 0
  /// The number of all rows.
  public private(set) var rows = 0

  mutating func add(_ batch: ShippedBatch) {
    guard !batch.isEmpty else { return }
    batches += 1
    loads += batch.rows[.session]?.count ?? 0
    rows += batch.rows.values.reduce(0) { $0 + $1.count } + batch.gone.count
  }
}

// MARK: - Again and again

extension FleetSync {
  /// Ships every so often until the task is cancelled, then once more, and ends the host's lease in the
  /// database.
  ///
  /// The first round begins at once. Later ones are up to a tenth of the interval early, so that the hosts of a fleet do
  /// not come all at once. Below 10 seconds the connection stays open from round to round. A round that fails because the
  /// database cannot be reached, or because the store is busy, is made up for by the next one.
  ///
  /// - Parameters:
  ///   - interval: the time from the end of a round to the next one.
  ///   - onRound: called with how each round ended, except for one whose error is thrown, and with the error if the lease
  ///     could not be given back.
  /// - Throws: `storeCopied`, and `fleetUnusable` if no round has succeeded yet: later the database may be restored, or a
  ///   certificate renewed.
  public func run(
    every interval: Duration,
    onRound: @escaping @Sendable (Result<FleetRound, LoadLogError>) -> Void = { _ in }
  ) async throws(LoadLogError) {
    var hasSucceeded = false
    var isLast = false
    while !isLast {
      isLast = Task.isCancelled
      let round = await onThread { () throws(LoadLogError) in
        try self.ship(keepsConnection: interval < Self.longInterval)
      }
      switch round {
      case .success: hasSucceeded = true
      case .failure(let error):
        if error.code == .storeCopied || error.code == .fleetUnusable && !hasSucceeded { throw error }
      }
      onRound(round)
      if !isLast { try? await Task.sleep(for: interval * Double.random(in: 0.9...1)) }
    }
    if case .failure(let error) = await onThread({ () throws(LoadLogError) in try self.endLease() }) {
      onRound(.failure(error))
    }
  }

  private func endLease() throws(LoadLogError) {
    try state.withLock { state throws(LoadLogError) in
      defer { state.destination = nil }
      guard let host = state.host else { return }
      let destination = if let kept = state.destination { kept } else { try connect() }
      try destination.endLease(of: host)
    }
  }

  /// Runs blocking work on a thread of its own, because tasks must not block theirs.
  private func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws(LoadLogError) -> Value
  ) async -> Result<Value, LoadLogError> {
    await withCheckedContinuation { continuation in
      let isStarted = DaemonThread.start {
        continuation.resume(returning: Result { () throws(LoadLogError) in try work() })
      }
      guard !isStarted else { return }
      let error = LoadLogError(.io, what: "cannot sync", why: "the system provides no thread to work with")
      continuation.resume(returning: .failure(error))
    }
  }
}
