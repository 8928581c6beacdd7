#if Fleet
  import Foundation
  import Synchronization

  /// Work on a thread of its own: it blocks, and the pool of the tests has few threads.
  final class Background<Value: Sendable>: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<Value, any Error>?>(nil)

    init(_ work: @escaping () throws -> Value) {
      nonisolated(unsafe) let work = work
      Thread.detachNewThread {
        let result = Result { try work() }
        self.result.withLock { $0 = result }
        self.done.signal()
      }
    }

    func value() throws -> Value? {
      done.wait()
      return try result.withLock { $0 }?.get()
    }
  }
#endif
