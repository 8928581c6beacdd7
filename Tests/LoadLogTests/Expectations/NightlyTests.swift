import Foundation
import LoadLog
import LoadLogTestSupport
import Testing

/// A nightly backup over a year in which clocks are set forward and back.
@Suite struct NightlyTests {
  private let place: TemporaryStore
  private let clock: ManualClock
  private let loads: LoadingController

  /// 21 November 2026, 12:00 in Berlin.
  private static let start: Int64 = 1_795_258_800_000_000
  private static let minute: Int64 = 60_000_000
  /// 28 March 2027, 01:00 UTC: clocks in Berlin skip from 02:00 to 03:00. On 31 October they show 02:10 twice.
  private static let forward: Int64 = 1_806_195_600_000_000

  init() throws {
    place = try TemporaryStore()
    let clock = ManualClock(wall: Self.start)
    self.clock = clock
    var options = LoadingController.Options()
    options.clock = clock
    loads = try LoadingController(storeAt: place.url, options: options)
  }

  private func move(to wall: Int64) { clock.stepWall(by: .microseconds(wall - clock.now().wall)) }

  private func status() throws -> FeedStatus {
    try #require(try loads.ask { try $0.status(LoadFilter(), runningLimit: nil) }.feeds.first)
  }

  private func problems(at wall: Int64) throws -> [FeedProblem] {
    move(to: wall)
    return try status().problems
  }

  /// The due time of a night in Berlin: 02:10, or 03:00 where clocks skip it.
  private func due(_ night: Int) -> Int64 {
    var calendar = Calendar(identifier: .gregorian)
    guard let zone = TimeZone(identifier: "Europe/Berlin") else { return 0 }
    calendar.timeZone = zone
    let noon = calendar.date(
      byAdding: .day, value: night, to: Date(timeIntervalSince1970: Double(Self.start) / 1e6))
    let midnight = calendar.startOfDay(for: noon ?? .distantPast)
    let wall = Int64(midnight.timeIntervalSince1970 * 1e6)
    return wall + 60 * Self.minute < Self.forward && Self.forward < wall + 180 * Self.minute
      ? Self.forward : wall + 130 * Self.minute
  }

  @Test func isLateFromItsGraceOnAndOnTimeBefore() throws {
    try loads.expect(
      Expectation(.cron(CronSchedule("10 2 * * *", timezone: "Europe/Berlin")), grace: 3_600_000_000_000),
      of: "backup/db")
    for night in 1...365 {
      let due = due(night)
      let late = due + 60 * Self.minute
      #expect(try problems(at: due).isEmpty, "night \(night)")
      #expect(try problems(at: late - 1).isEmpty, "night \(night)")
      #expect(try problems(at: late) == [.late], "night \(night)")
      loads.loading("backup/db") {}
      #expect(try problems(at: late + 1).isEmpty, "night \(night)")
      #expect(try status().dueTime == self.due(night + 1), "night \(night)")
    }
  }
}
