import CLoadLogShims
import Foundation
import LoadLog

/// Waits for a running command; meanwhile forwards signals to it, passes on its standard error, and draws.
struct CommandWatch {
  private let inbox: SignalInbox?
  private var tee: ErrorTee?

  /// The line of the command's standard error that explains a failure best, if it is kept.
  var errorLine: String? { tee?.errorLine }

  /// Whether the command's standard error passes through this process.
  var relaysErrors: Bool { tee != nil }

  /// Starts to catch signals before the command exists: a signal that arrives early is forwarded later.
  init(keepsErrors: Bool) {
    inbox = SignalInbox()
    tee = keepsErrors ? ErrorTee() : nil
  }

  /// Starts a command.
  mutating func start(_ command: [String]) throws(SpawnError) -> ChildProcess {
    let child = try ChildProcess(command, standardError: tee?.writer, blocked: inbox?.blockedBefore)
    tee?.closeWriter()
    return child
  }

  /// Waits until the command has ended. If it is stopped, so is this process, and a shell that waits sees it.
  ///
  /// - Parameter draw: called several times per second with the number of the frame to draw, and at the end with nil,
  ///   to erase it. Not called for a command that ends at once.
  mutating func wait(for child: ChildProcess, draw: ((Int?) -> Void)?) -> ChildEnd {
    var frame = 0
    var isDrawn = false
    func wipe() {
      if isDrawn { draw?(nil) }
      isDrawn = false
    }
    while true {
      for number in inbox?.signals() ?? [] { child.pass(number) }
      let end = child.end {
        wipe()
        if inbox != nil { loadlog_stop_process() }
      }
      if let end {
        wipe()
        tee?.pump()
        return end
      }
      if frame > 0, tee?.isInLine != true {
        draw?(frame)
        isDrawn = true
      }
      frame += 1
      if sleep(milliseconds: draw == nil && inbox != nil ? -1 : 100) {
        wipe()
        tee?.pump(wasReadable: true)
      }
    }
  }

  /// Waits for a signal or for output of the command, at most this many milliseconds.
  ///
  /// - Returns: whether the command's standard error can be read.
  private func sleep(milliseconds: Int32) -> Bool {
    let errors = tee.flatMap { $0.isOpen ? $0.reader : nil }
    // A negative number is a file that poll skips.
    var files = [inbox?.file ?? -1, errors ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    return poll(&files, nfds_t(files.count), milliseconds) > 0 && files[1].revents != 0
  }
}
