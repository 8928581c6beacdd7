import LoadLogCore

extension SealedDayLine {
  /// Appends the members of the line's JSON object.
  func append(to bytes: inout [UInt8]) {
    bytes.append("event", text: "sealed_day")
    bytes.append("feed", text: feed?.name)
    bytes.append("day", text: UTCTime.day(day.start))
    bytes.append("rows", number: rows)
    bytes.append("first_start", ifAnyTime: firstStart)
    bytes.append("loads", number: loads)
    for state in SessionState.allCases {
      if let count = verdicts[state], count != 0 { bytes.append(state.rawValue, tally: count) }
    }
    bytes.append("busy_ns", number: busy)
    bytes.append("peak_depth", number: peakDepth)
    bytes.append("busy_until", ifAnyTime: busyUntil)
    succeededDurations.append(.succeeded, to: &bytes)
    otherDurations.append(.other, to: &bytes)
  }
}

extension DurationTally {
  fileprivate func append(_ fields: Fields, to bytes: inout [UInt8]) {
    guard count != 0 else { return }
    bytes.append(fields.count.name, tally: Int64(count))
    bytes.append(fields.sum.name, tally: sum)
    bytes.append(fields.min.name, tally: least)
    bytes.append(fields.max.name, tally: greatest)
    if histogram.zeroCount != 0 { bytes.append(fields.zeros.name, tally: Int64(histogram.zeroCount)) }
    bytes.append(key: fields.buckets.name)
    bytes.append(UInt8(ascii: "["))
    for bucket in histogram.buckets {
      if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
      bytes.append(UInt8(ascii: "["))
      bytes.append(number: Int64(bucket.index))
      bytes.append(UInt8(ascii: ","))
      bytes.append(number: Int64(bucket.count))
      bytes.append(UInt8(ascii: "]"))
    }
    bytes.append(UInt8(ascii: "]"))
  }
}

extension [UInt8] {
  fileprivate mutating func append(key: String) {
    append(UInt8(ascii: ","))
    append(json: key)
    append(UInt8(ascii: ":"))
  }

  fileprivate mutating func append(_ key: String, tally: Int64) {
    append(key: key)
    append(number: tally)
  }
}
