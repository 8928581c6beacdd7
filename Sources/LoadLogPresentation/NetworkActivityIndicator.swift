public import LoadLogCore
public import Observation

/// The status bar's network spinner: on while anything of its feed is open.
///
///     let network = NetworkActivityIndicator(loads)
///     network.push()                                 // on any thread, before a download
///     defer { network.pop() }                        // and after it
///
/// `push`, `pop` and `reset` may be called on any thread; they return at once and are recorded in the order of the
/// calls. What is seen changes on the main actor only, in the same order; what happens within one of its turns
/// counts as one change there.
///
/// It binds to the controller's changes of the feed, so it also shows what others push, and sessions with tokens or
/// client-made ids: it is visible while ``depth`` is above zero. A pop at a count of zero changes nothing and is
/// recorded as an `extra_pop`.
@MainActor @Observable
public final class NetworkActivityIndicator: LoadingIndicator {
  /// Who records.
  public nonisolated let loads: LoadingController
  /// What is loaded.
  public nonisolated let feed: Feed
  /// Whether it is visible, and since when.
  public let visibility: Visibility
  /// Open pushes of the feed.
  public private(set) var count = 0
  /// Open loads of the feed: pushes, and sessions with tokens or client-made ids.
  public private(set) var depth = 0
  @ObservationIgnored private var lastFinished: SessionID?
  private nonisolated let listener: FeedListener
  private nonisolated let inbox: MainInbox<LoadTurns>

  /// Makes an indicator; it shows what is open already.
  ///
  /// - Parameters:
  ///   - loads: who records.
  ///   - feed: what is loaded.
  ///   - timing: when it appears and disappears.
  public init(
    _ loads: LoadingController, feed: Feed = "network", timing: VisibilityTiming = .immediate
  ) {
    self.loads = loads
    self.feed = feed
    visibility = Visibility(clock: loads.clock, timing: timing)
    let inbox = MainInbox(LoadTurns())
    self.inbox = inbox
    let clock = loads.clock
    listener = FeedListener(loads, feed) { change in inbox.put { $0.note(change, clock) } }
    visibility.onOver = { [weak self] in self?.note($0) }
    inbox.open { [weak self] in self?.drain() }
  }

  /// It is animating whenever it is visible.
  public var isAnimating: Bool { isVisible }

  /// One more load.
  public nonisolated func push(fileID: StaticString = #fileID, line: UInt = #line) {
    listener.ensure()
    loads.push(feed, fileID: fileID, line: line)
  }

  /// One load less. Without an outcome the load is `ended`.
  public nonisolated func pop(
    _ outcome: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    loads.pop(feed, outcome, fileID: fileID, line: line)
  }

  /// Sets the count to zero: open pushes are abandoned, reason `reset`.
  public nonisolated func reset(fileID: StaticString = #fileID, line: UInt = #line) {
    loads.reset(feed, fileID: fileID, line: line)
  }
}

extension NetworkActivityIndicator {
  private func drain() {
    let news = inbox.take { $0.take() }
    if count != news.count { count = news.count }
    if depth != news.depth { depth = news.depth }
    lastFinished = news.lastFinished
    visibility.follow(news.turns)
  }

  /// Keeps what was seen with the load that finished last.
  private func note(_ seen: VisibilityStateMachine.Seen?) {
    guard let seen else { return }
    loads.noteShown(lastFinished, feed, visible: seen.visible, suppressed: seen.suppressed)
  }
}
