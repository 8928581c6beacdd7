import Foundation
import GRDB
import LoadLogCore

extension StoreDoctor {
  /// Reports what waits for a fleet's database, and how the last round ended. A store without a fleet has no finding.
  static func examineFleet(
    _ database: Database, machineID: String, _ diagnosis: inout StoreDiagnosis
  ) throws {
    guard let row = try FleetRow.fetch(in: database) else { return }
    let waiting = try OutboxPick.waitingText(in: database, row.progress)
    guard row.machineID == machineID else {
      return diagnosis.add(
        .warning, .fleet, "this is a copy of a store that another machine ships as \(row.name)",
        advice: "If it is to ship, too, run loadlog sync --as-new-host once.")
    }
    let last = row.syncedAt.map { "the last complete sync was at \(time($0))" } ?? "no sync has completed"
    if let failure = row.failure, let failedAt = row.failedAt {
      diagnosis.add(
        .warning, .fleet,
        "as \(row.name): \(waiting); \(last); the one at \(time(failedAt)) failed: \(failure.text)",
        advice: failure.advice ?? "Run loadlog sync to try again.")
    } else {
      diagnosis.add(.ok, .fleet, "as \(row.name): \(waiting); \(last)")
    }
  }

  private static func time(_ wall: Int64) -> String {
    Date(microseconds: wall).formatted(.iso8601)
  }
}
