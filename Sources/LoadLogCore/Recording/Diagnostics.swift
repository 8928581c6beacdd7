import Logging
import Metrics

/// Reports the outcome of events to swift-log and swift-metrics. Messages and reasons of loads appear in neither.
struct Diagnostics: Sendable {
  private let logger: Logger
  private let commits = Metrics.Timer(label: "loadlog_commit_latency")
  private let meters: LoadMeters

  init(_ options: LoadingController.Options) {
    logger = options.logger
    meters = LoadMeters(byFeed: options.labelsMetricsByFeed)
  }

  /// Reports a commit.
  ///
  /// - Parameter depth: returns the depth of a feed; for nil, of all feeds together.
  func note(_ events: [NumberedEvent], _ receipts: [Receipt], depth: (Feed?) -> Int) {
    for (item, receipt) in zip(events, receipts) { note(item.event, receipt) }
    meters.noteDepths(of: receipts.lazy.map(\.feed), depth)
  }

  private func note(_ event: LoadEvent, _ receipt: Receipt) {
    let feed = receipt.feed
    switch receipt.outcome {
    case .finished(let state, let isFinishedAfterVerdict):
      let meters = meters[feed]
      if case .abandon(_, let reason) = event.kind {
        meters.unbalanced.increment()
        return warn("load abandoned", feed, event, ["reason": "\(reason.rawValue)"])
      }
      meters.loads.increment()
      if state == .failed { meters.failures.increment() }
      if let duration = receipt.duration { meters.duration.recordNanoseconds(duration) }
      if isFinishedAfterVerdict { warn("a finish came after its load had been given up", feed, event) }
    case .unmatched(let kind):
      meters[feed].unbalanced.increment()
      switch kind {
      case .extraPop: warn("Unbalanced pop of \(name(feed)): count already 0.", feed, event)
      case .duplicateFinish: warn("a load was finished twice", feed, event)
      case .orphanFinish: warn("a load was finished that was never started", feed, event)
      case .popAfterReset, .withdrawn: break
      }
    case .popAfterReset: logger.debug("a pop came after its push was reset", metadata: metadata(feed, event))
    case .recorded:
      guard case .reset = event.kind, let pushes = receipt.count, pushes > 0 else { break }
      meters[feed].unbalanced.increment(by: pushes)
      warn("pushes were abandoned by a reset", feed, event, ["count": "\(pushes)"])
    case .known, .repeated, .overlapping, .nothing: break
    }
  }

  func note(_ error: LoadLogError) {
    logger.warning(
      "recording failed", metadata: ["error": "\(error)", "code": "\(error.code.rawValue)"])
  }

  func noteVerdicts(_ verdicts: [SessionState: Int]) {
    for (state, count) in verdicts {
      meters[nil].unbalanced.increment(by: count)
      logger.warning(
        "loads of dead owners got their verdict",
        metadata: ["state": "\(state.rawValue)", "count": "\(count)"])
    }
  }

  func noteCommit(nanoseconds: Int64) { commits.recordNanoseconds(nanoseconds) }

  private func warn(
    _ message: Logger.Message, _ feed: Feed?, _ event: LoadEvent, _ more: Logger.Metadata = [:]
  ) {
    logger.warning(message, metadata: metadata(feed, event).merging(more) { $1 })
  }

  private func metadata(_ feed: Feed?, _ event: LoadEvent) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["feed": "\(name(feed))"]
    if let site = event.callSite { metadata["call_site"] = "\(VisibleText.line(site.text))" }
    return metadata
  }

  private func name(_ feed: Feed?) -> String { feed.map { VisibleText.line($0.name) } ?? "unknown feed" }
}
