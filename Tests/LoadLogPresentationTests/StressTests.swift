import Foundation
import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Testing

/// Indicators under load from many threads. Serialized, because each test uses all cores.
@MainActor @Suite(.serialized) struct StressTests {
  /// Divisor of the number of repetitions. The thread sanitizer is slow but finds a race without hitting its exact
  /// interleaving, so a tenth of the repetitions is enough for it.
  private nonisolated static let share =
    ProcessInfo.processInfo.environment["LOADLOG_STRESS_SHARE"].flatMap(Int.init) ?? 1

  /// Counts shows, and calls that break the alternation of shows and hides.
  @MainActor
  private final class Alternation {
    private(set) var shows = 0
    private(set) var breaks = 0
    private var isShown = false

    init(of indicator: some LoadingIndicator) {
      indicator.onShown = { self.record(isShown: true) }
      indicator.onHidden = { self.record(isShown: false) }
    }

    private func record(isShown: Bool) {
      if isShown == self.isShown { breaks += 1 }
      self.isShown = isShown
      if isShown { shows += 1 }
    }
  }

  /// Pushes and pops in 64 tasks that yield at random points.
  private func pushAndPop(_ network: NetworkActivityIndicator, pairs: Int) async {
    await withTaskGroup { group in
      for task in 0..<64 {
        group.addTask {
          var random = UInt64(task + 1)
          for pair in 1...pairs {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            network.push()
            if random >> 58 == 0 { await Task.yield() }
            network.pop()
            if random >> 50 & 63 == 0 { await Task.yield() }
            // Keeps the queue below its maximum length, at which it drops events.
            if pair.isMultiple(of: 50) { try? await network.loads.flush() }
          }
        }
      }
    }
  }

  /// Runs the pending tasks of the main actor until the indicator is hidden.
  private func waitUntilHidden(_ network: NetworkActivityIndicator) async {
    for _ in 0..<1000 where network.isVisible { await Task.yield() }
  }

  @Test func pushesAndPopsOf64TasksBalance() async throws {
    var options = Bench.options(ManualClock())
    options.clock = BootClock()
    options.deadline = .seconds(300)
    let loads = LoadingController.inMemory(options: options)
    let network = NetworkActivityIndicator(loads)
    let alternation = Alternation(of: network)
    let pairs = 10_000 / Self.share
    await pushAndPop(network, pairs: pairs)
    await waitUntilHidden(network)
    #expect(loads.count(of: "network") == 0 && network.count == 0 && !network.isVisible)
    try await loads.flush()
    let status = try await loads.status()
    let numbers = try #require(status.feeds.first).numbers
    #expect(numbers.ended == 64 * pairs && numbers.running == 0 && numbers.unbalanced.total == 0)
    #expect(alternation.shows > 0 && alternation.breaks == 0)
  }

  @Test func visibleTimeOfManyTasksIsRecordedWithTheirLoads() async throws {
    var options = Bench.options(ManualClock())
    options.clock = BootClock()
    options.deadline = .seconds(300)
    let loads = LoadingController.inMemory(options: options)
    let network = NetworkActivityIndicator(loads)
    await pushAndPop(network, pairs: 200)
    await waitUntilHidden(network)
    try await loads.flush()
    let seen = try await loads.history().loads.reduce(into: 0) { $0 += $1.visibleTime ?? 0 }
    #expect(seen > 0 && .nanoseconds(seen) == network.visibleTime)
  }

  @Test func finishesThatOvertakeTheirStartsNeverMakeTheDepthNegative() async throws {
    let loads = LoadingController.inMemory(options: Bench.options(ManualClock()))
    let network = NetworkActivityIndicator(loads)
    let changes = loads.changes(of: "network")
    let least = Task.detached {
      var least = 0
      for await change in changes { least = min(least, change.depth) }
      return least
    }
    let rounds = 100 / Self.share
    for _ in 0..<rounds {
      let ids = (0..<2000).map { _ in SessionID() }
      await withTaskGroup { group in
        group.addTask { for id in ids { loads.start(id: id, feed: "network") } }
        group.addTask { for id in ids { loads.finish(id: id) } }
      }
      #expect(loads.depth(of: "network") == 0)
      // Keeps the queue below its maximum length, at which it drops events.
      try await loads.flush()
    }
    await waitUntilHidden(network)
    #expect(!network.isVisible && network.depth == 0)
    let numbers = try #require(try await loads.status().feeds.first).numbers
    #expect(numbers.loads == rounds * 2000 && numbers.succeeded == rounds * 2000)
    #expect(try await loads.unbalanced().isEmpty)
    try await loads.close()
    #expect(await least.value == 0)
  }

  @Test func indicatorsCanBeCreatedAndDeallocatedDuringPushes() async throws {
    let loads = LoadingController.inMemory(options: Bench.options(ManualClock()))
    await withTaskGroup { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<10_000 / Self.share {
            loads.push("network")
            loads.pop("network")
            if loads.count(of: "network") == 0 { await Task.yield() }
          }
        }
      }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<1000 / Self.share {
            _ = await NetworkActivityIndicator(loads)
            let veil = await Veil(loads, feed: "network")
            await veil.veil(message: nil)
          }
        }
      }
    }
    #expect(loads.depth(of: "network") == 0)
    try await loads.flush()
    let numbers = try #require(try await loads.status().feeds.first).numbers
    #expect(numbers.ended == 20_000 / Self.share && numbers.unbalanced.abandoned == 2000 / Self.share)
    #expect(numbers.unbalanced.total == numbers.unbalanced.abandoned)
  }

  @Test func concurrentFinishesEndALoadOnce() async throws {
    let loads = LoadingController.inMemory(options: Bench.options(ManualClock()))
    let pull = PullToRefresh(loads, feed: "reviews")
    for _ in 0..<100 {
      pull.beginRefreshing()
      await withTaskGroup { group in
        for _ in 0..<4 { group.addTask { pull.finish(.succeeded) } }
      }
    }
    for _ in 0..<1000 where pull.state == .loading { await Task.yield() }
    #expect(pull.state == .pulling && loads.depth(of: "reviews") == 0)
    let numbers = try #require(try await loads.status().feeds.first).numbers
    #expect(numbers.succeeded == 100)
  }
}
