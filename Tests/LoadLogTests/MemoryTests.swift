import Foundation
import LoadLog
import LoadLogTestSupport
import Testing

/// Recording in memory: when a store in a file is replaced by one, for how long, and what it keeps.
@Suite(.timeLimit(.minutes(10))) struct MemoryTests {
  /// Creates a controller whose store path is a folder.
  private func benchWithoutStore(
    _ change: (inout LoadingController.Options) -> Void = { _ in }
  ) throws -> Bench {
    let bench = try Bench {
      $0.onOpenFailure = .recordInMemory
      change(&$0)
    }
    try FileManager.default.createDirectory(at: bench.place.url, withIntermediateDirectories: true)
    return bench
  }

  @Test func closingAndReopeningTriesTheFileAgain() async throws {
    let bench = try benchWithoutStore()
    let loads = bench.loads
    await loads.loading("lost") { await Task.yield() }
    #expect(loads.failure?.code == .storeUnusable)
    #expect(try await loads.lastUpdated("lost") != nil)
    try FileManager.default.removeItem(at: bench.place.url)
    try await loads.close()
    loads.reopen()
    await loads.loading("kept") { await Task.yield() }
    #expect(loads.failure == nil && bench.files.contains("loadlog.db"))
    #expect(try await loads.allLoads().map(\.feed) == ["kept"])
    try await loads.close()
  }

  @Test(arguments: [true, false])
  func oldLoadsAreForgottenThereToo(replacesAFile: Bool) async throws {
    let bench = try benchWithoutStore { $0.retention = .seconds(86_400) }
    var options = LoadingController.Options()
    (options.clock, options.retention) = (bench.clock, .seconds(86_400))
    let loads = replacesAFile ? bench.loads : .inMemory(options: options)
    func load() async { await loads.loading("reviews") { await Task.yield() } }
    for _ in 0..<5 { await load() }
    await bench.clock.advance(by: .seconds(10 * 86_400))
    await load()
    // They are deleted after a commit, when no question is being answered, and looked for once an hour.
    while try await loads.history(LoadFilter(feeds: ["reviews"])).loads.count > 1 {
      try Task.checkCancellation()
      await bench.clock.advance(by: .seconds(3600))
      loads.push("network")
      await Task.yield()
    }
    #expect(try await loads.numbers(of: "reviews")?.succeeded == 6)
    try await loads.close()
  }
}
