import Testing

@testable import LoadLogCore

@Suite struct PushCountTests {
  enum Step: Sendable {
    case push, pop, reset, resetAll, start(Int), finish(Int), abandon(Int), known(Int), settle(Int), update(
      Int)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [Step]
    let count: Int
    let depth: Int
    /// Number of changes that a listener receives.
    let changes: Int
  }

  @Test(arguments: [
    Case(testDescription: "push and pop", steps: [.push, .push, .pop], count: 1, depth: 1, changes: 3),
    Case(testDescription: "pop at 0 is told", steps: [.pop, .push], count: 1, depth: 1, changes: 2),
    Case(testDescription: "reset", steps: [.push, .push, .start(1), .reset], count: 0, depth: 1, changes: 4),
    Case(
      testDescription: "reset at 0 is silent", steps: [.reset, .resetAll], count: 0, depth: 0, changes: 0),
    Case(testDescription: "reset all", steps: [.push, .resetAll, .pop], count: 0, depth: 0, changes: 3),
    Case(
      testDescription: "start and finish", steps: [.start(1), .start(2), .finish(1)], count: 0, depth: 1,
      changes: 3),
    Case(testDescription: "finish first", steps: [.finish(1), .start(1)], count: 0, depth: 0, changes: 0),
    Case(
      testDescription: "finish twice, start once", steps: [.finish(1), .finish(1), .start(1)], count: 0,
      depth: 0, changes: 0),
    Case(
      testDescription: "start twice", steps: [.start(1), .start(1), .known(1)], count: 0, depth: 1, changes: 1
    ),
    Case(
      testDescription: "start three times", steps: [.start(1), .start(1), .start(1), .known(1), .known(1)],
      count: 0,
      depth: 1, changes: 1),
    Case(
      testDescription: "start twice, finish before the store answers",
      steps: [.start(1), .start(1), .finish(1), .known(1)], count: 0, depth: 0, changes: 2),
    Case(
      testDescription: "start of what was over long ago", steps: [.start(1), .known(1)], count: 0, depth: 0,
      changes: 2),
    Case(
      testDescription: "the same, twice", steps: [.start(1), .start(1), .known(1), .known(1)], count: 0,
      depth: 0,
      changes: 2),
    Case(
      testDescription: "abandon is not early", steps: [.abandon(1), .start(1)], count: 0, depth: 1, changes: 1
    ),
    Case(
      testDescription: "settled", steps: [.start(1), .settle(1), .settle(1)], count: 0, depth: 0, changes: 2),
    Case(
      testDescription: "a settled orphan", steps: [.finish(1), .settle(1), .start(1)], count: 0, depth: 1,
      changes: 1),
    Case(
      testDescription: "update", steps: [.update(1), .start(1), .update(1)], count: 0, depth: 1, changes: 2),
  ])
  func follows(_ test: Case) async {
    let ids = (0..<3).map { SessionID(milliseconds: $0) }
    let (stream, continuation) = AsyncStream.makeStream(of: LoadingChange.self)
    var counts = PushCount()
    _ = counts.listen(to: "a") { change in
      if let change { continuation.yield(change) } else { continuation.finish() }
    }
    for step in test.steps {
      switch step {
      case .push: counts.push("a")
      case .pop: counts.pop("a")
      case .reset: counts.reset(["a"])
      case .resetAll: counts.reset(nil)
      case .start(let number): counts.start(ids[number], "a", message: nil)
      case .finish(let number): counts.finish(ids[number], mayBeEarly: true)
      case .abandon(let number): counts.finish(ids[number], mayBeEarly: false)
      case .known(let number): counts.know(ids[number])
      case .settle(let number): counts.settle(ids[number])
      case .update(let number): counts.update(ids[number], message: "m")
      }
    }
    #expect(counts.count(of: "a") == test.count && counts.depth(of: "a") == test.depth)
    #expect(counts.totalDepth == test.depth)
    for receive in counts.end() { receive(nil) }
    #expect(counts.totalDepth == 0)
    var heard = 0
    for await _ in stream { heard += 1 }
    #expect(heard == test.changes + 1)
  }

  @Test func aFeedWithNothingOpenIsForgotten() {
    var counts = PushCount()
    let id = SessionID()
    counts.push("a")
    counts.start(id, "a", message: nil)
    counts.pop("a")
    counts.pop("a")
    counts.push("b")
    #expect(Set(counts.openFeeds) == ["a", "b"])
    counts.finish(id, mayBeEarly: true)
    #expect(counts.openFeeds == ["b"])
    counts.reset(nil)
    #expect(counts.openFeeds.isEmpty && counts.totalDepth == 0)
  }

  /// Another thread may push after the counts have ended and before the queue refuses.
  @Test func whatComesAfterTheEndIsNotCounted() {
    var counts = PushCount()
    _ = counts.end()
    counts.note(.push("a"))
    counts.note(.start(SessionID(), "a", message: nil, tag: nil))
    #expect(counts.openFeeds.isEmpty && counts.totalDepth == 0)
  }

  @Test func feedsAreApart() {
    var counts = PushCount()
    counts.push("a")
    counts.push("b")
    counts.pop("a")
    counts.reset(["a", "c"])
    #expect(counts.count(of: "a") == 0 && counts.count(of: "b") == 1 && counts.count(of: "c") == 0)
  }
}
