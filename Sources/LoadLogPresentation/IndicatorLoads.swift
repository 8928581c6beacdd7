import LoadLogCore

/// The loads that one indicator starts and finishes, and what the indicator reports about them.
@MainActor
final class IndicatorLoads {
  private let loads: LoadingController
  private let feed: Feed
  private var listener: FeedListener?
  private var lastFinished: SessionID?

  init(_ loads: LoadingController, feed: Feed) {
    self.loads = loads
    self.feed = feed
  }

  /// Calls `check` when a load may have ended without the indicator: other code finished it, or the controller
  /// was closed.
  func watch(_ check: @escaping @MainActor @Sendable () -> Void) {
    listener = FeedListener(loads, feed: feed) { change in
      switch change?.kind {
      case nil, .finished: Task { @MainActor in check() }
      default: break
      }
    }
  }

  /// Starts a load. Returns nil if it cannot be recorded; the indicator must not show it then.
  func begin(message: String?, tag: String? = nil, at callSite: CallSite) -> LoadingToken? {
    listener?.ensureConnected()
    return loads.begin(feed, message: message, tag: tag, callSite)
  }

  func end(_ load: LoadingToken, as outcome: Verdict, at callSite: CallSite) {
    lastFinished = load.id
    loads.end(load, outcome, callSite)
  }

  func update(_ load: LoadingToken, message: String?) { loads.update(load, message: message) }

  func isOpen(_ load: LoadingToken) -> Bool { loads.isOpen(load) }

  /// Records a stop that matches no start.
  func recordExtraPop(_ outcome: Verdict, at callSite: CallSite) { loads.extraPop(feed, outcome, callSite) }

  func refuse(_ error: LoadLogError) { loads.refuse(error) }

  /// Stores the visible time and the suppressed shows with the load that finished last.
  func record(_ summary: VisibilityStateMachine.ShowSummary?) {
    guard let summary, let lastFinished else { return }
    loads.noteShown(lastFinished, feed, visible: summary.visible, suppressed: summary.suppressed)
  }
}
