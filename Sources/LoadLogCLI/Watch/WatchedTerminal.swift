import CLoadLogCLI
import Foundation
import LoadLog

/// A terminal whose whole screen a program draws, until it gives the terminal back.
struct WatchedTerminal {
  /// What ended a wait.
  enum Event: Equatable {
    /// The time is over.
    case time
    /// A key was pressed.
    case key(UInt8)
    /// A signal arrived.
    case signal(Int32)
    /// The keyboard is gone.
    case gone
  }

  let terminal = Terminal()
  private let inbox: SignalInbox
  private var waiting: [Event] = []
  private var picture = ScreenPicture()
  /// Whether keys can be read: standard input may be something else.
  private(set) var hasKeys = isatty(STDIN_FILENO) == 1

  /// Another screen, no cursor, and no wrapping of long lines; and their opposites.
  private static let (enter, leave) = (
    "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l", "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  )

  /// - Throws: `invalidInput` if standard output is not a terminal that can be drawn on.
  init() throws(LoadLogError) {
    guard terminal.canDraw else {
      throw LoadLogError(
        .invalidInput, what: "--watch", why: "standard output is not a terminal that it can draw on",
        advice: "Leave it out to print the status once.")
    }
    guard let inbox = SignalInbox(for: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]) else {
      throw LoadLogError(.io, what: "--watch", why: String(cString: strerror(errno)))
    }
    self.inbox = inbox
  }

  /// Shows the other screen, which is empty.
  mutating func take() throws {
    _ = loadlog_take_terminal(terminal.file, Self.leave)
    picture.forget()
    try Output.write(Self.enter + "\u{1B}[2J")
  }

  /// Shows what was there before.
  func giveBack() { loadlog_return_terminal() }

  /// Draws lines, and forgets earlier ones if the size of the terminal has changed since.
  mutating func draw(_ lines: [String], afterResize: Bool) throws {
    if afterResize { picture.forget() }
    let changes = picture.changes(to: lines)
    if !changes.isEmpty { try Output.write((afterResize ? "\u{1B}[2J" : "") + changes) }
  }

  /// Stops this process as Ctrl-Z does, with the terminal given back meanwhile.
  mutating func suspend() throws {
    giveBack()
    loadlog_stop_process()
    try take()
  }

  /// Waits for a key or a signal, at most until a time on the boot clock in nanoseconds.
  mutating func next(until end: Int64) -> Event {
    while waiting.isEmpty {
      // Keys and signals are read also when the time is over already, because drawing took long.
      let rest = max(0, end - BootClock().now().boot)
      var files = [pollfd(fd: inbox.file, events: Int16(POLLIN), revents: 0)]
      if hasKeys { files.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)) }
      let milliseconds = rest == 0 ? 0 : PollTime.milliseconds(rest)
      guard poll(&files, nfds_t(files.count), milliseconds) > 0 else {
        if rest == 0 { return .time }
        continue
      }
      waiting += inbox.signals().map(Event.signal)
      if hasKeys, files[1].revents != 0 { readKeys() }
    }
    return waiting.removeFirst()
  }

  private mutating func readKeys() {
    var keys = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &keys, keys.count)
    if count > 0 {
      waiting += keys.prefix(count).map(Event.key)
    } else if count == 0 || errno != EINTR && errno != EAGAIN {
      hasKeys = false
      waiting.append(.gone)
    }
  }
}
