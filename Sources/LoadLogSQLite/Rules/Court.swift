import LoadLogCore

/// What judging dead owners needs: processes, locks and clocks.
struct Court: Sendable {
  let processes: any ProcessTable
  let locks: any LockTable
  let clock: any LoadClock
  /// Why it is not known whether owners are alive, by their rows, in an image of a fleet. All others are alive there,
  /// because each host has judged its own. Nil for a store, whose owners are judged here.
  var unseenOwners: [Int64: String]?
  /// Whether the record is an image of all hosts of a fleet together.
  var isOfAllHosts = false

  /// A judge with the time of this moment.
  var judge: DeathJudge { DeathJudge(processes: processes, locks: locks, now: clock.now()) }
}
