import Foundation
import LoadLog
import LoadLogCore
import Synchronization

/// The loads of a command in the record, one for each attempt. An error is kept for a report; it never stops the command.
final class RunRecording {
  /// The end of a load that could not be recorded.
  struct UnrecordedEnd {
    let id: SessionID
    let verdict: Verdict
    let error: LoadLogError
  }

  /// The load of the current attempt.
  private(set) var id = SessionID()
  /// Why the start of the current attempt was not recorded; nil if it was.
  private(set) var error: LoadLogError?
  /// A load of the feed that was running when the current attempt was to start, and must not be overlapped.
  private(set) var running: SessionID?
  /// The last end that could not be recorded in time. The controller keeps it, and may have recorded it since.
  private(set) var unrecordedEnd: UnrecordedEnd?
  private let verb: RunVerb
  private let message: String?
  private var controller: LoadingController?
  private var callSite: CallSite?
  private var isStarted = false
  /// Whether the start of the current attempt was still being written at its deadline.
  private(set) var isStartUnderWay = false
  /// Whether the store took all events so far; otherwise closing it would only wait for its lock again.
  private var isRecorded = false
  private let saver = Saver()

  /// Whether a thread stores output.
  private final class Saver: Sendable { let isBusy = Mutex(false) }

  init(of verb: RunVerb, message: String?) {
    self.verb = verb
    self.message = message
  }

  /// Records the start of an attempt.
  func start(attempt: Int, keepsOutput: Bool) {
    (id, error, running, isStarted, isStartUnderWay) = (SessionID(), nil, nil, false, false)
    do throws(LoadLogError) {
      try Program.checkArguments()
      let start = try verb.load.start(id, Feed(verb.feed), message: message)
      if controller == nil {
        callSite = try verb.load.origin.value()
        controller = try verb.store.controller(for: .thisProcess)
      }
      guard let controller else { return }
      var details = RunDetails(refusesOverlap: verb.noOverlap)
      if verb.retry != nil { details.facts = RunFacts(attempt: attempt) }
      if keepsOutput { details.output = KeptOutput(total: 0, bytes: []) }
      let receipt = try controller.record(start, callSite: callSite, run: details)
      isRecorded = true
      if case .overlapping(let other) = receipt.outcome { running = other } else { isStarted = true }
    } catch {
      self.error = error
      isRecorded = false
      isStartUnderWay = controller?.isCommitting(startOf: id) ?? false
      if !isStartUnderWay { noticeLateStart() }
    }
  }

  /// A start may reach the store after its deadline, if a slow disk holds up its commit.
  private func noticeLateStart() {
    guard error != nil, let controller else { return }
    isStarted = controller.isCommitting(startOf: id) || storedLoad(id) != nil
    isRecorded = isStarted
    if isStarted { error = nil }
  }

  /// Stores the output so far, on a thread of its own: a store that is busy must not delay the command.
  func save(_ output: @autoclosure () -> KeptOutput?) {
    guard isStarted, let controller, !saver.isBusy.withLock({ $0 }), let output = output() else { return }
    saver.isBusy.withLock { $0 = true }
    let isAtWork = DaemonThread.start { [id, saver] in
      _ = try? controller.record(.ran(id), run: RunDetails(output: output))
      saver.isBusy.withLock { $0 = false }
    }
    if !isAtWork { saver.isBusy.withLock { $0 = false } }
  }

  /// Records the verdict, if the start was recorded.
  func finish(_ verdict: Verdict, _ details: RunDetails) {
    guard let controller else { return }
    if error != nil { controller.awaitCommit() }
    noticeLateStart()
    guard isStarted else { return }
    do throws(LoadLogError) {
      _ = try controller.record(.finish(id, verdict), run: details)
    } catch {
      isRecorded = false
      unrecordedEnd = UnrecordedEnd(id: id, verdict: verdict, error: error)
    }
  }

  /// Ends a load whose command does not run because its start was late.
  func cancelLateStart(_ reason: String) { finish(.cancelled(reason), RunDetails()) }

  /// Records that no attempt follows a load, although one was to follow.
  func endRetries(of load: SessionID) {
    guard isRecorded else { return }
    _ = try? controller?.record(.ran(load), run: RunDetails(facts: RunFacts(isRetried: false)))
  }

  /// Closes the store. If that fails, the record lacks nothing: no load is open any more. After an error, waits only for a
  /// commit that is under way on a slow disk.
  func close() {
    guard isRecorded else {
      controller?.awaitCommit()
      return
    }
    try? controller?.close()
  }

  /// Whether an end has reached the record after its deadline: recorded again, it would be one too many.
  func isRecorded(_ end: UnrecordedEnd) -> Bool {
    storedLoad(end.id).map { $0.state != .running } ?? false
  }

  private func storedLoad(_ id: SessionID) -> LoadingSession? {
    let reader = try? SQLiteLoadReader(at: verb.store.path(), deadline: .seconds(1))
    return (try? reader?.loads(endingIn: id.description))?.first
  }
}
