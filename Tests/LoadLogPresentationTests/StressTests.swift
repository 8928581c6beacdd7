import Foundation
import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Testing

/// Many threads at once. One after the other: each wants all cores.
@MainActor @Suite(.serialized) struct StressTests {
  /// Under the thread sanitizer, which slows all down, a tenth is enough: its findings do not depend on luck.
  private nonisolated static let share =
    ProcessInfo.processInfo.environment["LOADLOG_STRESS_SHARE"].flatMap(Int.init) ?? 1

  /// Notes what breaks the alternation of shows and hides.
  @MainActor
  private final class Alternation {
    private(set) var shows = 0
    private(set) var breaks = 0
    private var isShown = false

    init(of indicator: some LoadingIndicator) {
      indicator.onShown = { self.note(true, indicator.isVisible) }
      indicator.onHidden = { self.note(false, indicator.isVisible) }
    }

    private func note(_ isShown: Bool, _ isVisible: Bool) {
      if isShown == self.isShown { breaks += 1 }
      self.isShown = isShown
      if isShown { shows += 1 }
    }
  }

  /// Pushes and pops from 64 tasks, with pauses and other work in between.
  private func hurry(_ network: NetworkActivityIndicator, pairs: Int) async {
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
            // Bounds the queue, which drops what is too much.
            if pair.isMultiple(of: 50) { try? await network.loads.flush() }
          }
        }
      }
    }
  }

  /// Lets the main actor hear of everything.
  private func drained(_ network: NetworkActivityIndicator) async {
    for _ in 0..<1000 where network.isVisible { await Task.yield() }
  }

  @Test("64 tasks push and pop 10,000 times each: ends at 0, nothing unmatched, shows and hides alternate")
  func manyTasks() async throws {
    var options = Bench.options(ManualClock())
    options.clock = BootClock()
    options.deadline = .seconds(300)
    let loads = LoadingController.inMemory(options: options)
    let network = NetworkActivityIndicator(loads)
    let alternation = Alternation(of: network)
    let pairs = 10_000 / Self.share
    await hurry(network, pairs: pairs)
    await drained(network)
    #expect(loads.count(of: "network") == 0 && network.count == 0 && !network.isVisible)
    try await loads.flush()
    let status = try await loads.status()
    let numbers = try #require(status.feeds.first).numbers
    #expect(numbers.ended == 64 * pairs && numbers.running == 0 && numbers.unbalanced.total == 0)
    #expect(alternation.shows > 0 && alternation.breaks == 0)
  }

  @Test("what many tasks were seen to load is kept with their loads")
  func seenTime() async throws {
    var options = Bench.options(ManualClock())
    options.clock = BootClock()
    options.deadline = .seconds(300)
    let loads = LoadingController.inMemory(options: options)
    let network = NetworkActivityIndicator(loads)
    await hurry(network, pairs: 200)
    await drained(network)
    try await loads.flush()
    let seen = try await loads.history().loads.reduce(into: 0) { $0 += $1.visibleTime ?? 0 }
    #expect(seen > 0 && .nanoseconds(seen) == network.visibleTime)
  }

  @Test(
    "15: finish before start from racing threads (200,000 trials): depth never below 0, indicator off at the end"
  )
  func racingPairs() async throws {
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
      // Bounds the queue, which drops what is too much.
      try await loads.flush()
    }
    await drained(network)
    #expect(!network.isVisible && network.depth == 0)
    let numbers = try #require(try await loads.status().feeds.first).numbers
    #expect(numbers.loads == rounds * 2000 && numbers.succeeded == rounds * 2000)
    #expect(try await loads.unbalanced().isEmpty)
    try await loads.close()
    #expect(await least.value == 0)
  }

  @Test("indicators come and go while others push")
  func comingAndGoing() async throws {
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

  @Test("finishes from any thread end a pull's load once")
  func finishes() async throws {
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
