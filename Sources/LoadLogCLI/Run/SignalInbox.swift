import CLoadLogCLI
import CLoadLogShims
import Foundation

/// Receives signals as bytes in a pipe, so that one `poll` can wait for signals and for other input.
struct SignalInbox {
  /// The reading end of the pipe; readable when a signal has arrived, or when a child has changed its state.
  let file: Int32
  /// The signals that the caller had blocked.
  let blockedBefore: sigset_t

  /// Catches signals and changes of children from now on. Signals that the caller had ignored, as `nohup` and
  /// background jobs do, stay ignored. SIGCHLD arrives even if the caller had blocked it, as some service managers do.
  ///
  /// - Parameter signals: their numbers; nil for all that other processes send. Those of the terminal then reach the
  ///   other processes of the group without this one.
  init?(for signals: [Int32]? = nil) {
    guard let pipe = Pipe.closingOnExec() else { return nil }
    file = pipe.reader
    for end in [pipe.reader, pipe.writer] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    let always = signals == nil ? StandardStreams.newlyIgnored : []
    // The system refuses the numbers that no program may catch.
    for number in signals ?? Array(1...64) where always.contains(number) || loadlog_is_ignored(number) == 0 {
      _ = loadlog_catch_signal(number, pipe.writer, signals == nil ? 0 : 1)
    }
    var (ends, before) = (sigset_t(), sigset_t())
    sigemptyset(&ends)
    sigaddset(&ends, SIGCHLD)
    pthread_sigmask(SIG_UNBLOCK, &ends, &before)
    blockedBefore = before
  }

  /// Stops this process, as ^Z does, until it is continued.
  static func stopProcess() { loadlog_stop_process() }

  /// Ends this process by a signal, as if it had not been caught. Returns if this is the first process of a container,
  /// for which the kernel discards it.
  static func endProcess(by number: Int32) {
    signal(number, SIG_DFL)
    var only = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, number)
    pthread_sigmask(SIG_UNBLOCK, &only, nil)
    raise(number)
  }

  /// Whether a user has interrupted the command from the terminal.
  var wasInterrupted: Bool { loadlog_was_interrupted() == 1 }

  /// The signals by which a process asks another one to end.
  static let endingSignals: Set<Int32> = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

  /// Whether the signals of the terminal arrive too. They must not while a command runs, which has them already.
  func takeTerminalSignals(_ takes: Bool) { loadlog_take_terminal_signals(takes ? 1 : 0) }

  /// The signals that other processes have sent since the last call.
  func signals() -> [Int32] { Pipe.available(from: file).filter { $0 != 0 }.map { Int32($0) } }

  /// Obeys the signals since the last call, in a process that has no command to pass them on to: stops it, as ^Z does.
  ///
  /// - Returns: whether one of them asks it to end.
  func isToEnd() -> Bool {
    for number in signals() {
      if Self.endingSignals.contains(number) { return true }
      if number == SIGTSTP { Self.stopProcess() }
    }
    return false
  }
}

/// Pipes that a command does not inherit.
enum Pipe {
  static func closingOnExec() -> (reader: Int32, writer: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Reads the bytes that are available in a non-blocking pipe.
  static func available(from file: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count > 0 {
        all += buffer[..<count]
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    return all
  }
}
