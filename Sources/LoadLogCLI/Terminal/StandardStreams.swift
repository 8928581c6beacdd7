import Foundation
import Synchronization

/// What the process was given as its standard streams.
enum StandardStreams {
  private static let closedOutput = Atomic<Bool>(false)
  private static let ignored = Mutex<[Int32]>([])

  /// Whether standard output was closed when the process started.
  static var isOutputClosed: Bool { closedOutput.load(ordering: .relaxed) }

  /// The signals that only this process ignores, so that its children must not.
  static var newlyIgnored: [Int32] { ignored.withLock { $0 } }

  /// Makes the streams safe to use; call it first.
  ///
  /// A stream that is closed would lend its number to the next file that is opened: to the store, into
  /// which a message would then be written. And neither a reader that goes away nor a limit on the size of
  /// files (`ulimit -f`) must kill the process halfway.
  static func secure() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
      if stream == STDOUT_FILENO { closedOutput.store(true, ordering: .relaxed) }
      _ = open("/dev/null", O_RDWR | O_CLOEXEC)
    }
    for number in [SIGPIPE, SIGXFSZ] where !SignalDisposition.isIgnored(signal(number, SIG_IGN)) {
      ignored.withLock { $0.append(number) }
    }
  }
}

/// What `signal(2)` says a signal did before.
enum SignalDisposition {
  static func isIgnored(_ disposition: (@convention(c) (Int32) -> Void)?) -> Bool {
    unsafeBitCast(disposition, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
  }
}
