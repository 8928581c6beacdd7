import Foundation
import Synchronization

/// Runs work on the main actor from a program whose `main` is synchronous.
enum MainThread {
  /// Runs the work and returns when it is done. Call it on the main thread.
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
