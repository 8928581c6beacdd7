/// What one owner has open, in memory: counts, depths and who wants to hear of changes. It never waits for
/// a store, so that the spinner follows the call.
struct PushCount {
  private struct OpenFeed {
    var count = 0
    var sessions = 0
    var depth: Int { count + sessions }
  }

  /// Hears of changes in their order, and of nil when there will be no more. Called under the lock that guards
  /// the counts: it must be short, and must not ask for them.
  typealias Listener = @Sendable (LoadingChange?) -> Void

  /// So many finishes whose start has not come yet are remembered.
  private static let mostEarlyFinishes = 16_384

  private var feeds: [Feed: OpenFeed] = [:]
  /// Of all feeds together.
  private(set) var totalDepth = 0
  private var open: [SessionID: Feed] = [:]
  private var early: Set<SessionID> = []
  /// Starts of what was open already, of which the store has not said yet that it knows them.
  private var repeats: [SessionID: Int] = [:]
  private var listeners: [Int: (feed: Feed, hear: Listener)] = [:]
  private var lastListener = 0
  private var isEnded = false

  func count(of feed: Feed) -> Int { feeds[feed]?.count ?? 0 }

  func depth(of feed: Feed) -> Int { feeds[feed]?.depth ?? 0 }

  func isOpen(_ id: SessionID) -> Bool { open[id] != nil }

  mutating func push(_ feed: Feed) {
    feeds[feed, default: OpenFeed()].count += 1
    totalDepth += 1
    tell(.pushed, of: feed)
  }

  mutating func pop(_ feed: Feed) {
    guard let index = feeds.index(forKey: feed), feeds.values[index].count > 0 else {
      return extraPop(feed)
    }
    feeds.values[index].count -= 1
    totalDepth -= 1
    tell(.popped, of: feed)
  }

  func extraPop(_ feed: Feed) { tell(.extraPop, of: feed) }

  mutating func reset(_ named: [Feed]?) {
    for feed in named ?? Array(feeds.keys) where count(of: feed) > 0 {
      totalDepth -= count(of: feed)
      feeds[feed]?.count = 0
      tell(.reset, of: feed)
    }
  }

  /// A finish may overtake its start: then the session is never open.
  mutating func start(_ id: SessionID, _ feed: Feed, message: String?) {
    guard early.remove(id) == nil else { return }
    guard open[id] == nil else {
      repeats[id, default: 0] += 1
      return
    }
    open[id] = feed
    feeds[feed, default: OpenFeed()].sessions += 1
    totalDepth += 1
    tell(.started(id), of: feed, message: message)
  }

  /// - Parameter mayBeEarly: the start may yet come.
  mutating func finish(_ id: SessionID, mayBeEarly: Bool) {
    guard let feed = open.removeValue(forKey: id) else {
      if mayBeEarly, early.count < Self.mostEarlyFinishes { early.insert(id) }
      return
    }
    feeds[feed]?.sessions -= 1
    totalDepth -= 1
    repeats[id] = nil
    tell(.finished(id), of: feed)
  }

  /// The store has the start already: from before, and then the session is over or another owner's, or only
  /// since the first of two starts here.
  mutating func know(_ id: SessionID) {
    guard let count = repeats[id] else { return settle(id) }
    repeats[id] = count > 1 ? count - 1 : nil
  }

  /// The store knows that the session is over.
  mutating func settle(_ id: SessionID) {
    early.remove(id)
    finish(id, mayBeEarly: false)
  }

  func update(_ id: SessionID, message: String?) {
    guard let feed = open[id] else { return }
    tell(.updated(id), of: feed, message: message)
  }

  mutating func listen(to feed: Feed, _ hear: @escaping Listener) -> Int {
    lastListener += 1
    hear(change(.listening, of: feed))
    if isEnded { hear(nil) } else { listeners[lastListener] = (feed, hear) }
    return lastListener
  }

  /// - Returns: the listener, to be let go when no lock is held.
  mutating func forget(listener: Int) -> Listener? { listeners.removeValue(forKey: listener)?.hear }

  /// Nothing is open any more, and nobody hears of changes.
  ///
  /// - Returns: the listeners, to be told so when no lock is held: they may ask to be forgotten at once.
  mutating func end() -> [Listener] {
    defer {
      self = PushCount()
      isEnded = true
    }
    return listeners.values.map(\.hear)
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
    for listener in listeners.values where listener.feed == feed { listener.hear(change) }
  }
}
