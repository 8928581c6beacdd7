import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Logging

/// A controller over a store in memory, with clocks that a test turns by hand.
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

  /// So many seconds after the bench was made.
  var time: Double { Double(clock.now().boot - start) / 1e9 }

  /// Lets time pass, until so many seconds after the bench was made; what is due then has been called, but has
  /// not reached the main actor.
  func turnClock(to seconds: Double) {
    let target = start + Int64((seconds * 1000).rounded()) * 1_000_000
    clock.advance(by: .nanoseconds(target - clock.now().boot))
  }

  /// Lets time pass, and the main actor hear of it.
  func reach(_ seconds: Double) async {
    turnClock(to: seconds)
    await settle()
  }

  /// Lets the main actor do what is waiting for it.
  func settle() async { for _ in 0..<3 { await Task.yield() } }

  /// All loads in the record, oldest first.
  func allLoads() async throws -> [LoadingSession] {
    try await loads.flush()
    return try await loads.history().loads.reversed()
  }

  /// The words of what is unbalanced, oldest first.
  func unbalanced() async throws -> [String] { try await loads.unbalanced().reversed().map(\.kind.word) }
}

/// When an indicator was shown and hidden, in seconds of a bench.
@MainActor
final class Diary {
  private(set) var entries: [String] = []

  init(of indicator: some LoadingIndicator, _ bench: Bench) {
    indicator.onShown = { [weak self] in self?.entries.append("shown \(bench.time)") }
    indicator.onHidden = { [weak self] in self?.entries.append("hidden \(bench.time)") }
  }
}
