import Dispatch
import Synchronization

/// Does work that blocks on a thread of its own, one piece after the other. Any number of tasks may call at the same time.
final class WorkQueue: Sendable {
  /// The greatest number of pieces that wait or are done.
  static let most = 64

  private let queue: DispatchQueue
  private let taken = Mutex(0)

  /// - Parameter label: the name of the thread.
  init(_ label: String) { queue = DispatchQueue(label: label) }

  /// Does a piece of work after those before it.
  ///
  /// - Returns: its result; nil at once if there are as many pieces as there may be.
  func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
    let isTaken = taken.withLock { taken in
      guard taken < Self.most else { return false }
      taken += 1
      return true
    }
    guard isTaken else { return nil }
    return await withCheckedContinuation { continuation in
      queue.async { [self] in
        let value = work()
        taken.withLock { $0 -= 1 }
        continuation.resume(returning: value)
      }
    }
  }
}
