import Foundation
import LoadLog
import LoadLogTestSupport

/// The library under test: one store object per owner, all on the same file, with simulated processes, locks
/// and clocks.
final class StoreSubject: Subject {
  private let file: TemporaryStore
  private let world = SimulatedWorld()
  private let clock = SettableClock()
  private var owners: [Int: (owner: PlainModel.Owner, identity: StoreOwner)] = [:]
  private var stores: [Int: SQLiteLoadStore] = [:]
  private var readers: [Place: SQLiteLoadReader] = [:]
  private let makeAnswerer: MakeAnswerer?
  private var answerers: [Place: any LoadReading] = [:]
  private var ids: [SessionID: Int] = [:]

  private var questions = 0

  /// Makes what answers questions about the store at a path, as they are asked in a place.
  typealias MakeAnswerer = (String, any ProcessTable, any LoadClock) -> any LoadReading

  /// Creates an empty store.
  ///
  /// - Parameter makeAnswerer: makes what answers; nil if the store itself does.
  init(_ makeAnswerer: MakeAnswerer? = nil) throws {
    file = try TemporaryStore()
    self.makeAnswerer = makeAnswerer
  }

  func open(_ who: Int, _ owner: PlainModel.Owner, at moment: Moment) throws {
    clock.set(moment)
    world.add(owner)
    let process = owner.place.identity(process: owner.process)
    let kind = Owner.Kind(rawValue: owner.kind.rawValue) ?? .detached
    let description = Owner(kind: kind, process: process, host: owner.place.machine, app: "oracle")
    let known = kind == .library ? owners[who]?.identity : nil
    let identity = known ?? StoreOwner(description, opened: clock.now())
    let before = lockFiles()
    stores[who]?.close(finally: false)
    stores[who] = try SQLiteLoadStore(
      at: file.path, owner: identity, durability: .process, processes: world.processes(seenBy: process),
      locks: world, clock: clock)
    owners[who] = (owner, identity)
    for name in lockFiles().subtracting(before) { world.setLock(of: who, name: name, owner.lock) }
  }

  func commit(_ who: Int, _ events: [Happening]) throws -> [String?] {
    guard let store = stores[who], let owner = owners[who]?.owner, let last = events.last else { return [] }
    clock.set(last.at)
    let numbered = try events.map { event in
      NumberedEvent(
        number: event.number,
        event: LoadEvent(
          try kind(of: event.act, from: owner.place), at: event.at.instant,
          callSite: event.site.map { CallSite($0) }))
    }
    while try !store.begin(waiting: true) {}
    let receipts = try store.commit(numbered, dropped: 0)
    if case .close = last.act {
      store.close(finally: true)
      stores[who] = nil
    }
    return zip(events, receipts).map(Self.outcome)
  }

  func judge(_ who: Int, at moment: Moment) throws {
    clock.set(moment)
    _ = try stores[who]?.judgeDeadOwners()
  }

  func end(process: Int, _ fate: PlainModel.Fate) {
    world.end(process, fate)
    for (who, owner) in owners where owner.owner.process == process { stores[who] = nil }
  }

  func setLock(of who: Int, _ lock: PlainModel.Owner.Lock) {
    world.setLock(of: who, name: nil, lock)
  }

  func status(_ question: Question) throws -> [String: Figure] {
    clock.set(question.at)
    let filter = LoadFilter(
      feeds: question.feeds.map { FeedPattern($0) }, since: question.since, until: question.until)
    let reader = try answerer(at: question.place)
    var summary = try reader.status(filter, runningLimit: question.limit)
    summary.add(try reader.busy(filter) { _, _ in })
    var figures = summary.figures
    // Recounting everything takes longer than the rest of the test, so do it for every third question only.
    questions += 1
    if questions.isMultiple(of: 3), let reader = reader as? SQLiteLoadReader {
      let faults = try reader.summaryFaults()
      if faults > 0 { figures["summaries/faults"] = Figure(faults) }
    }
    return figures
  }

  func troubles(_ question: Question) throws -> [(trouble: PlainModel.Trouble, isAcknowledged: Bool)] {
    clock.set(question.at)
    return try answerer(at: question.place).unbalanced(LoadFilter()).map {
      (trouble($0), $0.acknowledgement != nil)
    }
  }
}

extension StoreSubject {
  /// The store's file.
  var path: String { file.path }

  /// Exports a store in this world.
  func lines(of path: String) throws -> [RecordLine] {
    let export = try StoreExport(at: path, locks: world, clock: clock)
    var lines: [RecordLine] = []
    while let page = try export.nextLines() { lines += page }
    return lines
  }

  /// Prunes loads that ended more than `age` microseconds before a moment.
  func prune(_ age: Int64, before moment: Moment) throws -> Int {
    clock.set(moment)
    return try StoreDoctor.prune(at: file.path, before: moment.wall - age, clock: clock)
  }

  /// Returns the status of another store in this world for a question.
  func status(of path: String, _ question: Question) throws -> StatusSummary {
    clock.set(question.at)
    let processes = processes(seenFrom: question.place)
    return try SQLiteLoadReader(at: path, processes: processes, locks: world, clock: clock)
      .status(LoadFilter(), runningLimit: nil)
  }

  private func answerer(at place: Place) throws -> any LoadReading {
    guard let makeAnswerer else { return try reader(at: place) }
    let answerer = answerers[place] ?? makeAnswerer(file.path, processes(seenFrom: place), clock)
    answerers[place] = answerer
    return answerer
  }

  private func processes(seenFrom place: Place) -> any ProcessTable {
    world.processes(seenBy: place.identity(process: 999_999))
  }

  private func reader(at place: Place) throws -> SQLiteLoadReader {
    if let reader = readers[place] { return reader }
    let processes = processes(seenFrom: place)
    let reader = try SQLiteLoadReader(at: file.path, processes: processes, locks: world, clock: clock)
    readers[place] = reader
    return reader
  }

  private func lockFiles() -> Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: file.folder.path)) ?? []
    return Set(names.filter { $0.contains("-owner-") })
  }

  private func trouble(_ imbalance: Imbalance) -> PlainModel.Trouble {
    PlainModel.Trouble(
      kind: imbalance.kind.word, feed: imbalance.feed?.name, id: imbalance.session.flatMap { ids[$0] },
      at: imbalance.at, site: imbalance.callSite, isLikely: imbalance.isLikely)
  }

  private func id(_ number: Int) -> SessionID {
    let bytes = withUnsafeBytes(of: (0, UInt64(number).bigEndian)) { Array($0) }
    let id = SessionID(bytes: bytes) ?? SessionID()
    ids[id] = number
    return id
  }

  private func kind(of act: Happening.Act, from place: Place) throws -> LoadEvent.Kind {
    switch act {
    case .start(let number, let feed): .start(id(number), Feed(feed), message: "Loading…", tag: nil)
    case .finish(let number, let state, let reason): .finish(id(number), Verdict(state, reason))
    case .heard(let number, let feed, let state, let reason):
      .heard(id(number), Feed(feed), Verdict(state, reason))
    case .push(let feed): .push(Feed(feed))
    case .pop(let feed, let state, let reason): .pop(Feed(feed), Verdict(state, reason))
    case .reset(let feeds): .reset(feeds?.map { Feed($0) })
    case .abandon(let number): .abandon(id(number), .dropped)
    case .update(let number): .update(id(number), message: "Parsing…")
    case .adopt(let feed, let date): .adopt(Feed(feed), lastUpdated: date)
    case .acknowledge(nil): .acknowledge(nil, by: "oracle", note: nil)
    case .acknowledge(let chosen?):
      .acknowledge(
        try reader(at: place).unbalanced(LoadFilter()).filter { chosen.contains(trouble($0)) }.map(\.id),
        by: "oracle", note: "seen")
    case .close: .close
    }
  }

  private static func outcome(_ event: Happening, _ receipt: Receipt) -> String? {
    switch (event.act, receipt.outcome) {
    case (_, .repeated): "repeated"
    case (.start, .known): "known"
    case (.start, .finished): "joined"
    case (.heard, .known): "known"
    case (.heard, .finished(let state, _)): state.rawValue
    case (.finish, .finished(let state, let late)): late ? "late \(state.rawValue)" : state.rawValue
    case (.pop, .finished(let state, _)): state.rawValue
    case (.finish, .unmatched(let kind)), (.pop, .unmatched(let kind)): kind.rawValue
    case (.pop, .popAfterReset): "after reset"
    case (.start, .recorded), (.push, .recorded): "recorded"
    case (.start, _), (.push, _), (.finish, _), (.pop, _), (.heard, _): "\(receipt.outcome)"
    default: nil
    }
  }
}

extension Verdict {
  fileprivate init(_ state: PlainModel.State, _ reason: String?) {
    self = SessionState(rawValue: state.rawValue).flatMap { Verdict(state: $0, reason: reason) } ?? .ended
  }
}
