/// How long to wait in `poll` for a time on the boot clock.
enum PollTime {
  /// How long one `poll` may wait for a time that is this many nanoseconds away: at most a second, because its own clock
  /// stands still while the machine is suspended. The caller reads the boot clock again after it.
  static func milliseconds(_ left: Int64) -> Int32 {
    Int32(clamping: min(max(0, left), 1_000_000_000) / 1_000_000 + 1)
  }
}
