import CLoadLogCLI
import Foundation
import LoadLog

/// Runs a command and waits for it; meanwhile forwards signals to it, passes on its output, keeps its time limit, and
/// draws.
struct CommandWatch {
  /// What is called while a command runs.
  struct Calls {
    /// Draws the frame with a number, or erases it for nil. Called several times per second; not for a command that ends
    /// at once.
    var draw: ((Int?) -> Void)?
    /// Called from time to time while the command writes.
    var wrote: (() -> Void)?
    /// The time in nanoseconds between two calls of `wrote`.
    var pause: Int64 = 1_000_000_000
  }

  /// How a command ended, and what it used.
  struct Result {
    let end: ChildEnd
    let usage: rusage
    /// When it ended; passing on its output may have taken longer.
    let at: LoadInstant
    /// Whether a process or a user has sent a signal that was to end the command.
    let isInterrupted: Bool
  }

  private let inbox: SignalInbox?
  private let output: CommandOutput?
  private let limit: TimeLimit?
  private let hasOwnGroup: Bool
  private var isInterrupted = false
  /// Whether a signal has ended the passing on of output.
  private(set) var isCutShort = false
  private var isDrawn = false
  private var calls = Calls()

  /// The time in milliseconds between two frames, and between two checks of what is not signalled.
  private static let frameTime: Int32 = 100

  /// - Parameters:
  ///   - inbox: the signals. It exists before the command: a signal that arrives early is forwarded later.
  ///   - output: passes on the command's output; nil if the command has the caller's streams.
  init(inbox: SignalInbox?, output: CommandOutput?, limit: TimeLimit?) {
    self.inbox = inbox
    self.output = output
    self.limit = limit
    hasOwnGroup = limit != nil && !TimeLimit.isOnTerminal
  }

  /// Starts a command.
  func start(_ command: [String]) throws(SpawnError) -> ChildProcess {
    defer { output?.closeWriters() }
    // A process that has ended stays in its group until its parent has waited for it. The first process of a container
    // inherits those whose parents have ended, and may never wait for them.
    if hasOwnGroup { loadlog_inherit_orphans() }
    return try ChildProcess(
      command, output: output, ownGroup: hasOwnGroup, blocked: inbox?.blockedBefore)
  }

  /// Waits until the command has ended. If it is stopped, so is this process, and a shell that waits sees it.
  ///
  /// - Parameter began: the time of the boot clock from which its limit counts.
  mutating func wait(for child: ChildProcess, from began: Int64, _ calls: Calls) -> Result {
    self.calls = calls
    var limit = limit.map { TimeLimit.Watch($0, from: began) }
    var ended: (end: ChildEnd, usage: rusage)?
    var end = BootClock().now()
    var frame = 0
    var reported = BootClock().now().boot
    var isNews = false
    while true {
      for number in inbox?.signals() ?? [] {
        if SignalInbox.endingSignals.contains(number) { isInterrupted = true }
        if ended == nil || child.hasGroupMembers { child.pass(number) }
      }
      if ended == nil {
        ended = child.end {
          wipe()
          // In a group of its own it is no part of a shell's job.
          if inbox != nil, !hasOwnGroup { SignalInbox.stopProcess() }
        }
        end = BootClock().now()
      }
      loadlog_wait_for_others(child.pid)
      let now = BootClock().now().boot
      // A command that has ended in time has kept its limit, however late that is seen.
      if ended == nil || limit?.isOver == true { limit?.enforce(at: now, on: child) }
      // Of a command that ran too long, its children must end too.
      if let ended, limit?.isOver != true || limit?.next == nil || !child.hasGroupMembers {
        wipe()
        // The command that the terminal's signals were for has ended: from now on they are for this process.
        inbox?.takeTerminalSignals(true)
        passOnRest()
        return Result(
          end: limit?.end(ended.end) ?? ended.end, usage: ended.usage, at: end,
          isInterrupted: isInterrupted || isCutShort || inbox?.wasInterrupted == true)
      }
      if isNews, now - reported >= calls.pause {
        calls.wrote?()
        (reported, isNews) = (now, false)
      }
      if calls.draw != nil, frame > 0, output?.isInLine != true {
        calls.draw?(frame)
        isDrawn = true
      }
      frame += 1
      var wait: Int32 = calls.draw == nil && inbox != nil && ended == nil ? -1 : Self.frameTime
      for due in [limit?.next, isNews && calls.wrote != nil ? reported + calls.pause : nil].compactMap(\.self)
      {
        let milliseconds = PollTime.milliseconds(due - now)
        wait = wait < 0 ? milliseconds : min(wait, milliseconds)
      }
      if sleep(milliseconds: wait) { isNews = true }
    }
  }

  /// Waits for a signal, or for output, which it passes on; at most this many milliseconds, or without limit if that is
  /// negative.
  ///
  /// - Returns: whether there was output.
  private mutating func sleep(milliseconds: Int32) -> Bool {
    // A negative number is a file that poll skips.
    var files = [pollfd(fd: inbox?.file ?? -1, events: Int16(POLLIN), revents: 0)] + (output?.files ?? [])
    let canPass = output?.canPass == true
    let found = poll(&files, nfds_t(files.count), canPass ? 0 : milliseconds)
    let news = files.dropFirst()
    guard canPass || found > 0 && news.contains(where: { $0.revents != 0 }) else { return false }
    wipe()
    output?.pump(news)
    return true
  }

  /// Passes on what the pipes hold when the command has ended. A signal that is to end it ends this, too.
  private mutating func passOnRest() {
    output?.limitToPresent()
    passOn()
  }

  /// Lets the output appear that was held back, until a signal is to end that.
  mutating func showHeldOutput() {
    output?.release()
    passOn()
  }

  /// Passes on output until nothing is left, or a signal ends it.
  private mutating func passOn() {
    while true {
      if inbox?.isToEnd() == true {
        isCutShort = true
        output?.dropReleased()
        return
      }
      guard output?.isBusy == true else { return }
      _ = sleep(milliseconds: inbox == nil ? Self.frameTime : -1)
    }
  }

  private mutating func wipe() {
    if isDrawn { calls.draw?(nil) }
    isDrawn = false
  }
}
