import Foundation
import LoadLog
import Synchronization

/// Push and pop, in bursts; the time in which a burst becomes durable does not count, but what the writer does meanwhile
/// is in the way, as it is for every caller.
struct Counting {
  private static let burst = 1000

  let store: URL
  let seconds: Double
  let threads: Int

  func run() throws {
    let loads = try LoadingController.measured(at: store)
    // The first burst pays for what grows with it.
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

  /// What one or several threads did.
  private struct Burst {
    var pairs = 0
    /// Of all threads together.
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
    // The first of a thread pays for what the thread has to find out.
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

/// The measure of counting: a mutex that nobody else wants.
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

/// What Tools/allocations.c counts, if it is preloaded.
enum AllocationCount {
  static var ofThisThread: Int? { count.map { Int($0()) } }

  private static let count: (@convention(c) () -> CLong)? = dlsym(
    dlopen(nil, RTLD_NOW), "allocations_of_this_thread"
  ).map { unsafeBitCast($0, to: (@convention(c) () -> CLong).self) }
}
