import Observation
import Synchronization

/// Keeps the reason why a controller's recording fails, or failed last, and notifies observers of each change.
final class ControllerHealth: Sendable, Observable {
  private struct State {
    var error: LoadLogError?
    /// Number of refused calls so far.
    var refusals = 0
    /// Why the last of them was refused.
    var refusal: LoadLogError?
    /// Whether the error is the one that a successful commit leaves: none, or that loads are recorded in memory only.
    var isSettled = true
    /// The kinds of errors that were logged since recording worked last.
    var logged: Set<LoadLogError.Code> = []
    /// The main actor is about to notify observers.
    var isNotificationDue = false
  }

  /// Errors of opening a store and of waiting for other writers: they are over when the store can be written to, also if
  /// nothing is. All others may return with the next commit.
  private static let endWithoutCommit: Set<LoadLogError.Code> = [
    .busy, .storeMissing, .storeUnusable, .notLoadLog, .newerStore, .storeMoved,
  ]

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

  /// Why the last refused call was refused; nil if none was.
  var refusal: LoadLogError? { state.withLock { $0.refusal } }

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
      (state.error, state.refusal) = (error, error)
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

  /// The store could be written to, but nothing was.
  ///
  /// - Parameter remaining: an error that this does not clear.
  func reached(remaining: LoadLogError?) {
    change { state in
      guard !state.isSettled, let code = state.error?.code, Self.endWithoutCommit.contains(code) else {
        return false
      }
      state.logged.remove(code)
      state.error = remaining
      state.isSettled = true
      return true
    }
  }

  /// The controller starts again.
  func reset() {
    change { state in
      let wasFailing = state.error != nil
      (state.error, state.refusal, state.isSettled, state.logged) = (nil, nil, true, [])
      return wasFailing
    }
  }

  /// Stores a change; the main actor notifies observers afterwards.
  ///
  /// `withObservationTracking` begins to observe after it has read. A notification in between is missed, and one in the
  /// middle of its beginning is worse: the standard library then never removes the observation, and as each notification
  /// makes an observer observe once more, their number grows without limit. An observer on the main actor reads and begins
  /// to observe in one turn, which notifications from there can only precede, so that it reads the new value, or follow.
  /// One is enough for all changes before it.
  private func change(_ body: (inout State) -> Bool) {
    // In a forked child a thread that no longer exists may hold the locks, and there is no main actor.
    guard !ForkedChild.isThisProcess else { return }
    let mustNotify = state.withLock { state in
      guard body(&state), !state.isNotificationDue else { return false }
      state.isNotificationDue = true
      return true
    }
    guard mustNotify else { return }
    Task { @MainActor in
      state.withLock { $0.isNotificationDue = false }
      registrar.withMutation(of: self, keyPath: \.error) {}
    }
  }
}
