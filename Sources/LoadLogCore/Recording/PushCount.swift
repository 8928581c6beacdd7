/// The counts, depths and listeners of one owner, in memory. It never waits for a store, so that an indicator changes
/// as soon as it is called.
struct PushCount {
  private struct OpenFeed {
    var count = 0
    var sessions = 0
    var depth: Int { count + sessions }
  }

  /// Receives changes in order, and nil after the last one. Called under the lock that guards the counts: it
  /// must be short, and must not use the controller.
  typealias Listener = @Sendable (LoadingChange?) -> Void

  /// Maximum number of finishes that are remembered until their start arrives.
  private static let mostEarlyFinishes = 16_384

  /// The feeds of which something is open; the others are forgotten, however many names there are.
  private var feeds: [Feed: OpenFeed] = [:]
  /// The depth of all feeds together.
  private(set) var totalDepth = 0
  private var open: [SessionID: Feed] = [:]
  private var early: Set<SessionID> = []
  /// Number of repeated starts of each open session whose receipts have not arrived yet.
  private var repeats: [SessionID: Int] = [:]
  private var listeners: [Int: (feed: Feed, receive: Listener)] = [:]
  private var lastListener = 0
  private(set) var isEnded = false

  /// The feeds of which something is open, in no order.
  var openFeeds: [Feed] { Array(feeds.keys) }

  func count(of feed: Feed) -> Int { feeds[feed]?.count ?? 0 }

  func depth(of feed: Feed) -> Int { feeds[feed]?.depth ?? 0 }

  func isOpen(_ id: SessionID) -> Bool { open[id] != nil }

  mutating func push(_ feed: Feed) {
    adjust(feed) { $0.count += 1 }
    tell(.pushed, of: feed)
  }

  mutating func pop(_ feed: Feed) {
    guard count(of: feed) > 0 else { return extraPop(feed) }
    adjust(feed) { $0.count -= 1 }
    tell(.popped, of: feed)
  }

  func extraPop(_ feed: Feed) { tell(.extraPop, of: feed) }

  mutating func reset(_ named: [Feed]?) {
    for feed in named ?? openFeeds where count(of: feed) > 0 {
      adjust(feed) { $0.count = 0 }
      tell(.reset, of: feed)
    }
  }

  /// Opens a session, unless its finish arrived first.
  mutating func start(_ id: SessionID, _ feed: Feed, message: String?) {
    guard early.remove(id) == nil else { return }
    guard open[id] == nil else {
      repeats[id, default: 0] += 1
      return
    }
    open[id] = feed
    adjust(feed) { $0.sessions += 1 }
    tell(.started(id), of: feed, message: message)
  }

  /// Closes a session.
  ///
  /// - Parameter mayBeEarly: whether the start may arrive later.
  mutating func finish(_ id: SessionID, mayBeEarly: Bool) {
    guard let feed = open.removeValue(forKey: id) else {
      if mayBeEarly, early.count < Self.mostEarlyFinishes { early.insert(id) }
      return
    }
    adjust(feed) { $0.sessions -= 1 }
    repeats[id] = nil
    tell(.finished(id), of: feed)
  }

  /// The store has the start already. Either it was recorded before, and the session is finished or another
  /// owner's, or this owner started it twice.
  mutating func know(_ id: SessionID) {
    guard let count = repeats[id] else { return settle(id) }
    repeats[id] = count > 1 ? count - 1 : nil
  }

  /// The store knows that the session is finished.
  mutating func settle(_ id: SessionID) {
    early.remove(id)
    finish(id, mayBeEarly: false)
  }

  func update(_ id: SessionID, message: String?) {
    guard let feed = open[id] else { return }
    tell(.updated(id), of: feed, message: message)
  }

  mutating func listen(to feed: Feed, _ receive: @escaping Listener) -> Int {
    lastListener += 1
    receive(change(.listening, of: feed))
    if isEnded { receive(nil) } else { listeners[lastListener] = (feed, receive) }
    return lastListener
  }

  /// Removes a listener.
  ///
  /// - Returns: the listener, to be released when no lock is held.
  mutating func forget(listener: Int) -> Listener? { listeners.removeValue(forKey: listener)?.receive }

  /// Forgets everything open, and calls all listeners for the last time.
  ///
  /// - Returns: the listeners, to be released when no lock is held.
  mutating func end() -> [Listener] {
    let listeners = listeners.values.map(\.receive)
    self = PushCount()
    isEnded = true
    for receive in listeners { receive(nil) }
    return listeners
  }

  /// Changes what is open of a feed, and forgets the feed if nothing is.
  private mutating func adjust(_ feed: Feed, _ body: (inout OpenFeed) -> Void) {
    var open = feeds[feed] ?? OpenFeed()
    totalDepth -= open.depth
    body(&open)
    totalDepth += open.depth
    feeds[feed] = open.depth > 0 ? open : nil
  }

  private func change(
    _ kind: LoadingChange.Kind, of feed: Feed, message: String? = nil
  ) -> LoadingChange {
    LoadingChange(
      feed: feed, kind: kind, count: count(of: feed), depth: depth(of: feed), message: message)
  }

  private func tell(_ kind: LoadingChange.Kind, of feed: Feed, message: String? = nil) {
    guard !listeners.isEmpty else { return }
    let change = change(kind, of: feed, message: message)
    for listener in listeners.values where listener.feed == feed { listener.receive(change) }
  }
}
