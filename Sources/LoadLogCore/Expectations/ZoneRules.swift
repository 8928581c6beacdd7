import Foundation
import Synchronization

/// The offsets of a time zone from UTC, as periods between the changes of its clocks, from 1970 to 2100.
struct ZoneRules: Sendable {
  /// A time during which clocks are not changed, in minutes since 1970 UTC.
  struct Period: Sendable {
    let start: Int64
    var end: Int64
    /// Minutes east of UTC.
    let offset: Int64
    /// The minutes by which clocks were set forward when the period began.
    let jump: Int64
  }

  /// Larger changes, in minutes, are no summer time; cron treats them as corrections of a wrong clock.
  static let mostMinutes: Int64 = 180

  /// The periods, which leave no time out.
  let periods: [Period]

  /// The rules of a zone; nil if there is no such zone. They are read once.
  static func named(_ name: String) -> ZoneRules? {
    known.withLock { known in
      if let rules = known[name] { return rules }
      guard let zone = TimeZone(identifier: name) else { return nil }
      let rules = ZoneRules(zone)
      known[name] = rules
      return rules
    }
  }

  /// The index of the period that contains a minute.
  func period(at minute: Int64) -> Int {
    // The first one has no start.
    periods.partitioningIndex { $0.start > minute } - 1
  }

  private static let known = Mutex<[String: ZoneRules]>([:])

  private init(_ zone: TimeZone) {
    func offset(_ date: Date) -> Int64 { Int64(zone.secondsFromGMT(for: date)) / 60 }
    var date = Date(timeIntervalSince1970: 0)
    var periods = [Period(start: .min, end: .max, offset: offset(date), jump: 0)]
    let end = Date(timeIntervalSince1970: 4_102_444_800)
    while let change = zone.nextDaylightSavingTimeTransition(after: date), change > date, change < end {
      let last = periods[periods.count - 1]
      date = change
      guard case let after = offset(change), after != last.offset else { continue }
      let minute = Int64((change.timeIntervalSince1970 / 60).rounded(.up))
      periods[periods.count - 1].end = minute
      periods.append(Period(start: minute, end: .max, offset: after, jump: after - last.offset))
    }
    self.periods = periods
  }
}
