import LoadLogCore

/// The loads that an indicator starts and finishes itself, and what it says of them afterwards.
@MainActor
final class IndicatedLoads {
  private let loads: LoadingController
  private let feed: Feed
  private var listener: FeedListener?
  private var lastFinished: SessionID?

  init(_ loads: LoadingController, _ feed: Feed) {
    self.loads = loads
    self.feed = feed
  }

  /// Calls `check` when a load may have ended without the indicator: somebody else finished it, or the controller
  /// was closed.
  func watch(_ check: @escaping @MainActor @Sendable () -> Void) {
    listener = FeedListener(loads, feed) { change in
      switch change?.kind {
      case nil, .finished: Task { @MainActor in check() }
      default: break
      }
    }
  }

  /// Starts a load; nil if it cannot be recorded, and then it is not to be shown.
  func begin(_ message: String?, tag: String? = nil, _ callSite: CallSite) -> LoadingToken? {
    listener?.ensure()
    return loads.begin(feed, message: message, tag: tag, callSite)
  }

  func end(_ load: LoadingToken, _ outcome: Verdict, _ callSite: CallSite) {
    lastFinished = load.id
    loads.end(load, outcome, callSite)
  }

  func update(_ load: LoadingToken, message: String?) { loads.update(load, message: message) }

  func isOpen(_ load: LoadingToken) -> Bool { loads.isOpen(load) }

  /// A stop that answers no start.
  func extraPop(_ outcome: Verdict, _ callSite: CallSite) { loads.extraPop(feed, outcome, callSite) }

  func refuse(_ error: LoadLogError) { loads.refuse(error) }

  /// Keeps what was seen with the load that finished last.
  func note(_ seen: VisibilityStateMachine.Seen?) {
    guard let seen, let lastFinished else { return }
    loads.noteShown(lastFinished, feed, visible: seen.visible, suppressed: seen.suppressed)
  }
}
