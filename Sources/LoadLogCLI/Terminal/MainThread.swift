import Foundation
import Synchronization

/// Work of the main actor, done from a program that is not asynchronous itself.
enum MainThread {
  /// Does the work and returns when it is done. To be called on the main thread.
  static func run<Value: Sendable>(
    _ work: @escaping @MainActor @Sendable () async throws -> Value
  ) throws -> Value {
    let result = Mutex<Result<Value, any Error>?>(nil)
    let done = { @Sendable (end: Result<Value, any Error>) in result.withLock { $0 = end } }
    Task { @MainActor in
      do {
        done(.success(try await work()))
      } catch {
        done(.failure(error))
      }
    }
    while true {
      if let end = result.withLock({ $0 }) { return try end.get() }
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
    }
  }
}
