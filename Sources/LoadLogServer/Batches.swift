import Dispatch
import Synchronization

/// Answers values in batches: those that arrive while one batch is answered are the next.
///
/// Any number of tasks may call at the same time; a batch is answered on a thread of its own.
final class Batches<Value: Sendable, Answer: Sendable>: Sendable {
  private typealias Waiting = (value: Value, continuation: CheckedContinuation<Answer, Never>)

  private let queue: DispatchQueue
  private let waiting = Mutex<[Waiting]>([])
  private let answers: @Sendable ([Value]) -> [Answer]

  /// - Parameters:
  ///   - label: the name of the thread.
  ///   - answers: returns an answer to each of the values, which are in the order of their arrival. Blocks its thread.
  init(_ label: String, answers: @escaping @Sendable ([Value]) -> [Answer]) {
    queue = DispatchQueue(label: label)
    self.answers = answers
  }

  /// The answer to a value.
  func answer(_ value: Value) async -> Answer {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0.append((value, continuation)) }
      queue.async { [self] in answerAll() }
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
