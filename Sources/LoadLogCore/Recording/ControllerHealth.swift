import Observation
import Synchronization

/// Why a controller's recording fails, or failed last; notifies observers of each change.
final class ControllerHealth: Sendable, Observable {
  private struct State {
    var error: LoadLogError?
    /// Number of refused calls so far.
    var refusals = 0
    /// The error is what a good commit leaves: none, or that loads are recorded in memory only.
    var isSettled = true
  }

  private let registrar = ObservationRegistrar()
  private let state = Mutex(State())

  /// The last error; nil once a later commit has succeeded. Observable.
  var error: LoadLogError? {
    registrar.access(self, keyPath: \.error)
    return state.withLock { $0.error }
  }

  /// How many calls were refused so far.
  var refusals: Int { state.withLock { $0.refusals } }

  /// Recording failed. The next commit that succeeds clears the error.
  func failed(_ error: LoadLogError) {
    change { state in
      state.error = error
      state.isSettled = false
      return true
    }
  }

  /// A call was refused. The next commit that begins from now on, and succeeds, clears the error.
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
  ///   - refusals: how many calls had been refused when it began; later refusals stand.
  ///   - remaining: what is wrong in spite of it.
  func recovered(after refusals: Int, remaining: LoadLogError?) {
    change { state in
      guard !state.isSettled, state.refusals == refusals else { return false }
      state.error = remaining
      state.isSettled = true
      return true
    }
  }

  /// The controller starts again.
  func reset() {
    change { state in
      defer { state = State(refusals: state.refusals) }
      return state.error != nil
    }
  }

  /// Observers are notified after the value is stored. `withMutation` around the change would notify them before: an
  /// observer that reads again at once, on another thread, would read the old value, begin to observe anew when the
  /// notification is over, and never see the new one.
  private func change(_ body: (inout State) -> Bool) {
    guard state.withLock({ body(&$0) }) else { return }
    registrar.withMutation(of: self, keyPath: \.error) {}
  }
}
