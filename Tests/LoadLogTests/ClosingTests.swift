import Foundation
import LoadLog
import LoadLogTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClosingTests {
  @Test func closingCancelsOpenLoads() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let token = try await loads.startLoading("reviews")
    loads.push("network")
    await bench.clock.advance(by: .seconds(3))
    try await loads.close()
    #expect(loads.count(of: "network") == 0 && loads.depth(of: "reviews") == 0)
    let all = try await (try bench.another()).allLoads()
    #expect(all.map(\.state) == [.cancelled, .cancelled] && all.allSatisfy { $0.reason == "quit" })
    #expect(all.allSatisfy { $0.duration == 3_000_000_000 && $0.owner.closed == bench.clock.now().wall })
    withExtendedLifetime(token) {}
  }

  @Test func closingReleasesTheLockAndKeepsTheLog() async throws {
    let bench = try Bench()
    bench.loads.push("network")
    try await bench.loads.flush()
    #expect(bench.files.contains { $0.contains("-owner-") })
    try await bench.loads.close()
    #expect(!bench.files.contains { $0.contains("-owner-") })
    #expect(bench.files.contains("loadlog.db-wal"))
  }

  /// A store is slow to open if its log is long, because SQLite reads all of it.
  @Test func manyShortLivedControllersLeaveAShortLog() async throws {
    let bench = try Bench()
    for _ in 0..<40 {
      let loads = try bench.another()
      await loads.loading("reviews") { await Task.yield() }
      try await loads.close()
      let size = try FileManager.default.attributesOfItem(atPath: bench.place.url.path + "-wal")[.size]
      #expect(try #require(size as? Int) < 1_000_000)
    }
    #expect(try await (try bench.another()).history().total == 40)
  }

  #if os(Linux)
    @Test(arguments: [LoadingController.OwnerChoice.thisProcess, .detached])
    func theStoreIsClosedWhenCloseReturns(owner: LoadingController.OwnerChoice) async throws {
      // The writer can close the store in time by chance, but not ten times with a long log to checkpoint.
      for _ in 0..<10 {
        let bench = try Bench { $0.owner = owner }
        for number in 0..<500 { bench.loads.push(Feed("feed \(number)")) }
        try await bench.loads.flush()
        try await bench.loads.close()
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
          .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
        #expect(!open.contains(bench.place.path + "-wal"))
      }
    }
  #endif

  @Test func aControllerThatRecordsNothingCreatesNoStore() async throws {
    let bench = try Bench()
    _ = bench.loads.changes(of: "a")
    try await bench.loads.flush()
    try await bench.loads.close()
    #expect(bench.files == [])
    let second = try Bench()
    try await onAThread { try second.loads.close() }
    #expect(second.files == [])
  }

  @Test func aClosedControllerThrowsUntilItIsReopened() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let old = try await loads.startLoading("reviews")
    try await loads.close()
    try await loads.close()
    func refused(_ work: () async throws -> Void) async {
      let error = await #expect(throws: LoadLogError.self) { try await work() }
      #expect(error?.code == .closed)
    }
    await refused { _ = try await loads.startLoading("reviews") }
    await refused { _ = try await loads.lastUpdated("reviews") }
    await refused { try await loads.finishLoading(old) }
    await refused { try await loads.acknowledgeAll(by: "me") }
    await refused { try await loads.flush() }
    #expect(loads.failure == nil)
    loads.push("network")
    #expect(loads.failure?.code == .closed)
    #expect(loads.count(of: "network") == 0, "dropped events are not counted")
    #expect(
      await loads.loading("reviews") {
        await Task.yield(); return 1
      } == 1)
    loads.reopen()
    loads.reopen()
    loads.push("network")
    #expect(loads.count(of: "network") == 1)
    let all = try await loads.allLoads()
    #expect(all.map(\.state) == [.cancelled, .running])
    #expect(Set(all.map(\.owner.owner.lock?.name)).count == 2)
    try await loads.close()
  }

  @Test func aDeallocatedControllerClosesItsOwner() async throws {
    let bench = try Bench()
    var other: LoadingController? = try bench.another()
    let changes = try #require(other).changes(of: "a")
    other?.push("a")
    try await other?.flush()
    other = nil
    for await _ in changes {}
    // The writer closes the store in the background: wait until the lock is released.
    while bench.files.contains(where: { $0.contains("-owner-") }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    let load = try #require(try await bench.loads.onlyLoad())
    #expect(load.state == .cancelled && load.reason == "quit")
  }

  /// What happens to the downloads of an app that is sent to the background, and comes back.
  @Test func aLoadThatClosingCancelledIsNoFailureOfTheNextOwner() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let token = try await loads.startLoading("reviews")
    await loads.loading("news") {
      try? await loads.close()
      loads.reopen()
    }
    #expect(loads.failure == nil)
    try await onAThread {
      loads.loading("sport") {
        try? loads.close()
        loads.reopen()
      }
    }
    #expect(loads.failure == nil)
    loads.update(token, message: "Parsing…")
    #expect(loads.failure == nil)
    let error = await #expect(throws: LoadLogError.self) { try await loads.finishLoading(token) }
    #expect(error?.code == .closed && loads.failure == nil && bench.log.messages.isEmpty)
    let all = try await loads.allLoads()
    #expect(all.map(\.state) == [.cancelled, .cancelled, .cancelled])
  }

  @Test func theEndOfALoadOfAnotherProcessIsLostByClosing() async throws {
    let bench = try Bench { $0.owner = .detached }
    let loads = bench.loads
    await loads.loading("news") {
      try? await loads.close()
      loads.reopen()
    }
    #expect(loads.failure?.code == .closed)
    #expect(try await loads.onlyLoad()?.state == .running)
  }

  @Test func anUpdateOfALoadOfAnotherProcessIsLostByClosing() async throws {
    let loads = try Bench { $0.owner = .detached }.loads
    let token = try await loads.startLoading("news")
    try await loads.close()
    loads.reopen()
    #expect(loads.failure == nil)
    loads.update(token, message: "Parsing…")
    #expect(loads.failure?.code == .closed)
    #expect(try await loads.onlyLoad()?.state == .running)
  }

  @Test func changesEndWithTheController() async throws {
    let loads = try Bench().loads
    let changes = loads.changes(of: "a")
    let listener = Task {
      var kinds: [LoadingChange.Kind] = []
      for await change in changes { kinds.append(change.kind) }
      return kinds
    }
    loads.push("a")
    try await loads.close()
    #expect(await listener.value == [.listening, .pushed])
  }

  @Test func aListenerReceivesTheChangesOfEachOwnerUntilItIsReleased() async throws {
    let loads = try Bench().loads
    let received = Mutex<[LoadingChange.Kind?]>([])
    func listen() -> LoadingListener {
      loads.listen(to: "a") { change in received.withLock { $0.append(change?.kind) } }
    }
    var listener = Optional(listen())
    loads.push("a")
    try await loads.close()
    loads.reopen()
    loads.push("a")
    #expect(received.withLock { $0 } == [.listening, .pushed, nil, .listening, .pushed])
    withExtendedLifetime(listener) {}
    listener = nil
    loads.push("a")
    try await loads.close()
    received.withLock { $0 = [] }
    listener = listen()
    #expect(received.withLock { $0 } == [.listening, nil], "it is closed")
    loads.reopen()
    loads.push("a")
    #expect(received.withLock { $0 } == [.listening, nil, .listening, .pushed])
    withExtendedLifetime(listener) {}
  }

  @Test func theSynchronousFormBlocks() async throws {
    let bench = try Bench()
    let loads = bench.loads
    try await onAThread {
      let token = try loads.startLoading("reviews")
      try loads.finishLoading(token, .unchanged)
      loads.push("network")
      try loads.flush()
      let (page, date) = (try loads.ask { try $0.history(LoadFilter()) }, try loads.lastUpdated("reviews"))
      #expect(page.total == 2 && date == bench.clock.now().date)
      try loads.close()
    }
    #expect(try await (try bench.another()).allLoads().map(\.state) == [.unchanged, .cancelled])
  }

  /// Closing a connection while another thread reads with it would crash the process.
  @Test func readsCanRaceWithClosing() async throws {
    let bench = try Bench()
    let loads = bench.loads
    loads.push("a")
    try await loads.flush()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          while !Task.isCancelled {
            _ = try? await loads.lastUpdated("a")
            await Task.yield()
          }
        }
      }
      for _ in 0..<60 {
        try? await loads.close()
        loads.reopen()
        loads.push("a")
      }
      group.cancelAll()
    }
    #expect(try await loads.history().total == 61)
  }
}
