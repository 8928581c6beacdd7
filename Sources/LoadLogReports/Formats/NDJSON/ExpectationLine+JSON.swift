import LoadLogCore
import LoadLogJSON

extension ExpectationLine {
  /// Reads a line from its JSON object. The store checks the values, which depend on each other.
  init(_ record: JSONRecord) throws(ImportFault) {
    self.init(
      pattern: try record.required(try record.text(.feed), of: .feed),
      since: try record.time(RecordField.since))
    let isExact = try record.flag(.exact)
    isGlob = FeedPattern(pattern).isGlob && !isExact
    every = try record.integer(.everyNs)
    cron = try record.text(.cron)
    timezone = try record.text(.timezone)
    grace = try record.integer(.graceNs)
    maxRunning = try record.integer(.maxRunningNs)
    maxFailures = try record.integer(.maxFailures)
    anywhere = try record.flag(.anywhere)
    note = try record.text(.note, limit: TextLimit.message)
    pausedAt = try record.optionalTime(.pausedAt)
    pausedUntil = try record.optionalTime(.pausedUntil)
  }

  /// Appends the members of the line's JSON object.
  func append(to bytes: inout [UInt8]) {
    bytes.append("event", text: "expectation")
    bytes.append("feed", text: pattern)
    bytes.append("exact", ifTrue: !isGlob && FeedPattern(pattern).isGlob)
    bytes.append("every_ns", ifAny: every)
    bytes.append("cron", ifAny: cron)
    bytes.append("timezone", ifAny: timezone)
    bytes.append("grace_ns", ifAny: grace)
    bytes.append("max_running_ns", ifAny: maxRunning)
    bytes.append("max_failures", ifAny: maxFailures)
    bytes.append("anywhere", ifTrue: anywhere)
    bytes.append("note", ifAny: note)
    bytes.append("since", time: since)
    bytes.append("paused_at", ifAnyTime: pausedAt)
    bytes.append("paused_until", ifAnyTime: pausedUntil)
  }
}
