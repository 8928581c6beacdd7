import Observation
import Synchronization

/// Keeps the reason why a controller's recording fails, or failed last, and notifies observers of each change.
final class ControllerHealth: Sendable, Observable {
  private struct State {
    var error: LoadLogError?
    /// Number of refused calls so far.
    var refusals = 0
    /// Whether the error is the one that a successful commit leaves: none, or that loads are recorded in memory only.
    var isSettled = true
    /// The kinds of errors that were logged since recording worked last.
    var logged: Set<LoadLogError.Code> = []
    /// The main actor is about to notify observers again.
    var isNotificationDue = false
    var notifying = Notifying.no
  }

  /// Whether a thread notifies observers, and whether it has to do so once more when it is done.
  private enum Notifying {
    case no, once, again
  }

  private let registrar = ObservationRegistrar()
  private let state = Mutex(State())

  /// The last error; nil once a later commit has succeeded. Observable.
  var error: LoadLogError? {
    if ForkedChild.isThisProcess { return ForkedChild.error(nil) }
    registrar.access(self, keyPath: \.error)
    return state.withLock { $0.error }
  }

  /// How many calls were refused so far.
  var refusals: Int { state.withLock { $0.refusals } }

  /// Whether to log an error: only the first of its kind until recording works again, so that a store that stays out of
  /// order does not fill the log with a line for each load. An invalid argument is the mistake of one call.
  func mustLog(_ error: LoadLogError) -> Bool {
    guard error.code != .invalidInput, !ForkedChild.isThisProcess else { return true }
    return state.withLock { $0.logged.insert(error.code).inserted }
  }

  /// Recording failed. The next commit that succeeds clears the error.
  func failed(_ error: LoadLogError) {
    change { state in
      state.error = error
      state.isSettled = false
      return true
    }
  }

  /// A call was refused. The next commit that starts after this and succeeds clears the error.
  func refused(_ error: LoadLogError) {
    change { state in
      state.error = error
      state.refusals += 1
      state.isSettled = false
      return true
    }
  }

  /// A commit succeeded.
  ///
  /// - Parameters:
  ///   - refusals: number of calls that had been refused when the commit started; later refusals stand.
  ///   - remaining: an error that the commit does not clear.
  func recovered(after refusals: Int, remaining: LoadLogError?) {
    change { state in
      state.logged = []
      guard !state.isSettled, state.refusals == refusals else { return false }
      state.error = remaining
      state.isSettled = true
      return true
    }
  }

  /// The controller starts again.
  func reset() {
    change { state in
      let wasFailing = state.error != nil
      (state.error, state.isSettled, state.logged) = (nil, true, [])
      return wasFailing
    }
  }

  /// Stores a change and notifies observers afterwards, twice.
  ///
  /// `withMutation` around the change would notify them before: an observer that reads again at once, on
  /// another thread, would read the old value, begin to observe after the notification and never see the new
  /// one.
  ///
  /// That alone leaves a gap, because `withObservationTracking` begins to observe after it has read:
  ///
  ///     observer                  this thread
  ///     reads the old value
  ///                               stores the new value, notifies: no observer yet
  ///     begins to observe
  ///
  /// An observer on the main actor reads and begins to observe in one turn, so a second notification on the
  /// main actor comes either before that turn, which reads the new value, or after it, and is received. One
  /// is enough for all changes before it.
  private func change(_ body: (inout State) -> Bool) {
    // In a forked child a thread that no longer exists may hold the locks, and there is no main actor.
    guard !ForkedChild.isThisProcess else { return }
    let (isChanged, mustNotify) = state.withLock { state in
      guard body(&state) else { return (false, false) }
      defer { state.isNotificationDue = true }
      return (true, !state.isNotificationDue)
    }
    guard isChanged else { return }
    notify()
    guard mustNotify else { return }
    Task { @MainActor in
      state.withLock { $0.isNotificationDue = false }
      notify()
    }
  }

  /// One thread notifies at a time; after a change in the meantime it notifies once more. Two threads would call one
  /// observer twice. Each call makes the observer observe again, so the number of its observations would grow without
  /// limit.
  private func notify() {
    let isFirst = state.withLock { state in
      defer { state.notifying = state.notifying == .no ? .once : .again }
      return state.notifying == .no
    }
    guard isFirst else { return }
    repeat {
      registrar.withMutation(of: self, keyPath: \.error) {}
    } while mustNotifyAgain()
  }

  private func mustNotifyAgain() -> Bool {
    state.withLock { state in
      defer { state.notifying = state.notifying == .again ? .once : .no }
      return state.notifying == .again
    }
  }
}
