import Dispatch
import LoadLog
import LoadLogCore
import Synchronization
import Testing

@testable import LoadLogCLI

/// Values that are read ahead arrive in order, and the caller may stop before the last one.
struct ReadAheadTests {
  /// Reports when its last reference is released.
  private final class Sentinel: Sendable {
    let isGone = DispatchSemaphore(value: 0)

    deinit { isGone.signal() }
  }

  private static let refusal = LoadLogError(.io, what: "cannot read", why: "the disk says so")

  /// A source of the numbers from 1 to `last`, then nil or an error.
  private static func numbers(
    to last: Int, _ sentinel: Sentinel = Sentinel(), fails: Bool = false
  ) -> ReadAhead<Int>.Source {
    let next = Mutex(0)
    return { () throws(LoadLogError) in
      try next.withLock { next throws(LoadLogError) in
        _ = sentinel
        next += 1
        guard next > last else { return next }
        if fails { throw Self.refusal }
        return nil
      }
    }
  }

  @Test(arguments: [0, 1, 3, 1000]) func valuesArriveInOrder(count: Int) throws {
    let values = ReadAhead(3, Self.numbers(to: count))
    var taken: [Int] = []
    while let value = try values.next() { taken.append(value) }
    #expect(taken == Array(1..<(count + 1)))
  }

  @Test func anErrorArrivesAfterTheValuesBeforeIt() throws {
    let values = ReadAhead(3, Self.numbers(to: 5, fails: true))
    for number in 1...5 { #expect(try values.next() == number) }
    #expect(throws: LoadLogError.self) { try values.next() }
  }

  @Test func untakenValuesAreReleased() throws {
    // The program would trap here if a semaphore were released below its initial value.
    for taken in 0...2 {
      var sentinel: Sentinel? = Sentinel()
      let isGone = try #require(sentinel?.isGone)
      do {
        let values = ReadAhead(3, Self.numbers(to: 2, try #require(sentinel)))
        for number in 0..<taken { #expect(try values.next() == number + 1) }
      }
      sentinel = nil
      isGone.wait()
    }
  }
}
