import LoadLogCore
import Synchronization

/// Records the loads that one indicator shows, and for how long it was visible.
///
/// The indicator shows a load whatever becomes of its record: a nil token stands for a load that the controller
/// refused, because it is closed or because the feed's name is not allowed.
@MainActor
final class IndicatorLoads {
  private nonisolated let loads: LoadingController
  private nonisolated let feed: Feed
  /// The load that the indicator started or finished last; nil if it was refused.
  private nonisolated let latest = Mutex<SessionID?>(nil)
  /// The recorded message of that load.
  private var message: String?
  private var listener: LoadingListener?
  /// The loads that have finished and that ``watch(_:)`` has not passed on yet.
  private nonisolated let finished = MainInbox<[SessionID]>([])
  private var end: (@MainActor (SessionID) -> Void)?

  /// Records loads of a feed, and the visible time of an indicator that is deallocated before its loads have ended.
  init(_ loads: LoadingController, feed: Feed, of visibility: IndicatorVisibility) {
    self.loads = loads
    self.feed = feed
    visibility.onDrop = { [self] in record($0) }
  }

  /// Calls `end` with each load of the feed that this controller finishes; other code may have finished it.
  func watch(_ end: @escaping @MainActor (SessionID) -> Void) {
    self.end = end
    listener = loads.listen(to: feed) { [finished] change in
      guard case .finished(let id) = change?.kind else { return }
      finished.put { $0.append(id) }
    }
    finished.open { [weak self] in self?.passOnEnds() }
  }

  /// Passes on at once what has finished until now: a call to an indicator must not take such a load for an open one.
  func passOnEnds() {
    let ids = finished.take { ids in
      defer { ids = [] }
      return ids
    }
    for id in ids { end?(id) }
  }

  /// Starts a load. Returns nil if it cannot be recorded.
  func begin(message: String?, tag: String? = nil, at callSite: CallSite) -> LoadingToken? {
    let load = loads.begin(feed, message: message, tag: tag, callSite)
    latest.withLock { $0 = load?.id }
    self.message = message
    return load
  }

  func end(_ load: LoadingToken?, as outcome: Verdict, at callSite: CallSite) {
    latest.withLock { $0 = load?.id }
    if let load { loads.end(load, outcome, callSite) }
  }

  /// Records the message of the load that was started last, if it is a new one.
  func update(_ load: LoadingToken?, message: String?) {
    guard let load, message != self.message else { return }
    self.message = message
    loads.update(load, message: message)
  }

  /// Records a stop that matches no start.
  func recordExtraPop(_ outcome: Verdict, at callSite: CallSite) { loads.extraPop(feed, outcome, callSite) }

  func refuse(_ error: LoadLogError) { loads.refuse(error) }

  /// Records the visible time and the suppressed shows with the load that started or finished last.
  nonisolated func record(_ summary: VisibilityStateMachine.ShowSummary?) {
    guard let summary, let load = latest.withLock({ $0 }) else { return }
    loads.noteShown(load, feed, visible: summary.visible, suppressed: summary.suppressed)
  }
}
