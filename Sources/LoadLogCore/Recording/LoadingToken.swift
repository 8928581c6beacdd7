import Synchronization

/// Proof that a load was started; pass it to the finish.
///
/// If the last reference to a token is released before that, the load is recorded as abandoned, reason `dropped`,
/// with the line that started it: only a token proves which code left a load open.
public final class LoadingToken: Sendable {
  /// The load's id.
  public let id: SessionID
  /// What is loading.
  public let feed: Feed
  /// Where it was started.
  public let callSite: CallSite
  private let core: RecordingCore
  private let progress = Mutex(Progress.open)

  private enum Progress { case open, onItsWay, finished }

  init(id: SessionID, feed: Feed, callSite: CallSite, core: RecordingCore) {
    self.id = id
    self.feed = feed
    self.callSite = callSite
    self.core = core
  }

  deinit {
    // In a forked child the load is still the parent's.
    guard !ForkedChild.isThisProcess, progress.withLock({ $0 == .open }) else { return }
    core.send(.abandon(id, .dropped), callSite, ifOpen: true)
  }

  /// The owner that started it; nil in a forked child, which must not wait for its locks.
  var currentCore: RecordingCore? { ForkedChild.isThisProcess ? nil : core }

  /// Claims the finish.
  ///
  /// - Returns: false if an earlier finish missed its deadline and is still queued: that one counts.
  func beginFinish() -> Bool {
    progress.withLock { progress in
      defer { if progress == .open { progress = .finished } }
      return progress != .onItsWay
    }
  }

  /// The finish missed its deadline; it is recorded when the store can be written to again.
  func finishIsOnItsWay() { progress.withLock { $0 = .onItsWay } }
}
