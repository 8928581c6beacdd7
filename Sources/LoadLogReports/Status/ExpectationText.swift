import LoadLogCore

/// Describes expectations in words and in JSON.
enum ExpectationText {
  /// "every 1 d", "10 2 * * * Europe/Berlin on any host", or "no schedule".
  static func schedule(_ expected: FeedExpectation) -> String {
    let times =
      switch expected.expectation.schedule {
      case .interval(let interval): "every \(DurationText.limit(interval))"
      case .cron(let cron): VisibleText.line("\(cron.expression) \(cron.timezone)")
      case nil: expected.fault == nil ? "no schedule" : "unreadable schedule"
      }
    return times + (expected.expectation.anywhere == true ? " on any host" : "")
  }

  /// "every 1 d, 1 h of grace, running at most 2 h, failing after 3 failures; next due 22 Nov 02:10": what is expected of a feed, and what it
  /// is up to; nil if nothing is expected.
  static func line(_ status: FeedStatus, at now: Int64, _ time: LocalTime) -> String? {
    guard let expected = status.expectation else { return nil }
    let grace = grace(of: status) ?? expected.expectation.grace.map(DurationText.limit)
    let parts = [schedule(expected), grace.map { "\($0) of grace" }] + limits(expected)
    let note = expected.expectation.note.map { " (\(VisibleText.line($0)))" } ?? ""
    let from = expected.pattern.isGlob ? ", by \(VisibleText.line(expected.pattern.text))" : ""
    return parts.compactMap(\.self).joined(separator: ", ") + note + from + "; "
      + state(status, at: now, time)
  }

  /// "running at most 2 h", "failing after 3 failures".
  static func limits(_ expected: FeedExpectation) -> [String] {
    [
      expected.expectation.maxRunning.map { "running at most \(DurationText.limit($0))" },
      expected.expectation.maxFailures.map { "failing after \(Words.count($0, "failure"))" },
    ].compactMap(\.self)
  }

  /// The grace of a feed: exact as it was set, rounded if it was learned; nil if nothing is due.
  static func grace(of status: FeedStatus) -> String? {
    let isSet = status.expectation?.expectation.grace != nil
    return status.graceUsed.map(isSet ? DurationText.limit : DurationText.learned)
  }

  /// A due time, or the end of its grace, in the zone of its schedule, which is named if its clocks show another time:
  /// "02:10 Europe/Berlin".
  static func due(_ wall: Int64, of status: FeedStatus, at now: Int64, _ time: LocalTime) -> String {
    let local = time.due(wall, grace: status.graceUsed, near: now)
    guard case .cron(let cron)? = status.expectation?.expectation.schedule else { return local }
    let offset = cron.offset(at: wall)
    guard offset != time.zone.offset(at: wall / 1_000_000).seconds else { return local }
    let zone = LocalZone { _ in LocalZone.Offset(seconds: offset, abbreviation: "") }
    let there = LocalTime(zone: zone).due(wall, grace: status.graceUsed, near: now)
    return "\(there) \(VisibleText.line(cron.timezone))"
  }

  /// "paused until 14:05", "late, due 02:10", "next due 22 Nov 02:10", "due 02:10, late from 03:10", "due 02:10, still
  /// running", "fine", or "fine here; the fleet says if it is late".
  static func state(_ status: FeedStatus, at now: Int64, _ time: LocalTime) -> String {
    if status.isPaused {
      return status.expectation?.pause?.until.map { "paused until \(time.minute($0, near: now))" } ?? "paused"
    }
    func text(_ wall: Int64) -> String { Self.due(wall, of: status, at: now, time) }
    let due = status.dueTime.map { "due \(text($0))" }
    let words = status.problems.map(\.rawValue).joined(separator: ", ")
    guard status.problems.isEmpty else { return [words, due].compactMap(\.self).joined(separator: "; ") }
    if status.isJudgedByFleet { return "fine here; the fleet says if it is late" }
    guard let due, let wall = status.dueTime, let grace = status.graceUsed else { return "fine" }
    guard wall <= now else { return "next \(due)" }
    let late = wall.addingClamping(grace / 1000)
    return late <= now ? "\(due), still running" : "\(due), late from \(text(late))"
  }
}

extension FeedExpectation {
  /// The expectation as it was set.
  var json: JSONValue {
    let line = ExpectationLine(self)
    return [
      "pattern": .string(line.pattern), "glob": .bool(line.isGlob), "every": .seconds(line.every),
      "cron": .text(line.cron), "timezone": .text(line.timezone), "grace": .seconds(line.grace),
      "max_running": .seconds(line.maxRunning),
      "max_failures": .count(expectation.maxFailures), "anywhere": .bool(line.anywhere),
      "note": .text(line.note), "since": .moment(line.since),
      "paused_at": .moment(line.pausedAt), "paused_until": .moment(line.pausedUntil), "fault": .text(fault),
    ]
  }
}

extension FeedStatus {
  /// What is expected of the feed, and when it is due; null if nothing is expected.
  var expectationJSON: JSONValue {
    guard let expected = expectation else { return nil }
    let line = ExpectationLine(expected)
    return [
      "pattern": .string(line.pattern), "every": .seconds(line.every), "cron": .text(line.cron),
      "timezone": .text(line.timezone), "due": .moment(dueTime), "grace": .seconds(graceUsed),
      "max_running": .seconds(line.maxRunning), "max_failures": .count(expected.expectation.maxFailures ?? 1),
      "anywhere": .bool(line.anywhere), "note": .text(line.note), "since": .moment(line.since),
      "paused": .bool(isPaused), "paused_until": isPaused ? .moment(line.pausedUntil) : nil,
    ]
  }
}
