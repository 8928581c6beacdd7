import Foundation
import Testing

/// Plays random schedules to the library and to the plain model and compares every number of `status`.
///
/// A failure prints its seed and a shortened schedule. In the environment, `LOADLOG_ORACLE_SEED` plays one
/// schedule alone, `LOADLOG_ORACLE_SCHEDULES` another number of them, and `LOADLOG_ORACLE_SHRINK=0` leaves
/// failures as long as they are.
@Suite struct OracleTests {
  private static let shards: UInt64 = 8

  private static func option(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment["LOADLOG_ORACLE_\(name)"].flatMap(UInt64.init)
  }

  @Test(arguments: 0..<shards)
  func theLibraryAgreesWithTheModel(shard: UInt64) throws {
    let seeds = Self.option("SEED").map { $0...$0 } ?? 1...(Self.option("SCHEDULES") ?? 2000)
    for seed in seeds where seed % Self.shards == shard {
      let schedule = ScheduleMaker.schedule(seed: seed)
      guard let difference = schedule.firstDifference(try StoreSubject()) else { continue }
      Issue.record("seed \(seed): \(difference)")
      guard Self.option("SHRINK") != 0 else { return }
      let shrunk = try schedule.shrunk { try StoreSubject() }
      let rest = shrunk.firstDifference(try StoreSubject()) ?? "gone when played again"
      Issue.record("seed \(seed), shortened: \(rest)\n\(shrunk)")
      return
    }
  }
}
