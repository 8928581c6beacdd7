import Dispatch
public import Observation
import Synchronization

/// Records loads; shows nothing.
///
///     let loads = try LoadingController(storeAt: url)
///     let articles = try await loads.loading("reviews") { try await api.reviews() }
///     let date = try await loads.lastUpdated("reviews")
///
/// Each load is recorded before it starts, and gets exactly one verdict. All methods may be called from any
/// thread or task. Those that are `async` or throw return when their event is durable, or fail at
/// ``Options/deadline``. A blocking call may commit on its own thread; it then returns when the disk has answered, which
/// can be after the deadline. The others return at once, and their event is durable a few milliseconds later
/// if the store is free, and when `flush()` returns. Events are committed in the order in which they were made. The store is
/// opened when it is first needed, on a thread of its own.
///
/// Cancelling the task ends no call: what was cancelled belongs in the record, too. A call goes on until its event is
/// durable or its deadline is over, and a question until it is answered.
///
/// Call `close()` before the process ends: loads that are still open are then `cancelled`, reason `quit`. If
/// a process ends without it, the next one that opens the store marks its open loads `crashed`. A controller that is
/// deallocated closes in the background, and discards what cannot be written then.
///
/// After fork(2) the parent continues normally. In the child every call throws `closed` or is dropped, for this
/// controller and for new ones: create the first controller after the fork, or call exec.
public final class LoadingController: Sendable {
  let options: Options
  private let store: LoadStoreProvider
  private let fallback: LoadStoreProvider
  private let state: Mutex<State>
  private let health = ControllerHealth()
  private let reads = DispatchQueue(label: "LoadLog reads")
  /// Open loads whose indicators were deallocated, oldest first.
  let leftLoads = Mutex<[LoadingToken]>([])

  private struct State {
    var core: RecordingCore
    var isClosed = false
    /// The listeners that ``reopen()`` takes to the next owner, with their numbers at this one.
    var listeners: [Int: (feed: Feed, receive: PushCount.Listener, number: Int)] = [:]
    var lastListener = 0
  }

  /// Makes a controller over any kind of store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - store: opens the store.
  ///   - fallback: opens the store in memory for ``OpenFailurePolicy/recordInMemory``.
  ///   - options: how to record. The providers do not see the options: give them ``Options/clock`` and
  ///     ``Options/processes``, too, and set ``Options/durability``, ``Options/retention`` and ``Options/locks`` only there.
  public init(store: LoadStoreProvider, fallback: LoadStoreProvider, options: Options = Options()) {
    self.options = options
    self.store = store
    self.fallback = fallback
    state = Mutex(State(core: RecordingCore(options, store: store, fallback: fallback, health: health)))
  }

  deinit {
    guard !ForkedChild.isThisProcess else { return }
    let core = state.withLock { $0.core }
    core.loads.end()
    core.queue.closeEventually(core.lastEvent)
  }

  /// The current time on the controller's clocks.
  public var now: LoadInstant { options.clock.now() }

  /// Why recording fails, or why the last call was refused; nil if recording works. The next commit that
  /// succeeds clears it, and so does ``reopen()``. While loads are recorded in memory because the store could not be opened,
  /// it says why again after each commit, until `close()` and ``reopen()``.
  ///
  /// May be read on any thread. Observable: the main actor notifies observers after the value is stored. An observer that
  /// reads it elsewhere may miss a change that happens while it begins to observe.
  ///
  ///     func showFailure() {
  ///       withObservationTracking {
  ///         banner.text = loads.failure?.description
  ///       } onChange: {
  ///         Task { @MainActor in showFailure() }
  ///       }
  ///     }
  public var failure: LoadLogError? { health.error }

  /// Why the last refused call failed, of the calls that throw no error; nil if none was refused since the controller was made or
  /// reopened.
  package var refusal: LoadLogError? { health.refusal }

  /// The owner that records now; in a forked child a new one that refuses everything.
  var core: RecordingCore {
    // At the fork a thread of the parent may have held this lock, or one of the owner's: the child must not wait for it.
    guard !ForkedChild.isThisProcess else {
      let core = makeCore()
      core.loads.end()
      return core
    }
    return state.withLock { $0.core }
  }

  private func makeCore() -> RecordingCore {
    RecordingCore(options, store: store, fallback: fallback, health: health)
  }
}

// MARK: - Opening and closing

extension LoadingController {
  /// Ends this owner cleanly: commits what is queued, cancels what is still open (reason `quit`) and closes
  /// the store. Later calls throw `closed`, or are dropped, until ``reopen()``.
  ///
  /// - Throws: `busy` at the deadline, or the error that keeps the store from being written to. The owner may
  ///   not have ended then: close again, or its open loads are marked `crashed` when this process is gone. Events
  ///   recorded before are not lost; they are committed when the store can be written to again. With
  ///   ``Durability/process`` also if the last commits did not reach the disk by the deadline, or at all: the owner has
  ///   ended, but a power cut may lose them.
  public func close() async throws(LoadLogError) {
    let core = closingCore()
    try await core.queue.close(core.lastEvent)
  }

  /// Ends this owner cleanly; blocks the thread.
  ///
  /// - Throws: as the async form.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func close() throws(LoadLogError) {
    let core = closingCore()
    try core.queue.closeBlocking(core.lastEvent)
  }

  /// Opens the controller again after a close, as a new owner, and clears ``failure``. Does nothing if the
  /// controller is open. If the close failed, the old owner ends when the store can be written to again: its open loads
  /// are then `cancelled`, reason `quit`.
  public func reopen() {
    guard !ForkedChild.isThisProcess else { return }
    let old: RecordingCore? = state.withLock { state in
      guard state.isClosed else { return nil }
      let old = state.core
      (state.core, state.isClosed) = (makeCore(), false)
      for (key, listener) in state.listeners {
        state.listeners[key]?.number = state.core.loads.listen(to: listener.feed, listener.receive)
      }
      return old
    }
    guard let old else { return }
    health.reset()
    if let last = old.lastEvent { old.queue.endLater(last) }
  }

  /// Returns when everything recorded so far is durable.
  ///
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the store from being written to.
  public func flush() async throws(LoadLogError) { try await core.queue.reach(opening: false) }

  /// Returns when everything recorded so far is durable; blocks the thread.
  ///
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the store from being written to.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func flush() throws(LoadLogError) { try core.queue.reachBlocking(opening: false) }

  private func closingCore() -> RecordingCore {
    guard !ForkedChild.isThisProcess else { return core }
    return state.withLock { state in
      state.isClosed = true
      // Under this lock, so that listeners receive this end before another thread can reopen.
      state.core.loads.end()
      return state.core
    }
  }
}

// MARK: - Listening

extension LoadingController {
  /// Adds a listener to this owner and to those that ``reopen()`` makes; see ``listen(to:_:)``.
  ///
  /// - Returns: its number for ``removeListener(_:)``.
  func addListener(of feed: Feed, _ receive: @escaping PushCount.Listener) -> Int {
    guard !ForkedChild.isThisProcess else { return core.loads.listen(to: feed, receive) }
    return state.withLock { state in
      state.lastListener += 1
      state.listeners[state.lastListener] = (feed, receive, state.core.loads.listen(to: feed, receive))
      return state.lastListener
    }
  }

  func removeListener(_ number: Int) {
    guard !ForkedChild.isThisProcess else { return }
    // Returned, to be released when no lock is held.
    _ = state.withLock { state in
      let listener = state.listeners.removeValue(forKey: number)
      if let listener { state.core.loads.forget(listener: listener.number) }
      return listener
    }
  }
}

// MARK: - Asking

extension LoadingController {
  /// Number of pushes of the feed that this controller has open.
  public func count(of feed: Feed) -> Int { core.loads.withLock { $0.count(of: feed) } }

  /// Number of loads of the feed that this controller has open, with and without token.
  public func depth(of feed: Feed) -> Int { core.loads.withLock { $0.depth(of: feed) } }

  /// This controller's changes of a feed, in order: first what is open now, then each change. Ends when the
  /// controller is closed or deallocated. It does not go on after ``reopen()``: ask for the changes again then.
  ///
  /// At most ``LoadingChange/mostUnread`` changes are kept for a reader that falls behind: older ones are dropped, the
  /// newest never is. Each change has the count and the depth after it, so a reader that misses some still has the
  /// current state.
  public func changes(of feed: Feed) -> AsyncStream<LoadingChange> { core.loads.changes(of: feed) }

  /// Asks the record a question, after everything that this controller has recorded so far. Does not block
  /// the cooperative pool: the question runs on a thread of the controller's. Opens the store, and creates it if there is
  /// none.
  ///
  ///     let page = try await loads.ask { try $0.history(LoadFilter(states: [.failed])) }
  ///
  /// The deadline is for what was recorded before. Then questions are answered one after another, and the answer to each
  /// call of the reader may take 30 s, that to ``LoadReading/busy(_:progress:)`` any time: a long search delays the
  /// questions that follow. Cancelling the task ends no question.
  ///
  /// If the store could not be opened, loads are recorded in memory (``OpenFailurePolicy/recordInMemory``). Every answer,
  /// also to the controller's own questions, then knows only the loads of this run, and ``failure`` says why.
  ///
  /// - Throws: the errors of the question, unchanged; a ``LoadLogError`` if the record cannot be read. The controller's
  ///   own questions, such as `status(_:)`, throw only ``LoadLogError``.
  public func ask<Value: Sendable>(
    _ question: @escaping @Sendable (any LoadReading) throws -> Value
  ) async throws -> Value {
    try await read { store in Result { try question(store) } }.get()
  }

  /// Asks the record a question, after everything that this controller has recorded so far; blocks the
  /// thread, as long as the async form may take.
  ///
  /// - Throws: the errors of the question, unchanged; a ``LoadLogError`` if the record cannot be read.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func ask<Value>(_ question: (any LoadReading) throws -> Value) throws -> Value {
    try question(readableStore())
  }

  /// Asks one of the controller's own questions, which throw only ``LoadLogError``.
  func read<Value: Sendable>(
    _ question: @escaping @Sendable (any LoadReading) throws(LoadLogError) -> Value
  ) async throws(LoadLogError) -> Value {
    let queue = core.queue
    try await queue.reach(opening: true)
    let result: Result<Value, LoadLogError> = await withCheckedContinuation { continuation in
      reads.async {
        continuation.resume(
          returning: Result { () throws(LoadLogError) in try question(queue.reader()) })
      }
    }
    return try result.get()
  }

  /// Waits until everything recorded so far is in the store, and returns the store for reading.
  func readableStore() throws(LoadLogError) -> any LoadReading {
    let queue = core.queue
    try queue.reachBlocking(opening: true)
    return try queue.reader()
  }
}

// MARK: - Observation

extension LoadingController: Observable {}
