/// Transitions for alarms and delays. All times are in nanoseconds on the boot clock.
extension CommitQueueState {
  /// Delay in nanoseconds after which a commit is synchronized, if it alone does not survive a power cut.
  static let synchronizationDelay: Int64 = 5_000_000_000

  /// The alarm for deadlines rang: withdraws the pending starts and commands whose deadline has passed, and gives up those
  /// in flight; the session of a start that is committed nevertheless is abandoned. Other events stay: a finish is true
  /// however late it is recorded. A close that has begun goes on without its callers.
  ///
  /// If the owner is another process, this one may end as soon as its caller has an answer, and could abandon nothing
  /// then. Such a caller waits until the commit that is under way has ended.
  ///
  /// - Returns: the callers to resume with an error, whether they wait for a commit that is under way, and when to schedule
  ///   the next alarm.
  mutating func expire(at boot: Int64) -> (callers: [CommitWaiter], isCommitting: Bool, alarm: Int64?) {
    alarm = nil
    var callers: [CommitWaiter] = []
    var batch = inFlight
    for index in batch.indices where isRepeatable && batch[index].isDue(at: boot) {
      if let waiter = batch[index].waiter { callers.append(waiter) }
      batch[index].forsake()
    }
    if !callers.isEmpty { inFlight = batch }
    callers += pending.removeCallers { $0.isDue(at: boot) }
    callers += closing?.callers.filter { $0.deadline <= boot }.map(\.waiter) ?? []
    closing?.callers.removeAll { $0.deadline <= boot }
    return (callers, !inFlight.isEmpty, nextAlarm())
  }

  /// When to schedule ``expire(at:)``; nil if no caller waits or an alarm is scheduled already. One alarm is enough: of
  /// each kind, callers arrive in the order of their deadlines.
  mutating func nextAlarm() -> Int64? {
    guard alarm == nil else { return nil }
    let committing = isRepeatable ? inFlight.first { $0.waiter != nil }?.deadline : nil
    let event = committing ?? pending.nextDeadline
    alarm = if let closer = closing?.callers.first { min(closer.deadline, event ?? .max) } else { event }
    return alarm
  }

  /// The delay after a failure has passed. The delay is kept: the next one is twice as long, until a commit
  /// succeeds.
  mutating func retryIsDue() -> WriterCall? {
    guard case .failing(let delay) = health else { return nil }
    health = .retryDue(delay: delay)
    return callWriter()
  }

  /// The delay after a commit that does not survive a power cut yet has passed.
  mutating func synchronizationIsDue() -> WriterCall? {
    synchronization = .due
    return callWriter()
  }

  /// The synchronization failed: the last commits may not survive a power cut.
  ///
  /// - Returns: when to schedule the next try; nil if one is planned already.
  mutating func synchronizationFailed(at now: LoadInstant) -> Int64? {
    synchronization == .unneeded ? planSynchronization(at: now) : nil
  }

  mutating func planSynchronization(at now: LoadInstant) -> Int64 {
    synchronization = .planned
    return now.boot &+ Self.synchronizationDelay
  }
}
