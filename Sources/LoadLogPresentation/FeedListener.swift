import LoadLogCore
import Synchronization

/// Receives the changes of one feed for as long as the listener exists, even if its controller is closed and
/// reopened.
final class FeedListener: Sendable {
  private let loads: LoadingController
  private let feed: Feed
  private let onChange: @Sendable (LoadingChange?) -> Void
  private let listener = Mutex<LoadingListener?>(nil)
  private let connection = Connection()

  /// Whether the controller has ended the subscription.
  ///
  /// The callback captures this object instead of the listener. The controller calls back while it holds its
  /// lock; if the callback held the last reference to the listener, releasing it there would take that lock
  /// again.
  private final class Connection: Sendable {
    let hasEnded = Atomic(true)
  }

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - loads: The controller to listen to.
  ///   - feed: The feed to listen to.
  ///   - onChange: Called with each change, on the thread that makes it, and with nil when the controller is
  ///     closed. It must be short and must not call the controller.
  init(
    _ loads: LoadingController, feed: Feed, onChange: @escaping @Sendable (LoadingChange?) -> Void
  ) {
    self.loads = loads
    self.feed = feed
    self.onChange = onChange
    ensureConnected()
  }

  /// Listens again if the controller has been closed since the last call; otherwise costs one atomic read.
  func ensureConnected() {
    guard connection.hasEnded.load(ordering: .acquiring) else { return }
    listener.withLock { listener in
      guard connection.hasEnded.exchange(false, ordering: .acquiringAndReleasing) else { return }
      listener = loads.listen(to: feed) { [onChange, connection] change in
        if change == nil { connection.hasEnded.store(true, ordering: .releasing) }
        onChange(change)
      }
    }
  }
}
