import Foundation
import LoadLog

/// Watches over a running command: passes on its signals and its standard error, draws, and tells how it
/// ended.
struct CommandWatch {
  private let inbox: SignalInbox?
  private var tee: ErrorTee?

  /// The last line of the command's standard error, if it is kept.
  var lastLine: String? { tee?.lastLine }

  /// Starts to take signals, before there is a command: one that comes too early is passed on later.
  init(keepsErrors: Bool) {
    inbox = SignalInbox(for: [SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT])
    tee = keepsErrors ? ErrorTee() : nil
  }

  /// Starts a command.
  mutating func start(_ command: [String]) throws(SpawnError) -> ChildProcess {
    let child = try ChildProcess(command, standardError: tee?.writer, blocked: inbox?.blockedBefore)
    tee?.closeWriter()
    return child
  }

  /// Waits until the command has ended.
  ///
  /// - Parameter draw: called several times a second with the number of the frame, to draw it; then with nil,
  ///   to wipe it away. A command that is done at once draws nothing.
  mutating func wait(for child: ChildProcess, draw: ((Int?) -> Void)?) -> ChildEnd {
    var frame = 0
    var isDrawn = false
    func wipe() {
      if isDrawn { draw?(nil) }
      isDrawn = false
    }
    while true {
      for number in inbox?.signals() ?? [] where number == SIGTERM || number == SIGHUP {
        child.signal(number)
      }
      if let end = child.end() {
        wipe()
        tee?.pump()
        return end
      }
      if frame > 0 {
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

  /// Waits for something to come, but no longer than that.
  ///
  /// - Returns: whether the command's standard error can be read.
  private func sleep(milliseconds: Int32) -> Bool {
    let errors = tee.flatMap { $0.isOpen ? $0.reader : nil }
    // A negative number is a file that poll skips.
    var files = [inbox?.file ?? -1, errors ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    return poll(&files, nfds_t(files.count), milliseconds) > 0 && files[1].revents != 0
  }
}
