import Foundation
import LoadLog

/// Runs the demo: animates the picture, handles signals, and restores the terminal and closes the store at any end.
@MainActor
final class DemoShow {
  private let demo: Demo
  private let inbox: SignalInbox?
  private var end: Result<Void, any Error>?

  /// Handles, from now on, the signals that would stop the program.
  init(_ demo: Demo) {
    self.demo = demo
    inbox = SignalInbox(for: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])
  }

  /// Runs to the end of the demo, or until a signal stops it.
  ///
  /// - Returns: the signal; nil at the end of the demo.
  /// - Throws: the error that keeps loads from being recorded or shown.
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

  /// Suspends the program, as Ctrl-Z does by default, but shows the cursor first.
  private func suspend() {
    demo.stage.close()
    SignalInbox.stopProcess()
  }
}
