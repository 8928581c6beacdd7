internal import CLoadLogShims

/// A counting semaphore whose timeouts do not depend on the wall clock.
///
/// On Linux a `DispatchSemaphore` waits until a wall time: if the clock is set back an hour meanwhile, it waits an hour
/// more. The clock of this one stops while the machine is suspended.
final class WakeUp: Sendable {
  /// Safe to use from any thread.
  private nonisolated(unsafe) let wakeUp: OpaquePointer

  /// Makes a semaphore that lets `calls` waits pass at once.
  init(calls: UInt64 = 0) { wakeUp = loadlog_wakeup_make(calls) }

  deinit { loadlog_wakeup_free(wakeUp) }

  /// Ends one wait: a current wait, or the next one.
  func signal() { loadlog_wakeup_call(wakeUp) }

  /// Waits for a signal; blocks the thread.
  func wait() { _ = loadlog_wakeup_await(wakeUp, -1) }

  /// Waits for a signal, at most this many nanoseconds.
  ///
  /// - Returns: false if there was none.
  func wait(nanoseconds: Int64) -> Bool { loadlog_wakeup_await(wakeUp, max(0, nanoseconds)) != 0 }
}
