import Dispatch
import Foundation
import LoadLogCore
import LoadLogSQLite
import Synchronization
import Testing

/// A thread that commits one push after another.
final class SteadyCommits: Sendable {
  private let isEnding = Atomic(false)
  private let count = Atomic<Int64>(1)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Begins; the first push is committed when this returns.
  init(to store: SQLiteLoadStore, _ bench: StoreBench) throws {
    try bench.commit(.push("network"), to: store)
    Thread { [self] in
      while !isEnding.load(ordering: .relaxed) {
        let number = count.add(1, ordering: .relaxed).newValue
        #expect((try? bench.commit(.push("network"), to: store, from: number)) != nil, "refused")
      }
      hasEnded.signal()
    }.start()
  }

  /// Ends after the push that is under way.
  ///
  /// - Returns: how many there were.
  func end() -> Int64 {
    isEnding.store(true, ordering: .relaxed)
    hasEnded.wait()
    return count.load(ordering: .relaxed)
  }
}
