import Foundation
import LoadLog
import LoadLogReports

/// `status --watch`: the screen of `status`, live.
struct StatusWatch {
  /// A status, and of a fleet what is wrong with its hosts.
  struct Shown {
    var summary: StatusSummary
    var trouble: FleetTrouble?
  }

  /// How often to check whether the record has changed, in nanoseconds.
  let interval: Int64
  /// Opens the store, or the fleet.
  let open: () throws(LoadLogError) -> any FollowedReading
  /// Asks an open record for its status.
  let ask: (any FollowedReading) throws(LoadLogError) -> Shown
  /// The lines of a status on a page as wide as the terminal.
  let text: (Shown) -> String

  /// Without a commit, the store is asked again after this many nanoseconds: an owner may have died, or the file may have
  /// been replaced.
  private static let patience: Int64 = 10_000_000_000

  /// Watches until `q` is pressed or a signal arrives.
  ///
  /// - Returns: the signal; nil after `q`.
  /// - Throws: what opening the store throws. Later errors are shown, and the store is asked again.
  func run() throws -> Int32? {
    var source = Source(reader: try open())
    try look(at: &source)
    var screen = try WatchedTerminal()
    try screen.take()
    defer { screen.giveBack() }
    var hasNewSize = false
    while true {
      try draw(source, on: &screen, afterResize: hasNewSize)
      hasNewSize = false
      switch screen.next(until: BootClock().now().boot + interval) {
      case .time: refresh(&source)
      case .key(UInt8(ascii: "q")), .key(UInt8(ascii: "Q")): return nil
      case .key: continue
      case .gone: return SIGHUP
      case .signal(SIGWINCH): hasNewSize = true
      case .signal(SIGTSTP): try screen.suspend()
      // Another process may have stopped this one, and a shell then resets the terminal.
      case .signal(SIGCONT): try screen.take()
      case .signal(let number): return number
      }
    }
  }

  /// What is shown, and where it comes from.
  private struct Source {
    var reader: any FollowedReading
    var version: Int64 = -1
    var shown: Shown?
    var asked: Int64 = 0
    var trouble: String?
  }

  /// Asks the store again if it has changed; otherwise only the ages change.
  private func refresh(_ source: inout Source) {
    do throws(LoadLogError) {
      if BootClock().now().boot - source.asked >= Self.patience {
        source = Source(reader: try open(), shown: source.shown)
      }
      try look(at: &source)
      source.trouble = nil
    } catch {
      source.trouble = error.description
    }
  }

  private func look(at source: inout Source) throws(LoadLogError) {
    let version = try source.reader.dataVersion()
    let now = BootClock().now()
    guard version != source.version else {
      source.shown?.summary.advance(to: now.wall)
      return
    }
    source.shown = try ask(source.reader)
    (source.version, source.asked) = (version, now.boot)
  }

  private func draw(_ source: Source, on screen: inout WatchedTerminal, afterResize: Bool) throws {
    let every = "every \(DurationText.limit(interval)); \(screen.hasKeys ? "q" : "Ctrl-C") quits"
    try screen.draw(
      ScreenPicture.fitted(
        source.shown.map(text) ?? "", height: screen.terminal.height,
        footer: source.trouble.map { "loadlog: \($0)" } ?? every), afterResize: afterResize)
  }
}

extension StatusSummary {
  /// Makes it as it will be at a later wall time, in microseconds since 1970, if nothing happens until then.
  fileprivate mutating func advance(to wall: Int64) {
    let passed = max(0, wall - generated)
    generated += passed
    for index in feeds.indices where feeds[index].oldestRunning != nil {
      feeds[index].oldestRunning?.openAtLeast += passed * 1000
    }
  }
}
