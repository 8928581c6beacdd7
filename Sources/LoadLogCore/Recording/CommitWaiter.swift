import Dispatch
import Synchronization

/// A caller that waits for an event to be durable: a task or a thread. Resumed exactly once.
enum CommitWaiter: Sendable {
  case task(UnsafeContinuation<Result<Receipt, LoadLogError>, Never>)
  case thread(ThreadWaiter)

  func resume(_ result: Result<Receipt, LoadLogError>) {
    switch self {
    case .task(let continuation): continuation.resume(returning: result)
    case .thread(let waiter): waiter.resume(result)
    }
  }
}

/// A thread that waits for its result.
final class ThreadWaiter: Sendable {
  private let result = Mutex<Result<Receipt, LoadLogError>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  func resume(_ result: Result<Receipt, LoadLogError>) {
    self.result.withLock { $0 = result }
    semaphore.signal()
  }

  func wait() throws(LoadLogError) -> Receipt {
    semaphore.wait()
    guard let result = result.withLock({ $0 }) else {
      throw LoadLogError(.io, what: "commit queue", why: "a waiting thread was woken without a result")
    }
    return try result.get()
  }
}
