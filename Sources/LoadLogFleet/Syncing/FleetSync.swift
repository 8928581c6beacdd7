public import LoadLogCore
package import LoadLogSQLite
import LoadLogText
import Synchronization

/// Ships a store to a fleet's database, so that one question can be asked of all hosts.
///
///     let sync = try FleetSync(storeAt: url, to: address)
///     try await sync.run(every: .seconds(60))
///
/// The store remains the source of truth: it ships copies of its rows. Shipping holds the store only while it reads what
/// changed, never while it waits for the network, so recording does not notice it. Whatever is lost on the way is sent
/// again, and never counts twice.
///
/// May be used from any thread; rounds run one after the other.
public final class FleetSync: Sendable {
  /// For how long a host counts as alive after it was heard, unless it says otherwise or ships less often.
  public static let defaultLease = Duration.seconds(180)
  /// How often one round starts again because another program ships the same store.
  private static let mostRefusals = 20
  /// The interval from which on each round opens a new connection: a fleet has more hosts than a database has room for connections.
  private static let longInterval = Duration.seconds(10)

  /// Opens a connection to the database. It is closed when the destination goes away.
  package typealias Connect = @Sendable () throws(LoadLogError) -> any FleetDestination

  private let path: String
  private let connect: Connect
  private let lease: Duration?
  private let processes: any ProcessTable
  private let clock: any LoadClock
  private let state: Mutex<State>
  /// Whether a round ends with its next batch, and leaves the rest for later.
  private let isEnding = Atomic(false)

  private struct State {
    var settings: StoreOutbox.Settings
    var host: SessionID?
    // Mutex takes care that one thread uses it at a time.
    /// What the last round has used, if the next one follows soon.
    nonisolated(unsafe) var kept: Link?
  }

  /// An open store, and a connection to the database.
  private struct Link {
    let outbox: StoreOutbox
    let destination: any FleetDestination
  }

  /// Creates a sync for a store, which must exist when the first round begins.
  ///
  /// - Parameters:
  ///   - path: the store's file.
  ///   - connect: opens a connection to the database.
  ///   - settings: what is shipped.
  ///   - lease: for how long the host counts as alive after each round; nil for ``defaultLease``, or three times the
  ///     interval of ``run(every:onRound:)`` if that is more.
  package init(
    storeAt path: String, settings: StoreOutbox.Settings = .init(), lease: Duration? = nil,
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
    try await onThread { () throws(LoadLogError) in try self.round() }.get()
  }

  /// Ships everything that waits; see the `async` form. Blocks the thread.
  @available(*, noasync, message: "Use the async form.")
  @discardableResult
  public func round() throws(LoadLogError) -> FleetRound { try ship(lease: lease ?? Self.defaultLease) }

  /// - Parameters:
  ///   - lease: for how long the host counts as alive after the round.
  ///   - keepsLink: whether the next round, which follows soon, uses the same link.
  private func ship(lease: Duration, keepsLink: Bool = false) throws(LoadLogError) -> FleetRound {
    try state.withLock { state throws(LoadLogError) in
      var round = FleetRound()
      if try !shipByKeptLink(lease, &round, &state) {
        let link = Link(
          outbox: try StoreOutbox(at: path, processes: processes, clock: clock), destination: try connect())
        do throws(LoadLogError) {
          try ship(by: link, isNew: true, lease, &round, &state)
        } catch {
          try? link.outbox.noteFailure(error)
          throw error
        }
        state.kept = link
      }
      if !keepsLink { state.kept = nil }
      return round
    }
  }

  /// Ships by the link of the last round.
  ///
  /// - Returns: false if there is none, or none any more: the connection has ended, or another file is the store now.
  private func shipByKeptLink(
    _ lease: Duration, _ round: inout FleetRound, _ state: inout State
  ) throws(LoadLogError) -> Bool {
    guard let link = state.kept else { return false }
    state.kept = nil
    do throws(LoadLogError) {
      try ship(by: link, isNew: false, lease, &round, &state)
    } catch {
      guard error.code != .fleetUnreachable, error.code != .storeMoved else { return false }
      try? link.outbox.noteFailure(error)
      throw error
    }
    state.kept = link
    return true
  }

  private func ship(
    by link: Link, isNew: Bool, _ lease: Duration, _ round: inout FleetRound, _ state: inout State
  ) throws(LoadLogError) {
    let host = try link.outbox.prepare(state.settings)
    state.settings.asNewHost = false
    state.host = host.id
    if isNew { try resolve(link, host.id) }
    var refusals = 0
    while true {
      guard let batch = try nextBatch(link, host.id) else { throw Self.contended }
      guard try link.destination.send(batch, lease: lease) else {
        // Another program ships this store, an answer was lost, or the host was retired.
        refusals += 1
        guard refusals <= Self.mostRefusals else { throw Self.contended }
        try resolve(link, host.id)
        continue
      }
      try link.outbox.confirm(batch)
      round.add(batch)
      if batch.host.waiting == 0 || isEnding.load(ordering: .relaxed) { return }
    }
  }

  /// Acts on what the database says of the host.
  private func resolve(_ link: Link, _ host: SessionID) throws(LoadLogError) {
    var remains: ShippedRemains?
    for _ in 0...Self.mostRefusals {
      let base = try link.outbox.base()
      let position = try link.destination.position(of: host)
      if try link.outbox.resolve(position, remains, since: base) { return }
      remains = try link.destination.remains(of: host)
    }
    throw Self.contended
  }

  /// The next batch; nil if another program makes the store start over again and again.
  private func nextBatch(_ link: Link, _ host: SessionID) throws(LoadLogError) -> ShippedBatch? {
    if let batch = try link.outbox.nextBatch(nil) { return batch }
    return try link.outbox.nextBatch(link.destination.remains(of: host))
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
  /// Ships every so often until the task is cancelled, then one batch more, and ends the host's lease in the database.
  ///
  /// A batch has some thousand rows. What still waits after it is shipped by the next sync.
  ///
  /// The first round begins at once. Later ones are up to a tenth of the interval early, so that the hosts of a fleet do
  /// not come all at once. Below 10 seconds the store and the connection stay open from round to round. A round that fails
  /// because the database cannot be reached, or because the store is busy, is made up for by the next one.
  ///
  /// After each round the host counts as alive for ``defaultLease``, or for three intervals if that is more, unless
  /// `Options.lease` says otherwise.
  ///
  /// - Parameters:
  ///   - interval: the time from the end of a round to the next one.
  ///   - onRound: called with how each round ended, except for one whose error is thrown, and with the error if the lease
  ///     could not be given back.
  /// - Throws: `invalidInput` if the lease is not longer than the interval; `storeCopied`; and `fleetUnusable` if no round
  ///   has succeeded yet: later the database may be restored, or a certificate renewed.
  public func run(
    every interval: Duration,
    onRound: @escaping @Sendable (Result<FleetRound, LoadLogError>) -> Void = { _ in }
  ) async throws(LoadLogError) {
    let lease = try lease(every: interval)
    defer { isEnding.store(false, ordering: .relaxed) }
    let failure = await withTaskCancellationHandler {
      await rounds(every: interval, lease: lease, onRound)
    } onCancel: {
      isEnding.store(true, ordering: .relaxed)
    }
    if let failure { throw failure }
    if case .failure(let error) = await onThread({ () throws(LoadLogError) in try self.endLease() }) {
      onRound(.failure(error))
    }
  }

  /// For how long the host counts as alive after one of many rounds: until the next one has had time to come.
  private func lease(every interval: Duration) throws(LoadLogError) -> Duration {
    guard let lease else { return max(Self.defaultLease, interval * 3) }
    guard lease > interval else {
      throw LoadLogError(
        .invalidInput, what: "lease", value: DurationText.limit(lease.wholeNanoseconds),
        why: "it ends before the next round",
        advice: "Make it longer, or leave it out: then it is 3 minutes, or three intervals if that is more.")
    }
    return lease
  }

  /// Ships until the task is cancelled, and one batch more.
  ///
  /// - Returns: the error that ended it before.
  private func rounds(
    every interval: Duration, lease: Duration, _ onRound: @Sendable (Result<FleetRound, LoadLogError>) -> Void
  ) async -> LoadLogError? {
    var hasSucceeded = false
    var isLast = false
    while !isLast {
      isLast = Task.isCancelled
      let round = await onThread { () throws(LoadLogError) in
        try self.ship(lease: lease, keepsLink: interval < Self.longInterval)
      }
      switch round {
      case .success: hasSucceeded = true
      case .failure(let error):
        if error.code == .storeCopied || error.code == .fleetUnusable && !hasSucceeded { return error }
      }
      onRound(round)
      if !isLast { try? await Task.sleep(for: interval * Double.random(in: 0.9...1)) }
    }
    return nil
  }

  private func endLease() throws(LoadLogError) {
    try state.withLock { state throws(LoadLogError) in
      defer { state.kept = nil }
      guard let host = state.host else { return }
      let destination = if let kept = state.kept { kept.destination } else { try connect() }
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
