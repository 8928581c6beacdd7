import GRDB
import LoadLogCore

/// Starts and finishes in LoadLog's own exchange format.
extension ImportApplier {
  /// Applies a line.
  mutating func apply(_ line: PositionedLine, _ id: SessionID?) throws {
    if case .finish(let finish) = line.line, let pending = scope.pending, pending.id == finish.id {
      let ending = try ending(of: finish, started: pending.start.at)
      scope.pending = nil
      return try reporting(pending.position, startOf: pending.id) { try $0.add(pending, ending, finish) }
    }
    try flushPending()
    switch line.line {
    case .start(let start):
      if let id { scope.pending = ImportScope.Pending(start: start, id: id, position: line.position) }
    case .finish(let finish): try apply(finish)
    case .push(let push): if let id { try apply(push: push, id) }
    case .pop(let pop): if let id { try apply(pop: pop, id) }
    case .reset(let reset): try apply(reset: reset)
    case .owner(let owner): try apply(owner)
    case .feed(let feed): try apply(feed)
    case .unmatched(let unmatched): try apply(unmatched)
    case .acknowledged(let acknowledged): try apply(acknowledged)
    case .expectation(let expectation): try apply(expectation)
    case .flip(let flip): try apply(flip)
    case .output(let output): try apply(output)
    case .sealedDay(let day): try apply(day)
    }
  }

  /// Records the pending start, whose finish did not follow it directly.
  mutating func flushPending() throws {
    guard let pending = scope.pending else { return }
    scope.pending = nil
    try reporting(pending.position, startOf: pending.id) { try $0.add(pending, nil, nil) }
  }

  /// Adds a load, with its verdict if its finish followed directly, as it does in an export.
  private mutating func add(
    _ pending: ImportScope.Pending, _ ending: StateRules.Ending?, _ finish: FinishLine?
  ) throws {
    let start = pending.start
    _ = try Self.checked(start.at)
    if let known = try known(pending.id, feed: start.feed, started: start.at) {
      guard let ending, let finish else { return count(\.loads, isNew: try updateMessage(of: known, start)) }
      let isNew = try conclude(known, ending, finish, isDated: isDated(start, known.feedRow))
      // The file is newer than what the record has, so it has the load's last message.
      if isNew { try rules.setMessage(text(start.message), of: known.row) }
      return count(\.loads, isNew: isNew)
    }
    guard try !mayBePruned(start.feed, start.at) else { return try scratch.passOver(pending.id) }
    let owner = try owner(start.owner)
    let tag = try text(start.tag, field: "tag", limit: TextLimit.tag)
    let callSite = try text(start.callSite, field: "call site", limit: TextLimit.message)
    let session = StateRules.NewSession(
      id: pending.id, feed: try feedRow(start.feed), owner: owner,
      started: LoadInstant(wall: start.at, boot: start.boot ?? 0), isAnonymous: start.isAnonymous,
      message: try text(start.message), tag: tag, callSite: callSite, ending: ending)
    let run = finish?.run ?? start.attempt.map { RunFacts(attempt: Int($0)) }
    let isDated = isDated(start, session.feed)
    guard let stored = try add(session, isDated: isDated, isRetried: run?.isRetried ?? false) else { return }
    if let finish { try addVisibility(finish, to: stored.row) }
    try run?.write(of: stored.row, in: database)
    if let finish {
      try noteReset(of: stored, finish)
      if finish.isForgiven, start.isAnonymous {
        try rules.addResetCredit(feed: session.feed, owner: session.owner)
      }
    }
    if !start.isAnonymous { try joinOrphans(of: pending.id, to: stored) }
    count(\.loads, isNew: true)
  }

  /// Gives a load that still runs the message that it has in the file, unless the file is older than what the record has.
  ///
  /// - Returns: whether the message is another one.
  private mutating func updateMessage(of session: StoredSession, _ start: StartLine) throws -> Bool {
    guard session.state == .running, try isCurrent(start.owner, about: session),
      try rules.setMessage(text(start.message), of: session.row)
    else { return false }
    try ChangeJournal.appendTouched(session.row, isMessage: true, in: database)
    return true
  }

  /// Applies a finish that does not directly follow its start.
  private mutating func apply(_ finish: FinishLine) throws {
    guard let session = try StoredSession.fetch(finish.id, in: database) else {
      if try scratch.isPassedOver(finish.id) { return }
      guard let verdict = Verdict(state: finish.verdict) else {
        throw LoadLogError(.invalidInput, what: "load", value: "\(finish.id)", why: "it has no start")
      }
      let orphan = try unmatched(.orphanFinish, of: nil, finish, verdict.state)
      guard try !mayBePruned(orphan) else { return }
      return count(\.unmatched, isNew: try rules.insert(orphan))
    }
    let ending = try ending(of: finish, started: session.started.wall)
    let isNew = try conclude(session, ending, finish, isDated: false)
    // Otherwise the load's start is in this file and was counted there.
    if isNew, session.row <= scope.lastSession ?? 0 { count(\.loads, isNew: true) }
  }

  /// Whether the line of a feed has the dates that a load moved. It has in an export, whose loads name their owners; lines
  /// of one's own may follow in the same file.
  private func isDated(_ start: StartLine, _ feed: Int64) -> Bool {
    start.owner != nil && scope.datedFeeds.contains(feed)
  }

  /// Applies a finish to a recorded session.
  ///
  /// - Parameter isDated: whether the file's line of the feed has the date of this finish.
  /// - Returns: false if the record already has this finish or a better verdict, or if the finish is a duplicate.
  private mutating func conclude(
    _ session: StoredSession, _ ending: StateRules.Ending, _ finish: FinishLine, isDated: Bool
  ) throws -> Bool {
    try noteReset(of: session, finish)
    switch try rules.finish(session, ending, at: finish.at, ignoringRepetitions: true) {
    case .known:
      // Since an earlier export, an indicator may have ended.
      let isShown = try addVisibility(finish, to: session.row)
      if isShown { try ChangeJournal.appendTouched(session.row, in: database) }
      // Or the failure may have turned out to be the last one; it never becomes a retried one again.
      guard session.state == finish.verdict, finish.run?.isRetried == false else { return isShown }
      return try EventApplier.endRetries(of: session, in: database) || isShown
    case .duplicate:
      if try rules.insert(unmatched(.duplicateFinish, of: session.feedRow, finish, ending.state)) {
        scope.result.unmatched += 1
      }
      return false
    case .concluded(let stored):
      if !isDated { noteDates(of: session, stored, isRetried: finish.run?.isRetried ?? false) }
      try addVisibility(finish, to: session.row)
      try finish.run?.write(of: session.row, in: database)
      if finish.isForgiven, session.isAnonymous, !stored.state.isFinished {
        try rules.addResetCredit(feed: session.feedRow, owner: session.ownerRow)
      }
      return true
    }
  }

  /// Converts a finish to the values that the session's row stores.
  ///
  /// - Parameter started: wall time of the session's start in microseconds.
  private mutating func ending(of finish: FinishLine, started: Int64) throws -> StateRules.Ending {
    let at = try Self.checked(finish.at)
    guard finish.duration ?? 0 >= 0 else {
      throw LoadLogError(.invalidInput, what: "duration", why: "it is negative")
    }
    var ending = StateRules.Ending(
      state: finish.verdict, isFinishedAfterVerdict: finish.isFinishedAfterVerdict, duration: finish.duration,
      durationSource: finish.durationSource,
      reason: try text(finish.reason))
    if finish.duration != nil || finish.isDurationUnknown {
      ending.wallDrift = at.subtractingClamping(started).subtractingClamping((finish.duration ?? 0) / 1000)
    } else {
      let timed = StateRules.ending(
        finish.verdict, of: LoadInstant(wall: started, boot: 0), at: LoadInstant(wall: at, boot: 0),
        sameBootClock: false, reason: ending.reason)
      ending.duration = timed.duration
      ending.wallDrift = timed.wallDrift
      ending.durationSource = finish.verdict.isFinished ? .wall : .boot
    }
    if finish.isUnseen { ending.wallDrift = nil }
    return ending
  }

  /// Converts a finish without an open start to an unmatched finish. Its id is a hash of its fields, so that
  /// importing it again adds nothing.
  private mutating func unmatched(
    _ kind: UnmatchedKind, of feed: Int64?, _ finish: FinishLine, _ state: SessionState
  ) throws -> StateRules.Unmatched {
    var hash = StableHash()
    hash.add(bytes: "finish".utf8)
    hash.add(bytes: finish.id.bytes)
    hash.add(bytes: withUnsafeBytes(of: finish.at.littleEndian, Array.init))
    hash.add(bytes: CollectionOfOne(UInt8(truncatingIfNeeded: state.code)))
    return StateRules.Unmatched(
      id: LoadIdentity.id(hash, occurrence: 0), kind: kind, feed: feed, session: finish.id,
      owner: try importOwner(), at: LoadInstant(wall: try Self.checked(finish.at), boot: 0),
      state: state, reason: try text(finish.reason))
  }

  /// Takes a part of what the command of a load wrote, and stores the whole after its last part. Ignores the parts of an
  /// output that the record has already, and a part that does not follow the one before.
  private mutating func apply(_ line: OutputLine) throws {
    guard let session = try StoredSession.fetch(line.id, in: database) else {
      if try scratch.isPassedOver(line.id) { return }
      throw LoadLogError(.invalidInput, what: "load", value: "\(line.id)", why: "no earlier line starts it")
    }
    if let known = try KeptOutput.total(of: session.row, in: database), known >= line.total { return }
    var bytes: [UInt8] = []
    if line.offset > 0 {
      guard let output = scope.output, output.id == line.id, output.bytes.count == line.offset else { return }
      bytes = output.bytes
    }
    bytes += line.bytes
    let isWhole = bytes.count == line.kept
    scope.output = isWhole ? nil : (line.id, bytes)
    if isWhole { try KeptOutput(total: line.total, bytes: bytes).write(of: session.row, in: database) }
  }

  /// Stores what indicators showed of a load, which only grows.
  ///
  /// - Returns: false if the record has that, or more.
  @discardableResult
  private func addVisibility(_ finish: FinishLine, to row: Int64) throws -> Bool {
    guard finish.visible != nil || finish.suppressed != nil else { return false }
    let known = try ShownTime.fetch(of: row, in: database)
    let shown = ShownTime(
      visible: max(finish.visible ?? 0, known?.visible ?? 0),
      suppressed: max(finish.suppressed ?? 0, known?.suppressed ?? 0))
    guard shown != known else { return false }
    return try shown.write(of: row, in: database)
  }
}
