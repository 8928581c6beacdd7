import Foundation
import LoadLog
import LoadLogTestSupport
import Synchronization
import TestProcesses
import Testing

@Suite struct ExpectBalancedTests {
  /// Returns the line, path and text of each issue that `expectBalanced` records for a controller.
  private func issues(
    of loads: LoadingController, line: Int = #line
  ) async -> [(line: Int, path: String, text: String)] {
    let found = Mutex<[(Int, String, String)]>([])
    await withKnownIssue {
      await expectBalanced(loads, line: line)
    } matching: { issue in
      guard let location = issue.sourceLocation else { return false }
      let text = issue.comments.map(\.rawValue).joined()
      found.withLock { $0.append((location.line, "\(location)", text)) }
      return true
    }
    return found.withLock { $0 }
  }

  @Test func aBalancedRecordPasses() async throws {
    let loads = LoadingController.inMemory()
    await expectBalanced(loads)
    await loads.loading("reviews") { await Task.yield() }
    loads.push("network")
    loads.pop("network")
    await expectBalanced(loads)
  }

  @Test func eachImbalanceFailsAtItsLine() async throws {
    let loads = LoadingController.inMemory()
    let line = #line
    let token = try await loads.startLoading("reviews")  // line + 1
    loads.push("network")  // line + 2
    loads.pop("other")  // line + 3
    _ = try await loads.startLoading("dropped")  // line + 4
    loads.finish(id: SessionID())  // line + 5
    let found = await issues(of: loads)
    #expect(found.map { $0.line - line }.sorted() == [1, 2, 3, 4, 5])
    #expect(found.allSatisfy { $0.path.contains("ExpectBalancedTests.swift") })
    let words = found.sorted { $0.line < $1.line }.map(\.text)
    let expected = [
      "reviews: started here, not finished", "network: likely pushed here, not popped",
      "other: popped here, never pushed", "dropped: started here, never finished",
      "unknown feed: finished here",
    ]
    #expect(words.count == expected.count)
    for (text, start) in zip(words, expected) { #expect(text.hasPrefix(start)) }
    try await loads.finishLoading(token)
    loads.pop("network")
    try await loads.acknowledgeAll(by: "the test")
    await expectBalanced(loads)
    try await loads.finishLoading(token)
    #expect(
      await issues(of: loads).map(\.text).first?.hasPrefix("reviews: finished here a second time") == true)
  }

  @Test(arguments: [LoadingController.OwnerChoice.thisProcess, .detached])
  func openLoadsOfASimulatedProcessFail(_ owner: LoadingController.OwnerChoice) async throws {
    var options = LoadingController.Options()
    (options.processes, options.owner) = (ManualProcessTable(), owner)
    let loads = LoadingController.inMemory(options: options)
    loads.push("network")
    let line = #line - 1
    #expect(await issues(of: loads).map(\.line) == [line])
  }

  @Test(arguments: ["/srv/jobs/backup.sh:12", "no line at all", "a/b/c:1", "M/F.swift:0"])
  func aCallSiteOutsideOfSwiftFailsAtTheExpectation(_ callSite: String) async throws {
    let loads = LoadingController.inMemory()
    try await onAThread { try loads.record(.push("network"), callSite: CallSite(callSite)) }
    let found = await issues(of: loads)
    let line = #line - 1
    #expect(found.map(\.line) == [line])
    #expect(found.first?.text.hasSuffix("at \(callSite)") == true)
  }

  @Test func anUnreadableRecordFails() async throws {
    let loads = LoadingController.inMemory()
    try await loads.close()
    let found = await issues(of: loads).map(\.text)
    #expect(found.count == 1 && found[0].contains("must come before close(): "), "\(found)")
  }

  /// A later commit clears the failure, but the record still lacks the call.
  @Test func aRefusedCallFails() async {
    let loads = LoadingController.inMemory()
    loads.push("")
    await loads.loading("reviews") {}
    #expect(loads.failure == nil)
    let found = await issues(of: loads).map(\.text)
    #expect(found.count == 1 && found[0].hasPrefix("a call was refused"), "\(found)")
  }

  #if os(Linux)
    /// The program of these tests runs those of XCTest, too.
    private func runXCTest(_ test: String) throws -> (status: Int32, output: String) {
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let child = try Child(
        [program, "LoadLogTests.LeakUnderXCTest/\(test)"], environment: [LeakUnderXCTest.variable: "1"])
      let output = try child.rest()
      return (child.waitForEnd(), output)
    }

    @Test func aLeakFailsUnderXCTestToo() throws {
      let (status, output) = try runXCTest("testLeak")
      #expect(status != 0)
      let failures = output.split(separator: "\n").filter { $0.contains("error:") }
      #expect(failures.count == 1)
      #expect(
        failures.first?.contains("LeakUnderXCTest.swift:\(LeakUnderXCTest.lineOfCheck): error:") == true)
      let leak =
        "LeakUnderXCTest.swift:\(LeakUnderXCTest.lineOfLeak): network: likely pushed here, not popped"
      #expect(failures.first?.contains(leak) == true)
    }

    @Test func aBalancedRecordIsFineUnderXCTestToo() throws {
      let (status, output) = try runXCTest("testNoLeak")
      #expect(status == 0 && output.contains("Executed 1 test, with 0 failures"))
    }
  #endif
}
