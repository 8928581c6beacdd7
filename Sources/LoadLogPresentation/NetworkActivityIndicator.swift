public import LoadLogCore
public import Observation

/// The network spinner of a status bar. It is visible while any load of its feed is open.
///
///     let network = NetworkActivityIndicator(loads)
///     network.push()                                 // on any thread, before a download
///     defer { network.pop() }                        // after the download
///
/// ``push(fileID:line:)``, ``pop(_:fileID:line:)`` and ``reset(fileID:line:)`` can be called on any thread. They
/// return immediately and are recorded in call order. The observable properties change in the same order, on the main
/// actor only; all calls between two turns of the main actor result in one change.
///
/// The indicator follows the controller's changes of the feed. It therefore also shows pushes by other code, and
/// loads with tokens or client-generated ids: it is visible while ``depth`` is above zero. A pop at a count of zero
/// changes nothing and is recorded as an `extra_pop`.
///
/// Its own pushes count until they are popped, whatever becomes of the record: also if the controller is closed before
/// or after the push. Then only the indicator's own pops end them.
@MainActor @Observable
public final class NetworkActivityIndicator: LoadingIndicator {
  /// The controller that records the loads.
  public nonisolated let loads: LoadingController
  /// The feed of the loads.
  public nonisolated let feed: Feed
  /// The indicator's visibility.
  public let visibility: IndicatorVisibility
  /// Number of open pushes of the feed.
  public private(set) var count = 0
  /// Number of open loads of the feed: pushes, and loads with tokens or client-generated ids.
  public private(set) var depth = 0
  @ObservationIgnored private var lastFinished: SessionID?
  private nonisolated let listener: LoadingListener
  private nonisolated let inbox: MainInbox<FeedActivity>

  /// Creates an indicator. It is visible if loads of the feed are already open.
  ///
  /// - Parameters:
  ///   - loads: The controller that records the loads.
  ///   - feed: The feed of the loads.
  ///   - timing: The delays and fade durations.
  public init(
    _ loads: LoadingController, feed: Feed = "network", timing: VisibilityTiming = .immediate
  ) {
    self.loads = loads
    self.feed = feed
    visibility = IndicatorVisibility(clock: loads.clock, timing: timing)
    let inbox = MainInbox(FeedActivity())
    self.inbox = inbox
    let clock = loads.clock
    listener = loads.listen(to: feed) { change in inbox.put { $0.record(change, clock: clock) } }
    visibility.onIdle = { [weak self] in self?.record($0) }
    inbox.open { [weak self] in self?.drain() }
  }

  /// Whether the spinner turns, which it does whenever the indicator is visible.
  public var isAnimating: Bool { isVisible }

  /// Starts a load. Callable on any thread.
  public nonisolated func push(fileID: StaticString = #fileID, line: UInt = #line) {
    let isRecorded = loads.recordPush(of: feed, CallSite(fileID: fileID, line: line))
    inbox.put { $0.push(isRecorded: isRecorded, clock: loads.clock) }
  }

  /// Ends a load. Callable on any thread.
  ///
  /// - Parameters:
  ///   - outcome: The verdict on the load; `ended` by default.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public nonisolated func pop(
    _ outcome: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    if inbox.put({ $0.pop(clock: loads.clock) }) { return }
    loads.pop(feed, outcome, fileID: fileID, line: line)
  }

  /// Sets the count to zero. Open pushes are recorded as `abandoned` with the reason `reset`. Callable on any thread.
  public nonisolated func reset(fileID: StaticString = #fileID, line: UInt = #line) {
    inbox.put { $0.reset(clock: loads.clock) }
    loads.reset(feed, fileID: fileID, line: line)
  }
}

extension NetworkActivityIndicator {
  private func drain() {
    let activity = inbox.take { $0.take() }
    if count != activity.count { count = activity.count }
    if depth != activity.depth { depth = activity.depth }
    lastFinished = activity.lastFinished
    visibility.apply(activity.transitions)
  }

  /// Stores the visible time and the suppressed shows with the load that finished last.
  private func record(_ summary: VisibilityStateMachine.ShowSummary?) {
    guard let summary else { return }
    loads.noteShown(lastFinished, feed, visible: summary.visible, suppressed: summary.suppressed)
  }
}
