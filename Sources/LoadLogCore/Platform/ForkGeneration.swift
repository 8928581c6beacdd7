internal import CLoadLogShims

/// Tells a forked child from the process that made an object.
///
///     let generation = ForkGeneration.current          // at creation
///     guard generation == ForkGeneration.current else { … }   // in a child: not ours any more
///
/// Cheaper and safer than comparing pids: a pid can come round again, a generation cannot.
public enum ForkGeneration {
  /// How many forks lie between the first process that asked and the calling one. Callable on any
  /// thread, and in a child right after fork.
  public static var current: UInt64 { loadlog_fork_generation() }
}
