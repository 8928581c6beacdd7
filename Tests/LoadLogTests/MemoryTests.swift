import Foundation
import LoadLog
import LoadLogTestSupport
import Synchronization
import Testing

/// Recording in memory: when a store in a file is replaced by one, for how long, and what it keeps.
@Suite(.timeLimit(.minutes(10))) struct MemoryTests {
  @Test func aBusyStoreIsNoReasonToRecordInMemory() async throws {
    let (place, clock) = (try TemporaryStore(), ManualClock())
    var options = LoadingController.Options()
    options.clock = clock
    options.logger = CapturedLog(keeping: place).logger
    let isBusy = Atomic(true)
    let store = LoadStoreProvider.sqlite(at: place.url, clock: clock).wrapping { store throws(LoadLogError) in
      guard isBusy.load(ordering: .relaxed) else { return store }
      store.close(finally: false)
      throw LoadLogError(.busy, what: "store", why: "another process keeps it locked")
    }
    let loads = LoadingController(store: store, fallback: .inMemory(), options: options)
    let error = await #expect(throws: LoadLogError.self) { _ = try await loads.startLoading("refused") }
    #expect(error?.code == .busy && loads.failure?.code == .busy)
    loads.push("network")
    isBusy.store(false, ordering: .relaxed)
    try await loads.flush()
    #expect(loads.failure == nil)
    try await loads.close()
    let other = try LoadingController(storeAt: place.url, options: options)
    #expect(try await other.allLoads().map(\.feed) == ["network"])
    try await other.close()
  }

  @Test func closingAndReopeningTriesTheFileAgain() async throws {
    let bench = try Bench.withoutStore { $0.onOpenFailure = .recordInMemory }
    let loads = bench.loads
    await loads.loading("lost") { await Task.yield() }
    #expect(loads.failure?.code == .storeUnusable)
    #expect(try await loads.lastUpdated("lost") != nil)
    try bench.repair()
    try await loads.close()
    loads.reopen()
    await loads.loading("kept") { await Task.yield() }
    #expect(loads.failure == nil && bench.files.contains("loadlog.db"))
    #expect(try await loads.allLoads().map(\.feed) == ["kept"])
    try await loads.close()
  }

  @Test(arguments: [true, false])
  func oldLoadsAreForgottenThereToo(replacesAFile: Bool) async throws {
    let bench = try Bench.withoutStore {
      ($0.onOpenFailure, $0.retention) = (.recordInMemory, .seconds(86_400))
    }
    var options = LoadingController.Options()
    (options.clock, options.retention) = (bench.clock, .seconds(86_400))
    let loads = replacesAFile ? bench.loads : .inMemory(options: options)
    func load() async { await loads.loading("reviews") { await Task.yield() } }
    for _ in 0..<5 { await load() }
    await bench.clock.advance(by: .seconds(10 * 86_400))
    await load()
    func kept() async throws -> Int {
      try await loads.history(LoadFilter(feeds: ["reviews"])).loads.count
    }
    // They are deleted after a commit, when no question is being answered, and looked for once an hour.
    for _ in 0..<1000 {
      guard try await kept() > 1 else { break }
      await bench.clock.advance(by: .seconds(3600))
      loads.push("network")
      await Task.yield()
    }
    #expect(try await kept() == 1)
    #expect(try await loads.numbers(of: "reviews")?.succeeded == 6)
    try await loads.close()
  }
}
