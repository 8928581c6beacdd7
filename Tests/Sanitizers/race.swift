// A control for the thread sanitizer: a race that it must report, or its silence proves nothing.
//
// Two threads count under a mutex, which must give no report; or, with an argument, without a mutex, which must give one.
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
      // Work until both threads run: if one ended before the other started, the sanitizer could take them for one thread.
      // Relaxed loads do not order the accesses.
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
