import Foundation
public import LoadLogCore
import Testing
import XCTest

/// Fails the test, at the line that leaked, for each load that is still open and for everything unbalanced in
/// the record.
///
///     let loads = LoadingController.inMemory()
///     try await MyDownloader(loads).run()
///     await expectBalanced(loads)               // fails at MyDownloader.swift:88: pushed here, never popped
///
/// Open loads are those that the controller's process started. Unfinished starts and unmatched finishes count unless they
/// were acknowledged, so give each test a store of its own. Waits until everything recorded is durable, and fails the test,
/// too, if a call that returns no error was refused: the record lacks it.
///
/// Call it before `close()`, which ends what is open: that counts as balanced then.
///
/// Works in Swift Testing and in XCTest. XCTest can report only at a line of the caller's: there the message
/// names the line that leaked.
///
/// - Parameters:
///   - loads: the controller that the tested code used.
///   - fileID: the caller's file. Reports go to the caller's line if the line that leaked is not one of
///     Swift.
///   - filePath: the caller's file. Files beside it are named by their path, too.
///   - line: the caller's line.
///   - column: the caller's column.
public func expectBalanced(
  _ loads: LoadingController, fileID: String = #fileID, filePath: StaticString = #filePath,
  line: Int = #line, column: Int = #column
) async {
  let reporter = LeakReporter(
    location: SourceLocation(fileID: fileID, filePath: "\(filePath)", line: line, column: column),
    filePath: filePath)
  do throws(LoadLogError) {
    try await loads.flush()
    if let refusal = loads.refusal {
      reporter.fail("a call was refused, so the record lacks it: \(refusal)", at: reporter.location)
    }
    let here = loads.owner.process.pid
    let open = try await loads.history(LoadFilter(states: [.running, .unknown])).loads
    for load in open.reversed() where load.owner.owner.process.pid == here && load.owner.closed == nil {
      let likely = load.isAnonymous ? "likely pushed here, not popped" : "started here, not finished"
      reporter.report("\(load.feed): \(likely); it is still open (\(load.id.tail))", at: load.callSite)
    }
    for row in try await loads.unbalanced().reversed() where row.acknowledgement == nil {
      reporter.report(text(of: row), at: row.callSite)
    }
  } catch  where error.code == .closed {
    reporter.fail(
      "closing ends what is open, so expectBalanced must come before close(): \(error)", at: reporter.location
    )
  } catch {
    reporter.fail("the record could not be read: \(error)", at: reporter.location)
  }
}

private func text(of row: Imbalance) -> String {
  let feed = row.feed?.name ?? "unknown feed"
  let what =
    switch row.kind {
    case .unfinishedStart: row.isLikely ? "likely pushed here, never popped" : "started here, never finished"
    case .unmatchedFinish(.extraPop): "popped here, never pushed"
    case .unmatchedFinish(.duplicateFinish): "finished here a second time"
    case .unmatchedFinish(.orphanFinish): "finished here, never started"
    case .unmatchedFinish(.popAfterReset), .unmatchedFinish(.withdrawn): "balanced"
    }
  return "\(feed): \(what); \(row.kind.word), \(row.evidence)"
}

/// Reports to the test library that runs the test.
private struct LeakReporter {
  let location: SourceLocation
  let filePath: StaticString

  func report(_ text: String, at callSite: String?) {
    guard let callSite else { return fail("\(text), at an unknown line", at: location) }
    guard let leak = sourceLocation(of: CallSite(callSite)) else {
      return fail("\(text), at \(VisibleText.line(callSite))", at: location)
    }
    fail(text, at: leak)
  }

  /// Without a current test of Swift Testing, an XCTest may run, or a task that has left its test of Swift
  /// Testing. The library that runs no test ignores the call.
  func fail(_ text: String, at place: SourceLocation) {
    Issue.record(Comment(rawValue: text), sourceLocation: place)
    guard Test.current == nil else { return }
    XCTFail(
      place == location ? text : "\(place.fileID):\(place.line): \(text)", file: filePath,
      line: UInt(location.line))
  }

  /// A file's id is its module and its name; anything else did not come from Swift.
  private func sourceLocation(of site: CallSite) -> SourceLocation? {
    guard let line = site.line, line > 0, site.file.split(separator: "/").count == 2,
      !site.file.hasPrefix("/")
    else { return nil }
    let sibling = URL(fileURLWithPath: "\(location.filePath)").deletingLastPathComponent()
      .appendingPathComponent(URL(fileURLWithPath: site.file).lastPathComponent).path
    let path = FileManager.default.fileExists(atPath: sibling) ? sibling : site.file
    return SourceLocation(fileID: site.file, filePath: path, line: line, column: 1)
  }
}
