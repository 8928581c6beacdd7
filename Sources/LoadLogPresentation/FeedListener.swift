import LoadLogCore
import Synchronization

/// Hears of a feed's changes for as long as it lives, also when its controller is closed and opened again.
final class FeedListener: Sendable {
  private let loads: LoadingController
  private let feed: Feed
  private let hear: @Sendable (LoadingChange?) -> Void
  private let listener = Mutex<LoadingListener?>(nil)
  private let end = End()

  /// Apart from the listener, which must not go away while it is told of something: the counts are locked then.
  private final class End: Sendable {
    let hasCome = Atomic(true)
  }

  /// Begins to listen.
  ///
  /// - Parameter hear: is told of each change on the thread that makes it, and of nil when the controller is closed.
  ///   It must be short, and ask the controller nothing.
  init(_ loads: LoadingController, _ feed: Feed, _ hear: @escaping @Sendable (LoadingChange?) -> Void) {
    self.loads = loads
    self.feed = feed
    self.hear = hear
    ensure()
  }

  /// Listens again if the controller was closed meanwhile. Cheap if it was not.
  func ensure() {
    guard end.hasCome.load(ordering: .acquiring) else { return }
    listener.withLock { listener in
      guard end.hasCome.exchange(false, ordering: .acquiringAndReleasing) else { return }
      listener = loads.listen(to: feed) { [hear, end] change in
        if change == nil { end.hasCome.store(true, ordering: .releasing) }
        hear(change)
      }
    }
  }
}
