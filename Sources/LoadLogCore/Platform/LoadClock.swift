/// Reads the boot and wall clocks, and schedules alarms.
///
/// ``BootClock`` uses the system's clocks; tests use a clock that they advance by hand.
public protocol LoadClock: Sendable {
  /// Both clocks, read together. Callable on any thread.
  func now() -> LoadInstant

  /// Calls `action` once, on a thread of the clock's own, as soon as the boot clock reads `boot`
  /// nanoseconds or more; at once if it already does.
  ///
  /// Never on the calling thread and never on the cooperative pool. Alarms are called one after the
  /// other, those that are due in the order of their times, so an action must be short.
  ///
  /// - Returns: A handle that withdraws the alarm. Dropping the handle withdraws nothing.
  @discardableResult
  func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm
}

/// An alarm that may still be withdrawn.
public protocol ScheduledAlarm: Sendable {
  /// Withdraws the alarm. May be called repeatedly and on any thread. If the action has already started, it neither
  /// stops it nor waits for it.
  func cancel()
}
