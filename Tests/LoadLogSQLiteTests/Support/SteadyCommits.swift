import Dispatch
import Foundation
import LoadLogCore
import LoadLogSQLite
import Synchronization
import Testing

/// Commits one push after another on a thread.
final class SteadyCommits: Sendable {
  private let isEnding = Atomic(false)
  private let count = Atomic<Int64>(1)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Starts the thread and waits until the first push is committed.
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

  /// Stops the thread after the current push.
  ///
  /// - Returns: the number of committed pushes.
  func end() -> Int64 {
    isEnding.store(true, ordering: .relaxed)
    hasEnded.wait()
    return count.load(ordering: .relaxed)
  }
}
