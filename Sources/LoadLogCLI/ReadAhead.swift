import Dispatch
import LoadLog
import LoadLogCore
import Synchronization

/// Values that a thread of its own makes while those before them are used, some ahead and no more.
///
/// One thread takes them. Whoever stops taking them may leave that thread waiting until the process ends.
final class ReadAhead<Value: Sendable>: Sendable {
  typealias Source = @Sendable () throws(LoadLogError) -> Value?

  private let source: Source
  private let isAhead: Bool
  private let made: Made

  private final class Made: Sendable {
    let results = Mutex<[Result<Value?, LoadLogError>]>([])
    /// None is freed while it stands below where it began; so both begin with nothing.
    let room = DispatchSemaphore(value: 0), count = DispatchSemaphore(value: 0)

    init(_ most: Int) { for _ in 0..<most { room.signal() } }
  }

  /// Begins to make them.
  ///
  /// - Parameters:
  ///   - most: how many may wait to be taken.
  ///   - source: makes the next; nil, or an error, is the last. Called by one thread at a time.
  init(_ most: Int, _ source: @escaping Source) {
    let made = Made(most)
    self.source = source
    self.made = made
    // Where the system gives no thread each is made when it is taken.
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

  /// The next value; nil after the last, and then no more may be asked for.
  func next() throws(LoadLogError) -> Value? {
    guard isAhead else { return try source() }
    made.count.wait()
    let result = made.results.withLock { $0.removeFirst() }
    made.room.signal()
    return try result.get()
  }
}
