import Dispatch
import Synchronization

/// Answers values in batches: those that arrive while one batch is answered are the next.
///
/// Any number of tasks may call at the same time; a batch is answered on a thread of its own.
final class Batches<Value: Sendable, Answer: Sendable>: Sendable {
  private typealias Waiting = (value: Value, continuation: CheckedContinuation<Answer?, Never>)

  /// The greatest number of values that wait for the end of a batch.
  private let most: Int
  private let queue: DispatchQueue
  private let waiting = Mutex<[Waiting]>([])
  private let answers: @Sendable ([Value]) -> [Answer]

  /// - Parameters:
  ///   - label: the name of the thread.
  ///   - most: the greatest number of values that wait for the end of a batch.
  ///   - answers: returns an answer to each of the values, which are in the order of their arrival. Blocks its thread.
  init(_ label: String, most: Int, answers: @escaping @Sendable ([Value]) -> [Answer]) {
    self.most = most
    queue = DispatchQueue(label: label)
    self.answers = answers
  }

  /// The answer to a value; nil if as many wait as may.
  func answer(_ value: Value) async -> Answer? {
    await withCheckedContinuation { continuation in
      let waits = waiting.withLock { waiting in
        guard waiting.count < most else { return false }
        waiting.append((value, continuation))
        return true
      }
      if waits { queue.async { [self] in answerAll() } } else { continuation.resume(returning: nil) }
    }
  }

  private func answerAll() {
    let batch = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    // An earlier batch may have had the value for which this was called.
    guard !batch.isEmpty else { return }
    for (one, answer) in zip(batch, answers(batch.map(\.value))) {
      one.continuation.resume(returning: answer)
    }
  }
}
