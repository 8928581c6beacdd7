import LoadLogCore

extension SealedDayLine {
  /// Makes a line of its object.
  init(_ record: JSONRecord, _ feeds: inout FeedPool) throws(ImportFault) {
    self.init(feed: try record.feed(&feeds), day: try record.day())
    loads = try record.tally(.loads)
    for state in SessionState.allCases {
      if let field = RecordField(state), let count = try record.integer(field) { verdicts[state] = count }
    }
    for kind in UnmatchedKind.allCases {
      if let field = RecordField(kind), let count = try record.integer(field) { unmatched[kind] = count }
    }
    popsAfterReset = try record.tally(.popsAfterReset)
    busy = try record.tally(.busyNs)
    peakDepth = try record.tally(.peakDepth)
    isApproximate = try record.flag(.approximate)
    durations = try SealedDurations(record, .all)
    succeededDurations = try SealedDurations(record, .succeeded)
  }
}

extension SealedDurations {
  /// The keys of one of the two.
  struct Fields {
    let count, sum, min, max, zeros, buckets: RecordField

    static let all = Fields(
      count: .count, sum: .sumNs, min: .minNs, max: .maxNs, zeros: .zeros, buckets: .buckets)
    static let succeeded = Fields(
      count: .succeededCount, sum: .succeededSumNs, min: .succeededMinNs, max: .succeededMaxNs,
      zeros: .succeededZeros, buckets: .succeededBuckets)
  }

  fileprivate init(_ record: JSONRecord, _ fields: Fields) throws(ImportFault) {
    self.init()
    count = try record.tally(fields.count)
    sum = try record.tally(fields.sum)
    min = try record.integer(fields.min)
    max = try record.integer(fields.max)
    zeroCount = try record.tally(fields.zeros)
    let numbers = try record.integers(fields.buckets)
    guard numbers.count.isMultiple(of: 2) else {
      throw record.fault("\(fields.buckets.name): it is not a list of pairs")
    }
    buckets = stride(from: 0, to: numbers.count, by: 2).map {
      Bucket(index: numbers[$0], count: numbers[$0 + 1])
    }
    let isOrdered = zip(buckets, buckets.dropFirst()).allSatisfy { $0.index < $1.index }
    guard isOrdered, buckets.allSatisfy({ $0.count > 0 }) else {
      throw record.fault("\(fields.buckets.name): its pairs are not in order")
    }
  }
}
