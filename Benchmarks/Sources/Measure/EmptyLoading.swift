import Foundation
import LoadLog

/// `loading { }` around an empty body: records loads without waiting for the disk.
struct EmptyLoading {
  let store: URL
  let seconds: Double
  let face: Face

  func run() async throws {
    let loads = try LoadingController.measured(at: store, .process)
    await loads.loading(.numbered(0)) {}
    let measurement = face == .sync ? byThread(loads) : await byTask(loads)
    if let failure = loads.failure { throw failure }
    try await loads.close()
    measurement.print()
  }

  private func byTask(_ loads: LoadingController) async -> Measurement {
    let watch = Stopwatch(seconds: seconds)
    var number = 0
    while !watch.isOver {
      await loads.loading(.numbered(number), message: "Loading…") {}
      number += 1
    }
    return Measurement(pairs: number, elapsed: watch.elapsed)
  }

  private func byThread(_ loads: LoadingController) -> Measurement {
    let watch = Stopwatch(seconds: seconds)
    var number = 0
    while !watch.isOver {
      loads.loading(.numbered(number), message: "Loading…") {}
      number += 1
    }
    return Measurement(pairs: number, elapsed: watch.elapsed)
  }
}
