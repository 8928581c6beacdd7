import Foundation
import Synchronization

/// What the process was given as its standard streams.
enum StandardStreams {
  private static let closedOutput = Atomic<Bool>(false)
  private static let inheritsBrokenPipe = Atomic<Bool>(false)

  /// Whether standard output was closed when the process started.
  static var isOutputClosed: Bool { closedOutput.load(ordering: .relaxed) }

  /// Whether the parent had SIGPIPE ignored, so that a child's has to stay so.
  static var ignoresBrokenPipe: Bool { inheritsBrokenPipe.load(ordering: .relaxed) }

  /// Makes the streams safe to use; call it first.
  ///
  /// A stream that is closed would lend its number to the next file that is opened: to the store, into
  /// which a message would then be written. And a reader that goes away must not kill the process halfway.
  static func secure() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
      if stream == STDOUT_FILENO { closedOutput.store(true, ordering: .relaxed) }
      _ = open("/dev/null", O_RDWR | O_CLOEXEC)
    }
    let before = signal(SIGPIPE, SIG_IGN)
    inheritsBrokenPipe.store(SignalDisposition.isIgnored(before), ordering: .relaxed)
  }
}

/// What `signal(2)` says a signal did before.
enum SignalDisposition {
  static func isIgnored(_ disposition: (@convention(c) (Int32) -> Void)?) -> Bool {
    unsafeBitCast(disposition, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
  }
}
