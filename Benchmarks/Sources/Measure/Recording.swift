import Foundation
import LoadLog

/// Starts and finishes of loads that survive a power cut, as fast as the callers can: by tasks or by one thread.
struct Recording {
  let store: URL
  let seconds: Double
  /// Tasks for each controller.
  let callers: Int
  let face: Face
  /// Controllers of this process on the one store.
  var controllers = 1

  func run() async throws {
    var opened: [LoadingController] = []
    for _ in 0..<controllers {
      let loads = try LoadingController.measured(at: store)
      // Creates the store if it is missing, and waits until it is open.
      try await loads.finishLoading(loads.startLoading(.numbered(0)))
      opened.append(loads)
    }
    let measurement = try await measure(opened)
    for loads in opened { try await loads.close() }
    measurement?.print()
  }

  private func measure(_ opened: [LoadingController]) async throws -> Measurement? {
    guard seconds > 0 else { return nil }
    return face == .sync ? try byThread(opened[0]) : try await byTasks(opened)
  }

  private func byTasks(_ opened: [LoadingController]) async throws -> Measurement {
    let watch = Stopwatch(seconds: seconds)
    let latencies = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for caller in 0..<callers * opened.count {
        group.addTask { try await byTask(opened[caller % opened.count], caller, watch) }
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
      // Steps over the feeds of the other callers, so that all feeds are loaded equally often.
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
