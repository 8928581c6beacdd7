import Foundation
import LoadLog
@testable import LoadLogCLI
import LoadLogPresentation
import LoadLogTestSupport
import Testing

/// The demo's loads, and the state that it leaves behind.
@MainActor @Suite struct DemoTests {
  private let place: TemporaryStore
  private let demo: Demo

  init() throws {
    place = try TemporaryStore()
    let loads = try StoreOptions.controller(at: place.path, for: .thisProcess)
    demo = Demo(loads, stage: DemoStage(screen: nil) { _ in }, speed: 50)
  }

  @Test func theRecordHasEachLoadWithItsCallSite() async throws {
    try await demo.walk()
    try await demo.loads.close()
    let record = try SQLiteLoadReader(at: place.path)
    let loads = try record.history(LoadFilter()).loads
    #expect(loads.count == 10)
    #expect(loads.allSatisfy { $0.callSite?.hasPrefix("LoadLogCLI/Demo+") == true })
    let imbalances = try record.unbalanced(LoadFilter())
    #expect(imbalances.map(\.kind) == [.unmatchedFinish(.extraPop)])
    #expect(imbalances.first?.callSite?.hasPrefix("LoadLogCLI/Demo+Network.swift:") == true)
  }

  @Test func nothingIsLeftOnTheScreen() async throws {
    try await demo.walk()
    #expect(!demo.network.isVisible && !demo.overlay.isVisible && !demo.views.isVisible)
    #expect(demo.veil.visibility.phase == .hiding || !demo.veil.isVisible)
    #expect(demo.pull.state == .pulling && demo.pull.inset == 0)
    #expect(demo.pull.lastUpdated == (try await demo.loads.lastUpdated("demo/reviews")))
  }

  @Test func aDemoThatEndsEarlyLeavesNoLoadOpenOrUnfinished() async throws {
    let stage = DemoStage(screen: nil) { if $0.contains("pop when") { throw OutputError(number: EPIPE) } }
    let demo = Demo(demo.loads, stage: stage, speed: 50)
    await #expect(throws: OutputError.self) { try await demo.walk() }
    #expect(demo.network.count == 3)
    try await demo.loads.close()
    let record = try SQLiteLoadReader(at: place.path)
    let loads = try record.history(LoadFilter()).loads
    #expect(loads.map(\.state) == [.cancelled, .cancelled, .cancelled])
    #expect(loads.allSatisfy { $0.reason == "quit" })
    #expect(try record.unbalanced(LoadFilter()).isEmpty)
  }
}
