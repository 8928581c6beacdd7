import Foundation

/// Time since `init`, and whether the given length is over.
struct Stopwatch: Sendable {
  private let began = clock_gettime_nsec()
  private let length: Int64

  init(seconds: Double) { length = Int64(seconds * 1e9) }

  /// Nanoseconds.
  var elapsed: Int64 { clock_gettime_nsec() - began }

  var isOver: Bool { elapsed >= length }
}

/// Monotonic time in nanoseconds.
private func clock_gettime_nsec() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The result of one run.
struct Measurement {
  let pairs: Int
  /// Nanoseconds.
  let elapsed: Int64
  /// Durations of single calls, in nanoseconds.
  var latencies: [Int64] = []
  var allocations: Int?

  func print() {
    var fields = ["\"pairs\": \(pairs)", "\"seconds\": \(Double(elapsed) / 1e9)"]
    let sorted = latencies.sorted()
    if let most = sorted.last {
      fields += [
        "\"p50\": \(sorted[sorted.count / 2])", "\"p99\": \(sorted[sorted.count * 99 / 100])",
        "\"max\": \(most)",
      ]
    }
    if let allocations { fields.append("\"allocations\": \(allocations)") }
    Swift.print("{\(fields.joined(separator: ", "))}")
  }
}
