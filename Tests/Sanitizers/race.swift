// What the thread sanitizer must report, or its silence proves nothing.
//
// Two threads count with a mutex, of which it must not report anything, or, with an argument, without one.
import Foundation
import Synchronization

let guarded = Mutex(0)
nonisolated(unsafe) var unguarded = 0

func onTwoThreads(_ work: @escaping @Sendable () -> Void) {
  let ended = DispatchSemaphore(value: 0)
  final class Counting: Sendable { let threads = Atomic(0) }
  let counting = Counting()
  for _ in 0..<2 {
    Thread.detachNewThread {
      counting.threads.add(1, ordering: .relaxed)
      // Whoever ends before the other begins may be taken for the same; and no order comes of what is relaxed.
      repeat { work() } while counting.threads.load(ordering: .relaxed) < 2
      for _ in 0..<100_000 { work() }
      ended.signal()
    }
  }
  for _ in 0..<2 { ended.wait() }
}

if CommandLine.arguments.count > 1 {
  onTwoThreads { unguarded += 1 }
} else {
  onTwoThreads { guarded.withLock { $0 += 1 } }
}
