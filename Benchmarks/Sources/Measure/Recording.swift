import Foundation
import LoadLog

/// Starts and finishes of loads that survive a power cut, by any number of tasks or by one thread.
struct Recording {
  let store: URL
  let seconds: Double
  let callers: Int
  let face: Face

  func run() async throws {
    let loads = try LoadingController.measured(at: store)
    // Makes the store, and waits until it is open.
    try await loads.finishLoading(loads.startLoading(.numbered(0)))
    guard seconds > 0 else { return try await loads.close() }
    let measurement = face == .sync ? try byThread(loads) : try await byTasks(loads)
    try await loads.close()
    measurement.print()
  }

  private func byTasks(_ loads: LoadingController) async throws -> Measurement {
    let watch = Stopwatch(seconds: seconds)
    let latencies = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for caller in 0..<callers {
        group.addTask { try await byTask(loads, caller, watch) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    return Measurement(pairs: latencies.count / 2, elapsed: watch.elapsed, latencies: latencies)
  }

  private func byTask(
    _ loads: LoadingController, _ caller: Int, _ watch: Stopwatch
  ) async throws -> [Int64] {
    var latencies: [Int64] = []
    var number = caller
    var before = watch.elapsed
    while !watch.isOver {
      let load = try await loads.startLoading(.numbered(number), message: "Loading…")
      let between = watch.elapsed
      try await loads.finishLoading(load)
      let after = watch.elapsed
      latencies += [between - before, after - between]
      before = after
      number += callers
    }
    return latencies
  }

  private func byThread(_ loads: LoadingController) throws -> Measurement {
    let watch = Stopwatch(seconds: seconds)
    var latencies: [Int64] = []
    var number = 0
    var before = watch.elapsed
    while !watch.isOver {
      let load = try loads.startLoading(.numbered(number), message: "Loading…")
      let between = watch.elapsed
      try loads.finishLoading(load)
      let after = watch.elapsed
      latencies += [between - before, after - between]
      before = after
      number += 1
    }
    return Measurement(pairs: number, elapsed: watch.elapsed, latencies: latencies)
  }
}
