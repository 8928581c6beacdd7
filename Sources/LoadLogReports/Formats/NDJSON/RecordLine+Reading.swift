import LoadLogCore
import LoadLogJSON

extension RecordLine {
  /// Reads a line from its JSON object; nil if this version does not know the event.
  ///
  /// - Throws: a fault if a key is missing or has an invalid value.
  init?(_ record: JSONRecord, feeds: inout FeedPool) throws(ImportFault) {
    guard record.kind(RecordField.event) == .string else { throw record.fault("event is missing") }
    switch record.string(RecordField.event) {
    case "start": self = .start(try StartLine(record, feeds: &feeds))
    case "finish": self = .finish(try FinishLine(record))
    case "push": self = .push(try CountLine(record, feeds: &feeds, needsFeed: true))
    case "pop": self = .pop(try CountLine(record, feeds: &feeds, needsFeed: true))
    case "reset": self = .reset(try CountLine(record, feeds: &feeds, needsFeed: false))
    case "owner": self = .owner(try OwnerLine(record))
    case "feed": self = .feed(try FeedLine(record, feeds: &feeds))
    case "unmatched": self = .unmatched(try UnmatchedLine(record, feeds: &feeds))
    case "acknowledged": self = .acknowledged(try AcknowledgedLine(record))
    case "expectation": self = .expectation(try ExpectationLine(record))
    case "flip": self = .flip(try FlipLine(record))
    case "output": self = .output(try OutputLine(record))
    case "sealed_day": self = .sealedDay(try SealedDayLine(record, feeds: &feeds))
    default: return nil
    }
  }
}

extension StartLine {
  fileprivate init(_ record: JSONRecord, feeds: inout FeedPool) throws(ImportFault) {
    self.init(
      at: try record.time(RecordField.at), feed: try record.required(try record.feed(&feeds), of: .feed),
      id: try record.id(.id))
    message = TextLimit.cut(try record.text(.message))
    tag = try record.text(.tag, limit: TextLimit.tag)
    callSite = try record.text(.callSite, limit: TextLimit.message)
    isAnonymous = try record.flag(.anonymous)
    owner = try record.uid(.owner)
    boot = try record.integer(.bootNs)
    attempt = try record.attempt()
  }
}

extension FinishLine {
  fileprivate init(_ record: JSONRecord) throws(ImportFault) {
    self.init(
      at: try record.time(RecordField.at), id: try record.required(try record.id(.id), of: .id),
      verdict: try record.word(.verdict, meaning: "a verdict that a finish can have") { $0 != .running }
        ?? .succeeded)
    reason = TextLimit.cut(try record.text(.reason))
    duration = try record.integer(.durationNs)
    if let duration, !ImportedTime.isPossible(duration, after: 0) {
      throw record.fault(RecordField.durationNs, duration < 0 ? "is negative" : "is too long")
    }
    isDurationUnknown = record.isNull(RecordField.durationNs)
    isUnseen = try record.flag(.unseen)
    isFinishedAfterVerdict = try record.flag(.finishedAfterVerdict)
    if try record.flag(.wall) { durationSource = .wall }
    if try record.flag(.imported) { durationSource = .imported }
    visible = try record.integer(.visibleNs)
    suppressed = try record.integer(.suppressed)
    isForgiven = try record.flag(.forgiven)
    run = try RunFacts(record)
  }
}

extension CountLine {
  fileprivate init(_ record: JSONRecord, feeds: inout FeedPool, needsFeed: Bool) throws(ImportFault) {
    let feed = try record.feed(&feeds)
    if needsFeed { _ = try record.required(feed, of: .feed) }
    self.init(at: try record.time(RecordField.at), feed: feed)
    verdict =
      try record.word(.verdict, meaning: "a verdict that a pop can have", where: \.isFinished) ?? .ended
    reason = TextLimit.cut(try record.text(.reason))
    callSite = try record.text(.callSite, limit: TextLimit.message)
    owner = try record.uid(.owner)
  }
}

extension UnmatchedLine {
  fileprivate init(_ record: JSONRecord, feeds: inout FeedPool) throws(ImportFault) {
    self.init(
      id: try record.required(try record.id(.id), of: .id),
      kind: try record.required(try record.word(.kind, meaning: "a kind of unmatched finish"), of: .kind),
      at: try record.time(RecordField.at), verdict: try record.word(.verdict, meaning: "a verdict") ?? .ended)
    feed = try record.feed(&feeds)
    session = try record.id(.load)
    reason = TextLimit.cut(try record.text(.reason))
    callSite = try record.text(.callSite, limit: TextLimit.message)
    owner = try record.uid(.owner)
    boot = try record.integer(.bootNs)
  }
}

extension AcknowledgedLine {
  fileprivate init(_ record: JSONRecord) throws(ImportFault) {
    self.init(
      id: try record.required(try record.id(.id), of: .id),
      acknowledgement: Acknowledgement(
        at: try record.time(RecordField.at), by: try record.required(try record.text(.by), of: .by),
        note: TextLimit.cut(try record.text(.note))))
  }
}

extension FeedLine {
  fileprivate init(_ record: JSONRecord, feeds: inout FeedPool) throws(ImportFault) {
    self.init(feed: try record.required(try record.feed(&feeds), of: .feed))
    dates.lastUpdated = try record.optionalTime(.lastUpdated)
    isAdopted = try record.flag(.adopted)
    dates.lastChanged = try record.optionalTime(.lastChanged)
    dates.lastAttempted = try record.optionalTime(.lastAttempted)
    dates.lastSuccessStarted = try record.optionalTime(.lastSuccessStarted)
    dates.lastFailed = try record.optionalTime(.lastFailed)
    dates.lastFailure = TextLimit.cut(try record.text(.lastFailure))
    dates.lastVerdict = try record.word(.lastVerdict, meaning: "a verdict")
    prunedFailures = try record.tally(.prunedFailures)
    popsAfterReset = try record.tally(.popsAfterReset)
    overlaps = try record.tally(.overlaps)
  }
}

extension OwnerLine {
  fileprivate init(_ record: JSONRecord) throws(ImportFault) {
    self.init(
      uid: try record.required(try record.uid(.uid), of: .uid),
      kind: try record.required(try record.text(.kind), of: .kind))
    machineID = try record.text(.machineId) ?? ""
    bootID = try record.text(.bootId) ?? ""
    pid = try record.integer(.pid) ?? 0
    startTicks = try record.integer(.startTicks)
    pidNamespace = try record.integer(.pidNamespace)
    timeNamespace = try record.integer(.timeNamespace)
    lockName = try record.text(.lockName)
    lockInode = try record.integer(.lockInode)
    host = try record.text(.host) ?? ""
    app = try record.text(.app) ?? ""
    openedAt = try record.time(RecordField.openedAt)
    openedBoot = try record.integer(.openedBootNs) ?? 0
    lastEvent = try record.tally(.lastEvent)
    lastCommitAt = try record.optionalTime(.lastCommitAt) ?? openedAt
    lastCommitBoot = try record.integer(.lastCommitBootNs) ?? openedBoot
    closedAt = try record.optionalTime(.closedAt)
    verdict = try record.text(.verdict)
    evidence = try record.text(.evidence, limit: TextLimit.message)
    dropped = try record.tally(.dropped)
  }
}
