import Foundation
import GRDB
import LoadLogCore

/// Owners that still have running sessions, and the verdicts on those that are dead.
struct DeadOwners {
  let database: Database
  let judge: DeathJudge
  /// The owner that asks: it lives.
  let asking: SessionID

  init(_ database: Database, judge: DeathJudge, except asking: SessionID) {
    self.database = database
    self.judge = judge
    self.asking = asking
  }

  /// What was done.
  struct Verdicts {
    /// How many sessions got a verdict, by state.
    var sessions: [SessionState: Int] = [:]
    /// Lock files that nobody holds any more.
    var lockNames: [String] = []
  }

  /// Gives every running session of a dead owner its verdict. Its end is unknown; it was open until its
  /// owner's last commit at least.
  func makeVerdictsDurable() throws -> Verdicts {
    var verdicts = Verdicts()
    var summaries = SummaryChanges()
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT \(OwnerRow.columns) FROM owner
        WHERE id IN (SELECT owner FROM session WHERE \(NewSessions.running)) AND uid <> ?
        """,
      arguments: [asking.data])
    for row in rows {
      let (ownerRow, record): (Int64, OwnerRecord) = (try row.at(0), try OwnerRow.record(row, in: database))
      guard case .dead(let death, let evidence) = judge.judge(record.owner) else { continue }
      // They are counted as running first; then they are in the index of what runs, too.
      if verdicts.sessions.isEmpty { try Settlement.count(database) }
      let reason = death == .released ? try releasedText() : nil
      let lost = try OpenSession.fetchAll(
        in: database, where: "state = 0 AND is_new = 0 AND owner = ?", ownerRow)
      for session in lost {
        summaries.addImbalance(
          1, session.site(death.state), at: session.started.wall, isAcknowledged: false)
      }
      try database.execute(
        sql: """
          UPDATE session SET state = ?, duration = max(0, coalesce(?, started_boot) - started_boot), reason = ?
          WHERE state = 0 AND is_new = 0 AND owner = ?
          """,
        arguments: [death.state.code, record.lastSign?.boot, reason, ownerRow])
      verdicts.sessions[death.state, default: 0] += lost.count
      try database.execute(
        sql: "UPDATE owner SET verdict = ?, evidence = ? WHERE id = ?",
        arguments: [death.state.code, evidence, ownerRow])
      if death != .released, let name = record.owner.lock?.name { verdicts.lockNames.append(name) }
    }
    try summaries.write(to: database)
    return verdicts
  }

  private func releasedText() throws -> Int64? {
    var scope = WriteScope(settlement: Settlement())
    return try scope.textRow(AbandonReason.released.rawValue, in: database)
  }
}
