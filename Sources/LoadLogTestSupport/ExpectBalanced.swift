import Foundation
public import LoadLogCore
public import Testing

/// Makes the test fail, at the line that leaked, for each load that is still open and for everything
/// unbalanced in the record.
///
///     let loads = LoadingController.inMemory()
///     try await MyDownloader(loads).run()
///     await expectBalanced(loads)               // fails at MyDownloader.swift:88: pushed here, never popped
///
/// Open loads are those that this process started; of the unfinished starts and unmatched finishes all count
/// that nobody has acknowledged, so give each test a store of its own. Waits until all is durable.
///
/// - Parameters:
///   - loads: the controller that the tested code used.
///   - location: where to report what has no line of Swift of its own. Also tells where sources lie: a
///     file beside the caller's is named by its path.
public func expectBalanced(
  _ loads: LoadingController, sourceLocation location: SourceLocation = #_sourceLocation
) async {
  do throws(LoadLogError) {
    try await loads.flush()
    let here = ProcessInfo.processInfo.processIdentifier
    let open = try await loads.history(LoadFilter(states: [.running, .unknown])).loads
    for load in open.reversed() where load.owner.owner.process.pid == here && load.owner.closed == nil {
      let likely = load.isAnonymous ? "likely pushed here, not popped" : "started here, not finished"
      record("\(load.feed): \(likely); it is still open (\(load.id.tail))", at: load.callSite, location)
    }
    for row in try await loads.unbalanced().reversed() where row.acknowledgement == nil {
      record(text(of: row), at: row.callSite, location)
    }
  } catch {
    Issue.record(error, "the record could not be read", sourceLocation: location)
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

private func record(_ text: String, at callSite: String?, _ location: SourceLocation) {
  guard let callSite else {
    Issue.record("\(text), at an unknown line", sourceLocation: location)
    return
  }
  let site = CallSite(callSite)
  // A file's id is its module and its name; anything else did not come from Swift.
  guard let line = site.line, line > 0, site.file.split(separator: "/").count == 2, !site.file.hasPrefix("/")
  else {
    Issue.record("\(text), at \(VisibleText.line(callSite))", sourceLocation: location)
    return
  }
  let sibling = URL(fileURLWithPath: "\(location.filePath)").deletingLastPathComponent()
    .appendingPathComponent(URL(fileURLWithPath: site.file).lastPathComponent).path
  let path = FileManager.default.fileExists(atPath: sibling) ? sibling : site.file
  Issue.record(
    Comment(rawValue: text),
    sourceLocation: SourceLocation(fileID: site.file, filePath: path, line: line, column: 1))
}
