import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Logging
import Synchronization

/// A controller with an in-memory store and a manual clock.
@MainActor
struct Bench {
  let clock: ManualClock
  let loads: LoadingController
  private let start: Int64

  init(clock: ManualClock = ManualClock()) {
    self.clock = clock
    loads = .inMemory(options: Self.options(clock))
    start = clock.now().boot
  }

  static func options(_ clock: ManualClock) -> LoadingController.Options {
    var options = LoadingController.Options()
    options.clock = clock
    options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return options
  }

  /// Seconds since the bench was created.
  var time: Double { Double(clock.now().boot - start) / 1e9 }

  /// Advances the clock to `seconds` after the creation of the bench. Alarms that are due have fired when it returns,
  /// but the tasks that they start on the main actor have not run yet.
  func advanceClock(to seconds: Double) { clock.advance(by: time(until: seconds)) }

  /// Advances the clock to `seconds` after the creation of the bench, and runs the pending tasks of the main actor.
  func advance(to seconds: Double) async { await clock.advance(by: time(until: seconds)) }

  private func time(until seconds: Double) -> Duration {
    .nanoseconds(start + Int64((seconds * 1000).rounded()) * 1_000_000 - clock.now().boot)
  }

  /// Runs the pending tasks of the main actor.
  func runTasks() async { for _ in 0..<3 { await Task.yield() } }

  /// Returns all loads in the record, oldest first.
  func allLoads() async throws -> [LoadingSession] {
    try await loads.flush()
    return try await loads.history().loads.reversed()
  }

  /// Returns the kinds of all imbalances in the record, oldest first.
  func unbalanced() async throws -> [String] { try await loads.unbalanced().reversed().map(\.kind.word) }
}

/// Records when an indicator was shown and hidden, in seconds since the creation of a bench.
@MainActor
final class Diary {
  private(set) var entries: [String] = []

  init(of indicator: some LoadingIndicator, _ bench: Bench) {
    indicator.onShown = { [weak self] in self?.entries.append("shown \(bench.time)") }
    indicator.onHidden = { [weak self] in self?.entries.append("hidden \(bench.time)") }
  }
}

/// Counts the calls of a handler.
final class Calls: Sendable {
  private let calls = Mutex(0)

  var count: Int { calls.withLock { $0 } }

  func add() { calls.withLock { $0 += 1 } }
}
