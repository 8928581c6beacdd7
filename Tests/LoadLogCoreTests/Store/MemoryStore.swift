import LoadLogCore
import Synchronization

/// A store in arrays: the smallest one that keeps the contract for one owner. It proves that the contract, the rules about
/// feeds and the defaults of ``LoadStore`` need no database.
final class MemoryStore: LoadStore {
  private let clock: any LoadClock
  private let record: Mutex<Record>

  init(_ owner: Owner, opened: LoadInstant, clock: any LoadClock) {
    self.clock = clock
    record = Mutex(
      Record(owner: OwnerRecord(owner: owner, opened: opened, lastCommit: opened, closed: nil, dropped: 0)))
  }

  var reader: RecordSnapshot { record.withLock { $0.snapshot(at: clock.now()) } }

  func commit(_ events: [NumberedEvent], dropped: Int) -> [Receipt] {
    record.withLock { record in
      if events.last?.number ?? 0 > record.lastNumber { record.owner.dropped += dropped }
      return events.map { item in
        guard item.number > record.lastNumber else { return Receipt(.repeated) }
        (record.lastNumber, record.owner.lastCommit) = (item.number, item.event.at)
        return record.apply(item.event)
      }
    }
  }
}

private struct Record {
  struct Unmatched { var row: Imbalance, verdict: Verdict, at: LoadInstant }

  var owner: OwnerRecord
  var lastNumber: Int64 = 0
  var loads: [LoadingSession] = [], unmatched: [Unmatched] = []
  var dates: [Feed: FeedDates] = [:], adopted: Set<Feed> = []
  var expected: [FeedPattern: FeedExpectation] = [:]
  var forgivenPops: [Feed: Int] = [:], lastEnded: [Feed: Int] = [:]

  func snapshot(at now: LoadInstant) -> RecordSnapshot {
    let shown = loads.map { load in
      var load = load
      load.owner = owner
      if load.state == .running { load.openAtLeast = max(0, now.boot - load.started.boot) }
      return load
    }
    return RecordSnapshot(
      taken: now.wall, loads: shown, unmatched: unmatched.map(\.row), dates: dates,
      expected: Array(expected.values))
  }

  mutating func apply(_ event: LoadEvent) -> Receipt {
    switch event.kind {
    case .start(let id, let feed, let message, let tag):
      guard !loads.contains(where: { $0.id == id }) else { return Receipt(.known, feed: feed) }
      insert(id, feed, message, tag: tag, event)
      return join(id, feed) ?? Receipt(.recorded, feed: feed)
    case .push(let feed):
      insert(SessionID(milliseconds: event.at.wall / 1000), feed, isAnonymous: true, event)
      return Receipt(.recorded, feed: feed)
    case .finish(let id, let verdict):
      guard let i = loads.firstIndex(where: { $0.id == id }) else {
        return insert(.orphanFinish, nil, id, verdict, event, "no such load")
      }
      guard !loads[i].state.isFinished else {
        return insert(.duplicateFinish, loads[i].feed, id, verdict, event, "it had its verdict")
      }
      return conclude(i, verdict.state, verdict.reason, at: event.at)
    case .pop(let feed, let verdict):
      let pushes = loads.indices.filter { isOpenPush(loads[$0]) && loads[$0].feed == feed }
      let same = pushes.last { loads[$0].callSite.map(CallSite.file) == event.callSite?.file }
      if let i = same ?? pushes.last { return conclude(i, verdict.state, verdict.reason, at: event.at) }
      guard let forgiven = forgivenPops[feed], forgiven > 0 else {
        return insert(.extraPop, feed, nil, verdict, event, "count already 0")
      }
      forgivenPops[feed] = forgiven - 1
      return insert(.popAfterReset, feed, nil, verdict, event, "")
    case .extraPop(let feed, let verdict): return insert(.extraPop, feed, nil, verdict, event, "no start")
    case .reset(let feeds):
      let pushes = loads.indices.filter { isOpenPush(loads[$0]) && feeds?.contains(loads[$0].feed) ?? true }
      for i in pushes {
        _ = conclude(i, .abandoned, AbandonReason.reset.rawValue, at: event.at)
        forgivenPops[loads[i].feed, default: 0] += 1
      }
      return Receipt(.recorded, count: pushes.count)
    case .abandon(let id, let reason):
      guard let i = openLoad(id) else { return Receipt(.nothing) }
      return conclude(i, .abandoned, reason.rawValue, at: event.at)
    case .update(let id, let message):
      guard let i = openLoad(id) else { return Receipt(.nothing) }
      loads[i].message = TextLimit.cut(message)
      return Receipt(.recorded)
    case .heard(let id, let feed, let verdict):
      guard !loads.contains(where: { $0.id == id }) else { return Receipt(.known, feed: feed) }
      insert(id, feed, nil, event)
      let receipt = conclude(loads.count - 1, verdict.state, verdict.reason, at: event.at)
      loads[loads.count - 1].duration = nil
      loads[loads.count - 1].durationSource = nil
      for i in unmatched.indices where unmatched[i].row.session == id {
        (unmatched[i].row.kind, unmatched[i].row.feed) = (.unmatchedFinish(.duplicateFinish), feed)
      }
      return Receipt(receipt.outcome, feed: feed)
    case .ran: return Receipt(.nothing)
    case .shown(let id, let feed, let visible, let suppressed):
      let index = id.map { id in loads.firstIndex { $0.id == id } } ?? lastEnded[feed]
      guard let i = index else { return Receipt(.nothing, feed: feed) }
      loads[i].visibleTime = (loads[i].visibleTime ?? 0).addingClamping(max(0, visible))
      loads[i].suppressedShows = (loads[i].suppressedShows ?? 0).addingClamping(max(0, suppressed))
      return Receipt(.recorded, feed: feed)
    case .adopt(let feed, let date):
      guard dates[feed]?.lastUpdated == nil || adopted.contains(feed) else { return Receipt(.nothing) }
      dates[feed, default: FeedDates()].lastUpdated = date
      adopted.insert(feed)
      return Receipt(.recorded, feed: feed)
    case .acknowledge(let ids, let by, let note):
      let mark = Acknowledgement(at: event.at.wall, by: by, note: note)
      let open = snapshot(at: event.at).unbalanced(LoadFilter()).filter { $0.acknowledgement == nil }
      let chosen = Set(open.map(\.id).filter { ids?.contains($0) ?? true })
      for i in loads.indices where chosen.contains(loads[i].id) { loads[i].acknowledgement = mark }
      for i in unmatched.indices where chosen.contains(unmatched[i].row.id) {
        unmatched[i].row.acknowledgement = mark
      }
      return Receipt(.recorded, count: chosen.count)
    case .expect(_, let pattern), .clearExpectation(let pattern), .pauseExpectation(let pattern, _),
      .resumeExpectation(let pattern):
      let before = expected[pattern]
      expected[pattern] = event.kind.expectation(changing: before, at: event.at.wall)
      return Receipt(before == nil && expected[pattern] == nil ? .nothing : .recorded)
    case .close:
      let open = loads.indices.filter { loads[$0].state == .running }
      for i in open { _ = conclude(i, .cancelled, "quit", at: event.at) }
      owner.closed = event.at.wall
      return Receipt(.recorded, count: open.count)
    }
  }

  private func isOpenPush(_ load: LoadingSession) -> Bool { load.isAnonymous && load.state == .running }

  private func openLoad(_ id: SessionID) -> Int? { loads.firstIndex { $0.id == id && $0.state == .running } }

  private mutating func insert(
    _ id: SessionID, _ feed: Feed, _ message: String? = nil, tag: String? = nil, isAnonymous: Bool = false,
    _ event: LoadEvent
  ) {
    loads.append(
      LoadingSession(
        id: id, feed: feed, message: TextLimit.cut(message), tag: TextLimit.cut(tag, to: TextLimit.tag),
        isAnonymous: isAnonymous, state: .running, isUnknown: false, isFinishedAfterVerdict: false,
        started: event.at,
        openAtLeast: 0, owner: owner, callSite: TextLimit.cut(event.callSite?.text)))
    dates[feed, default: FeedDates()].lastAttempted = event.at.wall
  }

  private mutating func insert(
    _ kind: UnmatchedKind, _ feed: Feed?, _ session: SessionID?, _ verdict: Verdict, _ event: LoadEvent,
    _ evidence: String
  ) -> Receipt {
    let row = Imbalance(
      id: SessionID(milliseconds: event.at.wall / 1000), kind: .unmatchedFinish(kind), feed: feed,
      session: session, at: event.at.wall, evidence: evidence, callSite: event.callSite?.text,
      isLikely: false)
    unmatched.append(Unmatched(row: row, verdict: verdict, at: event.at))
    if let feed { dates[feed] = dates[feed] ?? FeedDates() }
    return Receipt(kind == .popAfterReset ? .popAfterReset : .unmatched(kind), feed: feed)
  }

  /// The first finish that came before its start is the verdict; others are duplicates.
  private mutating func join(_ id: SessionID, _ feed: Feed) -> Receipt? {
    guard let first = unmatched.firstIndex(where: { $0.row.session == id }) else { return nil }
    let finish = unmatched.remove(at: first)
    for i in unmatched.indices where unmatched[i].row.session == id {
      (unmatched[i].row.kind, unmatched[i].row.feed) = (.unmatchedFinish(.duplicateFinish), feed)
    }
    return conclude(loads.count - 1, finish.verdict.state, finish.verdict.reason, at: finish.at)
  }

  private mutating func conclude(
    _ i: Int, _ state: SessionState, _ reason: String?, at end: LoadInstant
  ) -> Receipt {
    let feed = loads[i].feed
    loads[i].conclude(state, reason: reason, at: end)
    dates[feed]?.note(
      state, at: end.wall, started: loads[i].started.wall, reason: loads[i].reason)
    if state.isSuccess { adopted.remove(feed) }
    if loads[i].isAnonymous { lastEnded[feed] = i }
    let duration = state.isFinished ? loads[i].duration : loads[i].openAtLeast
    return Receipt(
      .finished(state, afterVerdict: loads[i].isFinishedAfterVerdict), feed: feed, duration: duration)
  }
}

extension LoadingSession {
  /// Gives the load a verdict, whatever it had before, at a time of its owner's clocks. A finish of an unfinished start
  /// is late.
  fileprivate mutating func conclude(_ state: SessionState, reason: String?, at end: LoadInstant) {
    let timing = SessionTiming(from: started, to: end, sameBootClock: true)
    isFinishedAfterVerdict = isFinishedAfterVerdict || self.state.isUnfinishedStart
    self.state = state
    self.reason = TextLimit.cut(reason)
    evidence = state.isUnfinishedStart ? self.reason : nil
    finished = end.wall
    duration = state.isFinished ? timing.duration : nil
    durationSource = duration == nil ? nil : .boot
    openAtLeast = timing.duration ?? 0
    clockJump = SessionTiming.clockJump(drift: timing.wallDrift, isWall: false)
  }
}
