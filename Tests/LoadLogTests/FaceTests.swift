import Foundation
import LoadLog
import LoadLogTestSupport
import Synchronization
import Testing

/// What callers may write.
@Suite struct FaceTests {
  @Test func aQuestionThrowsWhatItLikes() async throws {
    let loads = try Bench().loads
    try await loads.finishLoading(try await loads.startLoading("reviews"), .failed)
    let page = try await loads.ask { try $0.history(LoadFilter(states: [.failed])) }
    #expect(page.total == 1 && page.loads.first?.reason == nil)
    await #expect(throws: Broken()) { try await loads.ask { _ in throw Broken() } }
    try await onAThread {
      let feeds = try loads.ask { try $0.feeds() }
      #expect(feeds == ["reviews"])
      #expect(throws: Broken()) { try loads.ask { _ in throw Broken() } }
    }
    try await loads.close()
    let error = await #expect(throws: LoadLogError.self) { try await loads.ask { try $0.feeds() } }
    #expect(error?.code == .closed)
  }

  @Test func aReaderWhoFallsBehindSeesTheNewestChanges() async throws {
    let loads = try Bench().loads
    var changes = loads.changes(of: "network").makeAsyncIterator()
    let pushes = LoadingChange.mostUnread + 500
    for _ in 0..<pushes { loads.push("network") }
    var counts: [Int] = []
    while counts.last != pushes, let change = await changes.next() { counts.append(change.count) }
    #expect(counts == Array((pushes - LoadingChange.mostUnread + 1)...pushes))
    // The end is not lost either.
    for _ in 0..<pushes { loads.pop("network") }
    try await loads.close()
    var last: LoadingChange?
    while let change = await changes.next() { last = change }
    #expect(last?.count == 0)
  }

  @Test func aProviderCanWrapAnotherOne() async throws {
    let place = try TemporaryStore()
    let opened = Mutex(0)
    let inner = LoadStoreProvider.sqlite(at: place.url)
    let provider = inner.wrapping { store throws(LoadLogError) in
      opened.withLock { $0 += 1 }
      return store
    }
    #expect(provider.path == place.path)
    var options = LoadingController.Options()
    options.deadline = .seconds(300)
    let loads = LoadingController(store: provider, fallback: .inMemory(), options: options)
    try await loads.finishLoading(try await loads.startLoading("reviews"))
    #expect(opened.withLock { $0 } == 1)
    try await loads.close()
    // The long form, for a wrapper that wants to know the owner.
    let feeds = Mutex<[String]>([])
    let named = LoadStoreProvider(path: inner.path) { owner, instant in
      feeds.withLock { $0.append(owner.kind.rawValue) }
      return inner.opener(owner, instant)
    }
    let again = LoadingController(store: named, fallback: .inMemory(), options: options)
    #expect(try await again.history().total == 1 && feeds.withLock { $0 } == ["library"])
    try await again.close()
  }
}
