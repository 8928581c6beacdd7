import Foundation
@testable import Oracle
import Testing

/// Plays random schedules to the library and to the plain model and compares all numbers of `status`.
///
/// A failure prints its seed and a shortened schedule. The environment variable `LOADLOG_ORACLE_SEED` selects
/// one schedule, `LOADLOG_ORACLE_SCHEDULES` sets the number of schedules, and `LOADLOG_ORACLE_SHRINK=0`
/// disables shortening.
@Suite struct OracleTests {
  private static let shards: UInt64 = 8

  private static func option(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment["LOADLOG_ORACLE_\(name)"].flatMap(UInt64.init)
  }

  @Test(arguments: 0..<shards)
  func theLibraryAgreesWithThePlainModel(shard: UInt64) throws {
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
