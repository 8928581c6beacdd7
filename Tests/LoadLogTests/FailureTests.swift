import Foundation
import LoadLog
import LoadLogTestSupport
import Observation
import Synchronization
import Testing

/// When `failure` is set and cleared, and what observers see of it.
@Suite(.timeLimit(.minutes(10))) struct FailureTests {
  @Test func theNextGoodCommitClearsARefusal() async throws {
    let loads = try Bench().loads
    loads.push("not\na name")
    #expect(loads.failure?.code == .invalidInput)
    try await loads.finishLoading(try await loads.startLoading("reviews"))
    #expect(loads.failure == nil)
  }

  @Test func aQuestionClearsNoRefusal() async throws {
    let loads = try Bench().loads
    loads.push("not\na name")
    _ = try await loads.status()
    #expect(loads.failure?.code == .invalidInput)
    try await loads.close()
  }

  /// An app that only asks would never commit.
  @Test func aQuestionThatOpensTheStoreClearsTheErrorOfOpeningIt() async throws {
    let bench = try Bench.withoutStore()
    await #expect(throws: LoadLogError.self) { try await bench.loads.status() }
    #expect(bench.loads.failure?.code == .storeUnusable)
    try bench.repair()
    _ = try await bench.loads.status()
    #expect(bench.loads.failure == nil)
    try await bench.loads.close()
  }

  @Test func reopeningClearsARefusal() async throws {
    let loads = try Bench().loads
    try await loads.close()
    loads.push("network")
    #expect(loads.failure?.code == .closed)
    loads.reopen()
    #expect(loads.failure == nil)
    try await loads.close()
  }

  @Test func recordingInMemoryStaysAFailure() async throws {
    let bench = try Bench { $0.onOpenFailure = .recordInMemory }
    try FileManager.default.createDirectory(at: bench.place.url, withIntermediateDirectories: true)
    let loads = bench.loads
    await loads.loading("reviews") { await Task.yield() }
    loads.push("not\na name")
    #expect(loads.failure?.code == .invalidInput)
    try await loads.finishLoading(try await loads.startLoading("reviews"))
    #expect(loads.failure?.code == .storeUnusable)
    try await loads.close()
  }

  /// Observes as the documentation says.
  @MainActor private final class Banner {
    let loads: LoadingController
    var value: String?
    var changes = 0

    init(_ loads: LoadingController) { self.loads = loads }

    func showFailure() {
      withObservationTracking {
        value = loads.failure?.value
        changes += 1
      } onChange: {
        Task { @MainActor in self.showFailure() }
      }
    }
  }

  @Test func anObserverSeesTheLastOfRacingChanges() async throws {
    let loads = try Bench().loads
    let banner = await Banner(loads)
    await banner.showFailure()
    var missed = 0
    for round in 0..<3000 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for thread in 0..<2 { group.addTask { loads.push(Feed("bad\nname \(round) \(thread)")) } }
        if round % 3 == 0 { group.addTask { try await loads.flush() } }
        try await group.waitForAll()
      }
      // The main actor takes turns in order: first come the notifications, then the observer's next reading.
      for _ in 0..<2 { await Task { @MainActor in }.value }
      if await banner.value != loads.failure?.value { missed += 1 }
    }
    #expect(missed == 0)
    // Each round changes it at most twice by a push, and every third once by a flush.
    #expect(await (3001...7001).contains(banner.changes))
  }
}
