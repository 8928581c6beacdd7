import Dispatch
public import Observation
import Synchronization

/// Records loads; shows nothing.
///
///     let loads = try LoadingController(storeAt: url)
///     let articles = try await loads.loading("reviews") { try await api.reviews() }
///     let date = try await loads.lastUpdated("reviews")
///
/// Each load is written down before it starts and gets exactly one verdict. All methods may be called from
/// any thread or task. Those that are `async` or that throw return when what they recorded is durable, at
/// the latest at ``Options/deadline``; the others return at once, and what they recorded is durable within
/// 50 ms of the store being free, or at `flush()`. Events are committed in the order in which they
/// were made. The store is opened when it is first needed, on a thread of its own.
///
/// Call `close()` before the process ends: what is still open then is `cancelled`, reason `quit`. An
/// owner that ends without it is found dead, and its open loads `crashed`.
///
/// After fork(2) the parent goes on. In the child every call throws `closed` or is dropped, for this controller and
/// for new ones: make the first controller after the fork, or call exec.
public final class LoadingController: Sendable {
  let options: Options
  private let store: LoadStoreProvider
  private let fallback: LoadStoreProvider
  private let state: Mutex<State>
  private let health = Health()
  private let reads = DispatchQueue(label: "LoadLog reads")

  private struct State {
    var core: RecordingCore
    var isClosed = false
  }

  /// Makes a controller over any kind of store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - store: opens the store.
  ///   - fallback: opens the store in memory that ``OpenFailurePolicy/recordInMemory`` speaks of.
  ///   - options: how to record.
  public init(store: LoadStoreProvider, fallback: LoadStoreProvider, options: Options = Options()) {
    self.options = options
    self.store = store
    self.fallback = fallback
    let health = health
    state = Mutex(
      State(core: RecordingCore(options, store: store, fallback: fallback) { health.error = $0 }))
  }

  deinit {
    guard !ForkedChild.isThisProcess else { return }
    let core = state.withLock { $0.core }
    core.queue.closeEventually(core.lastEvent)
  }

  /// The clocks' reading.
  public var now: LoadInstant { options.clock.now() }

  /// Why recording fails, or did at last; nil when all is well. Observable.
  public var failure: LoadLogError? { health.error }

  /// The owner that records now; in a forked child one without a past, which refuses everything.
  var core: RecordingCore {
    // A thread of the parent may have held the lock, or one of the owner's, at the fork. The child must not wait.
    guard !ForkedChild.isThisProcess else {
      let core = makeCore()
      core.loads.end()
      return core
    }
    return state.withLock { $0.core }
  }

  private func makeCore() -> RecordingCore {
    let health = health
    return RecordingCore(options, store: store, fallback: fallback) { health.error = $0 }
  }
}

// MARK: - Opening and closing

extension LoadingController {
  /// Ends this owner cleanly: commits what is pending, cancels what is still open (reason `quit`) and closes
  /// the store. Later calls throw `closed`, or are dropped, until ``reopen()``.
  ///
  /// - Throws: `busy` at the deadline, or what keeps the store from being written to. The owner has not ended
  ///   cleanly then: close again, or what it left open is judged when this process is gone. What was recorded before
  ///   is not lost; it is written down when the store can be written to again.
  public func close() async throws(LoadLogError) {
    let core = closingCore()
    try await core.queue.close(core.lastEvent)
  }

  /// Ends this owner cleanly; blocks the thread.
  public func close() throws(LoadLogError) {
    let core = closingCore()
    try core.queue.closeBlocking(core.lastEvent)
  }

  /// Begins anew after a close, as another owner. Does nothing if the controller is open.
  public func reopen() {
    guard !ForkedChild.isThisProcess else { return }
    state.withLock { state in
      guard state.isClosed else { return }
      state.core = makeCore()
      state.isClosed = false
    }
  }

  /// Returns when everything recorded so far is durable.
  public func flush() async throws(LoadLogError) { try await core.queue.reach(opening: false) }

  /// Returns when everything recorded so far is durable; blocks the thread.
  public func flush() throws(LoadLogError) { try core.queue.reachBlocking(opening: false) }

  private func closingCore() -> RecordingCore {
    let core = core
    if !ForkedChild.isThisProcess { state.withLock { $0.isClosed = true } }
    core.loads.end()
    return core
  }
}

// MARK: - Asking

extension LoadingController {
  /// How many pushes of the feed this controller has open.
  public func count(of feed: Feed) -> Int { core.loads.withLock { $0.count(of: feed) } }

  /// How many sessions of the feed this controller has open, with and without token.
  public func depth(of feed: Feed) -> Int { core.loads.withLock { $0.depth(of: feed) } }

  /// This controller's changes of a feed, in their order: first what is open now, then each change. Ends when
  /// the controller is closed.
  public func changes(of feed: Feed) -> AsyncStream<LoadingChange> { core.loads.changes(of: feed) }

  /// Asks the record something, after all that this controller has recorded so far. Does not block the
  /// cooperative pool.
  public func ask<Value: Sendable>(
    _ question: @escaping @Sendable (any LoadReading) throws(LoadLogError) -> Value
  ) async throws(LoadLogError) -> Value {
    let queue = core.queue
    try await queue.reach(opening: true)
    let result: Result<Value, LoadLogError> = await withCheckedContinuation { continuation in
      reads.async { continuation.resume(returning: Self.answer(question, queue)) }
    }
    return try result.get()
  }

  /// Asks the record something, after all that this controller has recorded so far; blocks the thread.
  public func ask<Value>(
    _ question: (any LoadReading) throws(LoadLogError) -> Value
  ) throws(LoadLogError) -> Value {
    let queue = core.queue
    try queue.reachBlocking(opening: true)
    return try Self.answer(question, queue).get()
  }

  private static func answer<Value>(
    _ question: (any LoadReading) throws(LoadLogError) -> Value, _ queue: CommitQueue
  ) -> Result<Value, LoadLogError> {
    do throws(LoadLogError) {
      guard let store = queue.store else {
        throw LoadLogError(
          .closed, what: "controller", why: "its store is closed", advice: "Reopen it first.")
      }
      return .success(try question(store))
    } catch {
      return .failure(error)
    }
  }
}

// MARK: - Observation

extension LoadingController: Observable {
  /// Keeps the last trouble and tells observers of it.
  private final class Health: Sendable, Observable {
    private let registrar = ObservationRegistrar()
    private let stored = Mutex<LoadLogError?>(nil)

    var error: LoadLogError? {
      get {
        if ForkedChild.isThisProcess { return ForkedChild.error(nil) }
        registrar.access(self, keyPath: \.error)
        return stored.withLock { $0 }
      }
      set {
        // In a forked child the locks below may be held for ever.
        if ForkedChild.isThisProcess { return }
        let wasWell = stored.withLock { $0 == nil }
        guard newValue != nil || !wasWell else { return }
        registrar.withMutation(of: self, keyPath: \.error) { stored.withLock { $0 = newValue } }
      }
    }
  }
}
