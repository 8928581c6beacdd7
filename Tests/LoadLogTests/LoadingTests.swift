import Foundation
import LoadLog
import LoadLogTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct LoadingTests {
  @Test func recordsTheStartBeforeTheWorkAndTheFinishAfterIt() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let value = await loads.loading("reviews", message: "Loading…", tag: "t") {
      let load = try? await loads.onlyLoad()
      #expect(load?.state == .running && load?.message == "Loading…" && load?.tag == "t")
      #expect(loads.depth(of: "reviews") == 1)
      await bench.clock.advance(by: .seconds(2))
      return 42
    }
    #expect(value == 42)
    let load = try #require(try await loads.onlyLoad())
    #expect(load.state == .succeeded && load.duration == 2_000_000_000 && !load.isAnonymous)
    #expect(load.callSite == "LoadLogTests/LoadingTests.swift:10")
    #expect(loads.depth(of: "reviews") == 0 && loads.failure == nil)
    #expect(try await loads.lastUpdated("reviews") == bench.clock.now().date)
  }

  @Test func preservesTheErrorTypeOfTheWork() async throws {
    let loads = try Bench().loads
    do {
      try await loads.loading("reviews") { () async throws(Broken) in throw Broken() }
    } catch {
      let typed: Broken = error
      #expect(typed == Broken())
    }
    let load = try #require(try await loads.onlyLoad())
    #expect(load.state == .failed && load.reason == "Broken()")
    // `loading` with work that cannot throw compiles without `try`.
    let value = await loads.loading("reviews") {
      await Task.yield()
      return 1
    }
    #expect(value == 1)
  }

  @Test func theAsyncFormDoesNotBlockTheCallingThread() async throws {
    let bench = try Bench()
    let loads = bench.loads
    _ = try await loads.startLoading("network")
    let gate = try StoreGate(path: bench.place.path + "-gate", mode: 0o600)
    try gate.lock()
    // The work is synchronous, so `await` compiles only if this selects the asynchronous form.
    let work = Task { @MainActor in await loads.loading("reviews") { 7 } }
    // If the call above blocked the main thread, this task could not run and the gate would stay locked.
    await Task { @MainActor in await Task.yield() }.value
    gate.unlock()
    #expect(await work.value == 7)
    #expect(loads.failure == nil)
    #expect(try await loads.history(LoadFilter(feeds: ["reviews"])).loads.map(\.state) == [.succeeded])
  }

  @Test func theSynchronousFormBlocks() async throws {
    let bench = try Bench()
    let loads = bench.loads
    try await onAThread {
      #expect(loads.loading("reviews", verdict: { _ in .unchanged }) { 7 } == 7)
      #expect(brokenWork(loads) == Broken())
      #expect(throws: CancellationError.self) { try loads.loading("reviews") { throw CancellationError() } }
    }
    #expect(try await loads.lastUpdated("reviews") == bench.clock.now().date)
    #expect(try await loads.allLoads().map(\.state) == [.unchanged, .failed, .cancelled])
    try await onAThread {
      let (date, page) = (try loads.lastUpdated("reviews"), try loads.ask { try $0.history(LoadFilter()) })
      #expect(date == bench.clock.now().date && page.total == 3)
    }
  }

  private func brokenWork(_ loads: LoadingController) -> Broken? {
    do throws(Broken) {
      try loads.loading("reviews") { () throws(Broken) in throw Broken() }
      return nil
    } catch {
      return error
    }
  }

  @Test func aCancelledTaskCancelsItsLoad() async throws {
    let loads = try Bench().loads
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await loads.loading("reviews") {
        start.yield()
        // Ends only when it is cancelled.
        for await _ in AsyncStream<Void>(unfolding: { nil }) {}
        while !Task.isCancelled { await Task.yield() }
        throw Broken()
      }
    }
    for await _ in started { break }
    task.cancel()
    await #expect(throws: Broken.self) { try await task.value }
    #expect(try await loads.onlyLoad()?.state == .cancelled)
    // A task that was cancelled before its load started records the load, too.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await loads.loading("reviews") {
        await Task.yield()
        return 5
      }
    }
    #expect(await late.value == 5)
    #expect(try await loads.allLoads().map(\.state) == [.cancelled, .succeeded])
  }

  @Test(arguments: [
    (Verdict.succeeded("3 new"), SessionState.succeeded), (.unchanged, .unchanged),
    (.failed("empty"), .failed),
    (.cancelled("user"), .cancelled), (.ended, .ended),
  ])
  func theClosureDecidesTheVerdict(verdict: Verdict, state: SessionState) async throws {
    let loads = try Bench().loads
    _ = await loads.loading("reviews", verdict: { $0 == 42 ? verdict : .failed("?") }) {
      await Task.yield()
      return 42
    }
    let load = try #require(try await loads.onlyLoad())
    #expect(load.state == state && load.reason == verdict.reason)
  }

  @MainActor @Test func theWorkRunsOnTheCallersActor() async throws {
    let loads = try Bench().loads
    var count = 0
    await loads.loading("reviews") {
      await Task.yield()
      MainActor.assertIsolated()
      count += 1
    }
    #expect(count == 1)
  }

  @Test func recordsTheLoadsOf64ConcurrentTasks() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<64 {
        group.addTask {
          await loads.loading(Feed("feed \(number % 4)")) {
            await Task.yield()
            return number
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(sum == 63 * 32)
    let status = try await loads.status()
    #expect(status.feeds.map(\.numbers.succeeded) == [16, 16, 16, 16])
    #expect(status.totals.unbalanced.total == 0 && status.totals.loads == 64)
  }
}

/// Runs blocking work on a thread outside of the cooperative pool.
func onAThread(_ work: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
  }
}
