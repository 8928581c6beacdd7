import Logging
import Metrics

/// Tells swift-log and swift-metrics what became of events. Messages and reasons of loads stay out of both.
struct Journal: Sendable {
  private let logger: Logger
  private let labelsByFeed: Bool
  private let commits = Metrics.Timer(label: "loadlog_commit_latency")

  init(_ options: LoadingController.Options) {
    logger = options.logger
    labelsByFeed = options.labelsMetricsByFeed
  }

  func note(_ event: LoadEvent, _ receipt: Receipt, depth: (Feed?) -> Int) {
    let feed = receipt.feed
    switch receipt.outcome {
    case .finished(let state, let isLate):
      count("loadlog_loads", feed)
      if state == .failed { count("loadlog_failures", feed) }
      if let duration = receipt.duration {
        Metrics.Timer(label: "loadlog_duration", dimensions: dimensions(feed)).recordNanoseconds(duration)
      }
      if case .abandon(_, let reason) = event.kind {
        count("loadlog_unbalanced", feed)
        warn("load abandoned", feed, event, ["reason": "\(reason.rawValue)"])
      } else if isLate {
        warn("a finish came after its load had been given up", feed, event)
      }
    case .unmatched(let kind):
      count("loadlog_unbalanced", feed)
      switch kind {
      case .extraPop: warn("Unbalanced \(name(feed)) activity: count already 0.", feed, event)
      case .duplicateFinish: warn("a load was finished twice", feed, event)
      case .orphanFinish: warn("a load was finished that was never started", feed, event)
      }
    case .popAfterReset: logger.debug("a pop came after its push was reset", metadata: metadata(feed, event))
    case .recorded:
      guard case .reset = event.kind, let pushes = receipt.count, pushes > 0 else { break }
      Counter(label: "loadlog_unbalanced", dimensions: dimensions(feed)).increment(by: pushes)
      warn("pushes were abandoned by a reset", feed, event, ["count": "\(pushes)"])
    case .known, .repeated, .nothing: break
    }
    Gauge(label: "loadlog_depth", dimensions: dimensions(feed)).record(depth(labelsByFeed ? feed : nil))
  }

  func note(_ error: LoadLogError) {
    logger.warning(
      "recording failed", metadata: ["error": "\(error)", "code": "\(error.code.rawValue)"])
  }

  func noteVerdicts(_ verdicts: [SessionState: Int]) {
    for (state, count) in verdicts {
      Counter(label: "loadlog_unbalanced").increment(by: count)
      logger.warning(
        "loads of dead owners got their verdict",
        metadata: ["state": "\(state.rawValue)", "count": "\(count)"])
    }
  }

  func noteCommit(nanoseconds: Int64) { commits.recordNanoseconds(nanoseconds) }

  private func count(_ label: String, _ feed: Feed?) {
    Counter(label: label, dimensions: dimensions(feed)).increment()
  }

  private func dimensions(_ feed: Feed?) -> [(String, String)] {
    guard labelsByFeed, let feed else { return [] }
    return [("feed", feed.name)]
  }

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
