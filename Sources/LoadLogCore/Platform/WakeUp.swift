internal import CLoadLogShims

/// A counting semaphore whose waits no step of the wall clock makes longer or shorter.
///
/// On Linux a `DispatchSemaphore` waits until a wall time: if the clock is set back an hour meanwhile, it waits an hour
/// more. This one's clock stands still while the machine is suspended.
final class WakeUp: Sendable {
  /// Safe to use from any thread.
  private nonisolated(unsafe) let wakeUp: OpaquePointer

  /// Makes one that so many waits pass at once.
  init(calls: UInt64 = 0) { wakeUp = loadlog_wakeup_make(calls) }

  deinit { loadlog_wakeup_free(wakeUp) }

  /// Lets one wait end: one that is under way, or the next.
  func signal() { loadlog_wakeup_call(wakeUp) }

  /// Waits for a signal; blocks the thread.
  func wait() { _ = loadlog_wakeup_await(wakeUp, -1) }

  /// Waits for a signal, for so many nanoseconds at most.
  ///
  /// - Returns: false if none has come.
  func wait(nanoseconds: Int64) -> Bool { loadlog_wakeup_await(wakeUp, max(0, nanoseconds)) != 0 }
}
