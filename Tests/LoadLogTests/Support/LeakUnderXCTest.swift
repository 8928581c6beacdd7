import Foundation
import LoadLog
import LoadLogTestSupport
import XCTest

/// A test that leaks a load; ``ExpectBalancedTests`` runs it in a process of its own.
final class LeakUnderXCTest: XCTestCase {
  static let variable = "LOADLOG_LEAK_UNDER_XCTEST"
  static let lineOfLeak = 15
  static let lineOfCheck = 16

  func testLeak() async throws {
    try XCTSkipIf(ProcessInfo.processInfo.environment[Self.variable] == nil, "leaks on purpose")
    let loads = LoadingController.inMemory()
    loads.push("network")
    await expectBalanced(loads)
  }

  func testNoLeak() async throws {
    let loads = LoadingController.inMemory()
    loads.push("network")
    loads.pop("network")
    await expectBalanced(loads)
  }
}
