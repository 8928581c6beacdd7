import LoadLogLibC

/// Starts threads that may run until the process ends. Foundation's `Thread` does not report that the system provided
/// no thread, and a caller would wait for its work forever.
package enum DaemonThread {
  /// Throws `io` if the system gives no more threads, as after `ulimit -u`. Call it before a connection is opened: no
  /// deadline would end its questions, and at its end libdispatch would wait for a thread forever.
  package static func require() throws(LoadLogError) {
    guard AlarmThread.shared.start(), start({}) else {
      throw LoadLogError(
        .io, what: "store", why: "the system provides no thread to work with",
        advice: "Raise the limit on processes (ulimit -u) or on memory.")
    }
  }

  /// Starts a thread.
  ///
  /// - Returns: false if the system gives no thread, because of a limit or for lack of memory.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(ThreadBody(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    // The argument is optional on some systems only.
    let failure = pthread_create(
      &thread, nil,
      { work in
        guard let work = work as UnsafeMutableRawPointer? else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(work).takeRetainedValue().run()
        return nil
      }, work.toOpaque())
    guard failure == 0 else {
      work.release()
      return false
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
    return true
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
