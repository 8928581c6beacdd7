public import Foundation

/// Judges whether an owner can still finish its loads, and gives the evidence.
///
///     let judge = DeathJudge(
///       processes: SystemProcessTable(), locks: FolderLockTable(folder: folder), now: clock.now())
///     switch judge.judge(owner) { … }
///
/// A death is proven, never guessed by age. In this order:
///
/// 1. Another boot id: on the same machine it is `rebooted`, else unknown; but alive if its lock is held, as no lock
///    survives a restart. Containers can have boot ids of their own.
/// 2. In the same pid namespace: no such process, a zombie, or a process that started at another time (in
///    the same time namespace only) is `crashed`.
/// 3. Its lock file is free: `crashed`, or `released` if rule 2 shows the process alive.
/// 4. Otherwise unknown; or alive, if rule 2 or a held lock shows it.
///
/// A detached owner has no process: only rule 1 applies. A remote owner is never judged. Do not judge an owner that has
/// closed: it would be found dead. Reads the system, writes nothing, callable on any thread.
public struct DeathJudge: Sendable {
  private let processes: any ProcessTable
  private let locks: any LockTable
  private let now: LoadInstant?
  private let timeZone: TimeZone?

  /// Makes a judge.
  ///
  /// - Parameters:
  ///   - processes: The processes as seen from here.
  ///   - locks: The locks of the store's owners.
  ///   - now: Both clocks, from which the evidence computes when the machine started; nil leaves that out.
  ///   - timeZone: The time zone of that time; nil for the current one, which takes milliseconds to find and is
  ///     determined only if the evidence is a restart.
  public init(
    processes: any ProcessTable, locks: any LockTable, now: LoadInstant? = nil,
    timeZone: TimeZone? = nil
  ) {
    self.processes = processes
    self.locks = locks
    self.now = now
    self.timeZone = timeZone
  }

  /// Why nothing is known of a detached owner, unless its machine has restarted.
  package static let noProcess = "it has no process (detached)"

  /// Judges an owner that has not closed its store.
  public func judge(_ owner: Owner) -> Judgement { judge(owner, from: here) }

  /// The process that judges. Finding it takes several calls of the system, so it is passed on to judge many owners.
  package var here: ProcessIdentity { processes.current }

  /// Judges an owner that has not closed its store, as seen from this process.
  package func judge(_ owner: Owner, from here: ProcessIdentity) -> Judgement {
    guard owner.kind != .remote else { return .alive }
    let evidence = DeathEvidence(owner: owner)
    let bootsAreKnown = !here.bootID.isEmpty && !owner.process.bootID.isEmpty
    // Probe the lock before the process. If the lock is free and the process is alive *afterwards*, a living process
    // released it. In the other order, the process could have died between the two checks:
    //
    //     judge                       owner
    //     finds the process alive
    //                                 dies; the kernel releases its lock
    //     finds the lock free, and would report `released`
    let lock = owner.kind == .library ? owner.lock.map(locks.probe) : nil
    if bootsAreKnown, owner.process.bootID != here.bootID {
      return lock == .held ? .alive : judgeByBoot(owner.process, here, evidence)
    }
    guard owner.kind != .detached, owner.process.pid > 0 else {
      return .unknown(evidence: Self.noProcess)
    }
    let sight = bootsAreKnown ? look(at: owner.process, from: here, evidence) : .unseen(evidence.noBoot)
    return conclude(sight, lock ?? .unreadable, evidence)
  }
}

extension DeathJudge {
  /// The result of rule 2.
  private enum Sight {
    case dead(DeathEvidence.Death)
    case alive
    /// Proves nothing, for this reason.
    case unseen(String)
  }

  private func judgeByBoot(
    _ process: ProcessIdentity, _ here: ProcessIdentity, _ evidence: DeathEvidence
  ) -> Judgement {
    guard !process.machineID.isEmpty, !here.machineID.isEmpty else {
      return .unknown(evidence: evidence.unknownMachine)
    }
    guard process.machineID == here.machineID else { return .unknown(evidence: evidence.otherMachine) }
    return .dead(.rebooted, evidence: DeathEvidence.restart(now: now, in: timeZone ?? .current))
  }

  private func look(
    at process: ProcessIdentity, from here: ProcessIdentity, _ evidence: DeathEvidence
  ) -> Sight {
    guard let namespace = process.pidNamespace, here.pidNamespace != nil else {
      return .unseen(evidence.unknownNamespace)
    }
    guard namespace == here.pidNamespace else { return .unseen(evidence.otherNamespace) }
    switch processes.observe(process.pid) {
    case .gone: return .dead(.gone)
    case .zombie: return .dead(.zombie)
    case .hidden: return .unseen(evidence.hidden)
    case .present(let ticks):
      guard process.timeNamespace == here.timeNamespace else {
        return .unseen(evidence.otherTimeNamespace)
      }
      guard let started = process.startTicks else { return .unseen(evidence.unknownStart) }
      return started == ticks ? .alive : .dead(.replaced(later: ticks > started))
    }
  }

  private func conclude(_ sight: Sight, _ lock: LockProbe, _ evidence: DeathEvidence) -> Judgement {
    switch (sight, lock) {
    case (.dead(let death), _):
      .dead(.crashed, evidence: evidence.death(death, lockIsFree: lock == .free))
    case (.alive, .free): .dead(.released, evidence: evidence.released)
    case (.unseen, .free): .dead(.crashed, evidence: evidence.lockIsFree)
    case (.alive, _), (.unseen, .held): .alive
    case (.unseen(let reason), .unreadable): .unknown(evidence: reason)
    }
  }
}
