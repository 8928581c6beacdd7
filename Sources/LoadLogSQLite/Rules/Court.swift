import LoadLogCore

/// What judging dead owners needs: processes, locks and clocks.
struct Court: Sendable {
  let processes: any ProcessTable
  let locks: any LockTable
  let clock: any LoadClock

  /// A judge with the time of this moment.
  var judge: DeathJudge { DeathJudge(processes: processes, locks: locks, now: clock.now()) }
}
