import GRDB
import LoadLogCore

/// Owners that have running sessions, and the verdicts on those that are dead.
struct DeadOwners {
  let database: Database
  let judge: DeathJudge
  /// The owner that asks. It is alive.
  let asking: SessionID

  /// What was done.
  struct Verdicts {
    /// The number of sessions that got a verdict, by state.
    var sessions: [SessionState: Int] = [:]
    /// Lock files of dead owners.
    var lockNames: [String] = []
    /// What counters must follow.
    var changes: [RecordChange] = []
  }

  /// Gives every running session of a dead owner its verdict. The end of such a session is unknown; it was open at
  /// least until its owner's last commit.
  func makeVerdictsDurable() throws -> Verdicts {
    var verdicts = Verdicts()
    var rules = try StateRules(database)
    var texts = RowCache()
    let rows = try RawStatement(
      database,
      "SELECT \(OwnerRow.columns) FROM owner WHERE id IN (SELECT owner FROM session WHERE state = 0) AND uid <> ?",
      asking)
    lazy var here = judge.here
    for owner in try rows.map(OwnerRow.init) {
      let judgement = judge.judge(owner.record.owner, from: here)
      guard case .dead(let death, let evidence) = judgement else { continue }
      let reason =
        death == .released ? try texts.textRow(AbandonReason.released.rawValue, in: database) : nil
      let lost = try StoredSession.fetchAll(in: database, where: "state = 0 AND owner = ?", owner.id)
      for session in lost {
        try rules.conclude(
          session,
          StateRules.Ending(
            state: death.state, duration: owner.timeOpen(from: session.started), reason: reason))
      }
      verdicts.sessions[death.state, default: 0] += lost.count
      try database.execute(
        sql: "UPDATE owner SET verdict = ?, evidence = ? WHERE id = ?",
        arguments: [death.state.code, evidence, owner.id])
      if death != .released, let name = owner.record.owner.lock?.name { verdicts.lockNames.append(name) }
    }
    verdicts.changes = rules.takeChanges()
    return verdicts
  }
}
