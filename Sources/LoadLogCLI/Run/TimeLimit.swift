import Foundation
import LoadLog

/// The time that a command may take: then it is asked to end, and killed if it does not. Durations are nanoseconds, times
/// those of the boot clock.
struct TimeLimit {
  let duration: Int64
  let killAfter: Int64

  /// A command's way through its limit.
  struct Watch {
    private let limit: TimeLimit
    /// The time of the next signal; nil if there is none left.
    private(set) var next: Int64?
    private var signal = SIGTERM

    init(_ limit: TimeLimit, from began: Int64) {
      self.limit = limit
      next = began.addingClamping(limit.duration)
    }

    /// Whether the command was asked to end.
    var isOver: Bool { signal == SIGKILL }

    /// How the command ended, as it is recorded.
    func end(_ end: ChildEnd) -> ChildEnd { isOver ? .timedOut(limit.duration) : end }

    /// Sends the command the signal that is due.
    mutating func enforce(at now: Int64, on child: ChildProcess) {
      guard let due = next, now >= due else { return }
      child.end(with: signal)
      next = isOver ? nil : now.addingClamping(limit.killAfter)
      signal = SIGKILL
    }
  }

  /// Whether this process has a terminal, whose process groups its shell controls: a command in a group of its own could
  /// not read from it.
  static var isOnTerminal: Bool {
    let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
    if terminal >= 0 { close(terminal) }
    return terminal >= 0
  }
}
