import LoadLogCore
import LoadLogJSON

extension SealedDayLine {
  /// Reads a line from its JSON object.
  init(_ record: JSONRecord, feeds: inout FeedPool) throws(ImportFault) {
    let (feed, day) = (try record.feed(&feeds), try record.day())
    self.init(feed: feed, day: UTCDay(number: try record.required(day, of: .day)))
    rows = try record.tally(.rows)
    firstStart = try record.optionalTime(.firstStart)
    loads = try record.tally(.loads)
    for state in SessionState.allCases {
      if let field = RecordField(state), case let count = try record.tally(field), count > 0 {
        verdicts[state] = count
      }
    }
    busy = try record.tally(.busyNs)
    peakDepth = try record.tally(.peakDepth)
    busyUntil = try record.optionalTime(.busyUntil)
    succeededDurations = try DurationTally(record, fields: .succeeded)
    otherDurations = try DurationTally(record, fields: .other)
  }
}

extension DurationTally {
  /// Keys of one of the two groups of durations.
  struct Fields {
    let count, sum, min, max, zeros, buckets: RecordField

    static let succeeded = Fields(
      count: .succeededCount, sum: .succeededSumNs, min: .succeededMinNs, max: .succeededMaxNs,
      zeros: .succeededZeros, buckets: .succeededBuckets)
    static let other = Fields(
      count: .otherCount, sum: .otherSumNs, min: .otherMinNs, max: .otherMaxNs, zeros: .otherZeros,
      buckets: .otherBuckets)
  }

  fileprivate init(_ record: JSONRecord, fields: Fields) throws(ImportFault) {
    let numbers = try record.integers(fields.buckets)
    guard numbers.count.isMultiple(of: 2) else {
      throw record.fault("\(fields.buckets.name) is not an array of pairs")
    }
    let buckets = stride(from: 0, to: numbers.count, by: 2).map {
      DurationHistogram.Bucket(index: Int(clamping: numbers[$0]), count: Int(clamping: numbers[$0 + 1]))
    }
    let zeros = Int(clamping: try record.tally(fields.zeros))
    guard let histogram = DurationHistogram(zeroCount: zeros, buckets: buckets) else {
      throw record.fault("\(fields.buckets.name) has pairs that are out of order or out of range")
    }
    guard try record.tally(fields.count) == Int64(histogram.count) else {
      throw record.fault("\(fields.count.name) is not the number of durations in the histogram")
    }
    self.init(
      histogram: histogram, sum: try record.tally(fields.sum), least: try record.integer(fields.min) ?? .max,
      greatest: try record.integer(fields.max) ?? 0)
  }
}
