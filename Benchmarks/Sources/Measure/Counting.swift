import Foundation
import LoadLog
import Synchronization

/// Push and pop, in bursts. The wait for a burst to become durable is not measured; the writer that works at the same
/// time slows the callers down, as it does in an app.
struct Counting {
  private static let burst = 1000

  let store: URL
  let seconds: Double
  let threads: Int

  func run() throws {
    let loads = try LoadingController.measured(at: store)
    // The first burst grows buffers and is not measured.
    _ = onThreads(loads)
    try loads.flush()
    let watch = Stopwatch(seconds: seconds)
    var total = Burst()
    while !watch.isOver {
      total.add(onThreads(loads))
      try loads.flush()
    }
    if let failure = loads.failure { throw failure }
    try loads.close()
    Measurement(pairs: total.pairs, elapsed: total.elapsed, allocations: total.allocations).print()
  }

  /// The work of one thread or of several.
  private struct Burst {
    var pairs = 0
    /// Nanoseconds, summed over all threads.
    var elapsed: Int64 = 0
    var allocations: Int?

    mutating func add(_ other: Burst) {
      pairs += other.pairs
      elapsed += other.elapsed
      if let more = other.allocations { allocations = (allocations ?? 0) + more }
    }
  }

  private func onThreads(_ loads: LoadingController) -> Burst {
    let total = Mutex(Burst())
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      Thread.detachNewThread {
        let burst = Self.countUpAndDown(loads)
        total.withLock { $0.add(burst) }
        done.signal()
      }
    }
    for _ in 0..<threads { done.wait() }
    return total.withLock { $0 }
  }

  private static func countUpAndDown(_ loads: LoadingController) -> Burst {
    // The first pair of a thread sets up its thread-local state and is not measured.
    loads.push("network")
    loads.pop("network")
    let allocations = AllocationCount.ofThisThread
    let watch = Stopwatch(seconds: 0)
    for _ in 0..<burst {
      loads.push("network")
      loads.pop("network")
    }
    let elapsed = watch.elapsed
    return Burst(
      pairs: burst, elapsed: elapsed,
      allocations: AllocationCount.ofThisThread.flatMap { after in allocations.map { after - $0 } })
  }
}

/// What counting is compared with: an uncontended mutex.
struct UncontendedMutex {
  private static let burst = 1_000_000

  let seconds: Double

  func run() {
    let count = Mutex(0)
    let watch = Stopwatch(seconds: seconds)
    var pairs = 0
    while !watch.isOver {
      for _ in 0..<Self.burst {
        count.withLock { $0 += 1 }
        count.withLock { $0 -= 1 }
      }
      pairs += Self.burst
    }
    Measurement(pairs: pairs, elapsed: watch.elapsed).print()
  }
}

/// Heap allocations, counted by Tools/allocations.c if it is preloaded.
enum AllocationCount {
  static var ofThisThread: Int? { count.map { Int($0()) } }

  private static let count: (@convention(c) () -> CLong)? = dlsym(
    dlopen(nil, RTLD_NOW), "allocations_of_this_thread"
  ).map { unsafeBitCast($0, to: (@convention(c) () -> CLong).self) }
}
