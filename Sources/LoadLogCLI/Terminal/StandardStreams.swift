import CLoadLogShims
import Foundation
import Synchronization

/// What the process received from its caller: standard streams, and signals that are ignored.
enum StandardStreams {
  private static let closedOutput = Atomic<Bool>(false)
  private static let ignored = Mutex<[Int32]>([])

  /// Whether standard output was closed when the process started.
  static var isOutputClosed: Bool { closedOutput.load(ordering: .relaxed) }

  /// The signals that this process ignores and its caller did not: children get their default action.
  static var newlyIgnored: [Int32] { ignored.withLock { $0 } }

  /// Gives the signals that this process ignores their default action, for a program that is to replace it.
  static func restoreSignals() { for number in newlyIgnored { _ = signal(number, SIG_DFL) } }

  /// Makes the streams safe to use; call it first.
  ///
  /// If a stream is closed, the next file that is opened gets its descriptor: that file could be the store, and a
  /// message would be written into it. Also ignores the signals that would kill the process when a reader closes its
  /// pipe, or when a file reaches the size limit (`ulimit -f`); and no longer ignores the end of a child, as the caller may
  /// have done: the kernel would forget how it ended.
  static func secure() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
      if stream == STDOUT_FILENO { closedOutput.store(true, ordering: .relaxed) }
      _ = open("/dev/null", O_RDWR | O_CLOEXEC)
    }
    for number in [SIGPIPE, SIGXFSZ] where loadlog_is_ignored(number) == 0 {
      _ = signal(number, SIG_IGN)
      ignored.withLock { $0.append(number) }
    }
    if loadlog_is_ignored(SIGCHLD) == 1 { _ = signal(SIGCHLD, SIG_DFL) }
  }
}
