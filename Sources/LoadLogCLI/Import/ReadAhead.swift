import Dispatch
import LoadLog
import LoadLogCore
import Synchronization

/// A bounded buffer that a thread fills with values while the caller uses earlier ones.
///
/// One thread takes the values. If it stops before the last value, the filling thread may wait until the process ends.
final class ReadAhead<Value: Sendable>: Sendable {
  typealias Source = @Sendable () throws(LoadLogError) -> Value?

  private let source: Source
  private let isAhead: Bool
  private let made: Made

  private final class Made: Sendable {
    let results = Mutex<[Result<Value?, LoadLogError>]>([])
    /// Both start at 0: Dispatch traps if a semaphore is released while its value is below its initial value.
    let room = DispatchSemaphore(value: 0), count = DispatchSemaphore(value: 0)

    init(_ most: Int) { for _ in 0..<most { room.signal() } }
  }

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - most: maximum number of values in the buffer.
  ///   - source: returns the next value; nil, or an error, ends the sequence. Called by one thread at a time.
  init(_ most: Int, _ source: @escaping Source) {
    let made = Made(most)
    self.source = source
    self.made = made
    // If the system provides no thread, `next` calls the source itself.
    isAhead = DaemonThread.start {
      var goesOn = true
      while goesOn {
        made.room.wait()
        let result = Result { () throws(LoadLogError) in try source() }
        if case .success(.some) = result {} else { goesOn = false }
        made.results.withLock { $0.append(result) }
        made.count.signal()
      }
    }
  }

  /// The next value; nil after the last one. Do not call it again after nil or an error.
  func next() throws(LoadLogError) -> Value? {
    guard isAhead else { return try source() }
    made.count.wait()
    let result = made.results.withLock { $0.removeFirst() }
    made.room.signal()
    return try result.get()
  }
}
