import LoadLogLibC

/// The system's clocks: CLOCK_BOOTTIME, which counts suspend, and CLOCK_REALTIME.
///
/// On Darwin the boot clock is CLOCK_MONOTONIC_RAW, which there is the continuous clock: it counts sleep
/// and is never stepped (clock_gettime(3)). Alarms of all boot clocks of a process share one thread,
/// started with the first alarm.
public struct BootClock: LoadClock {
  /// Makes the clock; costs nothing.
  public init() {}

  /// Both clocks, read one right after the other.
  public func now() -> LoadInstant {
    LoadInstant(wall: Self.wallMicroseconds(), boot: Self.bootNanoseconds())
  }

  /// See ``LoadClock/schedule(at:_:)``. After a suspend a due alarm may be up to one second late. Do not use it in a
  /// forked child, which does not have the thread that calls alarms.
  @discardableResult
  public func schedule(
    at boot: Int64, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledAlarm {
    AlarmThread.shared.schedule(at: boot, action)
  }

  /// Nanoseconds since boot, suspend included.
  static func bootNanoseconds() -> Int64 {
    #if canImport(Darwin)
      Int64(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW))
    #else
      nanoseconds(of: CLOCK_BOOTTIME)
    #endif
  }

  private static func wallMicroseconds() -> Int64 {
    nanoseconds(of: CLOCK_REALTIME) / 1000
  }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    // Fails only for a clock that does not exist; these two always do.
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
