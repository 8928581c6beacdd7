import Foundation
import LoadLog

/// Runs the walk: turns the picture, takes signals, and leaves terminal and store in order, however it ends.
@MainActor
final class DemoShow {
  private let demo: Demo
  private let inbox: SignalInbox?
  private var end: Result<Void, any Error>?

  /// Takes the signals that would stop the program from now on.
  init(_ demo: Demo) {
    self.demo = demo
    inbox = SignalInbox(for: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])
  }

  /// Runs to the end of the walk, or until a signal stops it.
  ///
  /// - Returns: that signal.
  /// - Throws: what keeps loads from being recorded or shown.
  func run() async throws -> Int32? {
    var stop: Int32?
    var trouble: (any Error)?
    let walk = Task {
      do { end = .success(try await demo.walk()) } catch { end = .failure(error) }
    }
    while end == nil {
      for number in inbox?.signals() ?? [] {
        if number == SIGTSTP { suspend() } else { stop = number }
      }
      do { try demo.stage.turn() } catch { trouble = error }
      if stop != nil || trouble != nil { walk.cancel() }
      try await Task.sleep(for: .milliseconds(80))
    }
    demo.stage.close()
    try await demo.loads.close()
    if let trouble { throw trouble }
    if stop == nil { try end?.get() }
    return stop
  }

  /// What Ctrl-Z does to a program that does not take it, but with the cursor shown.
  private func suspend() {
    demo.stage.close()
    kill(getpid(), SIGSTOP)
  }
}
