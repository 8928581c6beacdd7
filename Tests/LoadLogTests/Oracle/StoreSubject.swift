import Foundation
import LoadLog
import Synchronization

/// The library: one store object an owner, all on the same file, in a world of simulated processes, locks
/// and clocks.
final class StoreSubject: Subject {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("loadlog-oracle-\(UUID().uuidString)")
  private let world = SimulatedWorld()
  private let clock = SettableClock()
  private var owners: [Int: (owner: PlainModel.Owner, identity: StoreOwner)] = [:]
  private var stores: [Int: SQLiteLoadStore] = [:]
  private var readers: [Place: SQLiteLoadReader] = [:]
  private var ids: [SessionID: Int] = [:]

  init() throws {
    // A question may come before the first owner.
    let nobody = Owner(kind: .detached, process: .somewhere, host: "", app: "")
    try SQLiteLoadStore(
      at: url, owner: StoreOwner(nobody, opened: clock.now()), durability: .process, clock: clock
    ).close()
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private var url: URL { folder.appendingPathComponent("store.db") }

  func open(_ who: Int, _ owner: PlainModel.Owner, at moment: Moment) throws {
    clock.set(moment)
    world.add(owner)
    let process = owner.place.identity(process: owner.process)
    let kind = Owner.Kind(rawValue: owner.kind.rawValue) ?? .detached
    let description = Owner(kind: kind, process: process, host: owner.place.machine, app: "oracle")
    let known = kind == .library ? owners[who]?.identity : nil
    let identity = known ?? StoreOwner(description, opened: clock.now())
    let before = lockFiles()
    stores[who] = try SQLiteLoadStore(
      at: url, owner: identity, durability: .process, processes: world.processes(seenBy: process),
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
      store.close()
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
    return try reader(at: question.place).status(filter, overdueLimit: question.limit).figures
  }

  func troubles(_ question: Question) throws -> [(trouble: PlainModel.Trouble, isAcknowledged: Bool)] {
    clock.set(question.at)
    return try reader(at: question.place).unbalanced(LoadFilter()).map {
      (trouble($0), $0.acknowledgement != nil)
    }
  }
}

extension StoreSubject {
  private func reader(at place: Place) throws -> SQLiteLoadReader {
    if let reader = readers[place] { return reader }
    let processes = world.processes(seenBy: place.identity(process: 0))
    let reader = try SQLiteLoadReader(at: url.path, processes: processes, locks: world, clock: clock)
    readers[place] = reader
    return reader
  }

  private func lockFiles() -> Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
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
    case (_, .known): "known"
    case (.start, .finished): "joined"
    case (.finish, .finished(let state, let late)): late ? "late \(state.rawValue)" : state.rawValue
    case (.pop, .finished(let state, _)): state.rawValue
    case (.finish, .unmatched(let kind)), (.pop, .unmatched(let kind)): kind.rawValue
    case (.pop, .popAfterReset): "after reset"
    case (.start, .recorded), (.push, .recorded): "recorded"
    case (.start, _), (.push, _), (.finish, _), (.pop, _): "\(receipt.outcome)"
    default: nil
    }
  }
}

// MARK: - Answers as figures

extension StatusSummary {
  fileprivate var figures: [String: Figure] {
    var figures: [String: Figure] = [:]
    for status in feeds {
      for (key, figure) in status.numbers.figures { figures["feeds/\(status.feed)/\(key)"] = figure }
      let dates = status.dates
      for (key, date) in [
        ("last_updated", dates.lastUpdated), ("last_changed", dates.lastChanged),
        ("last_attempted", dates.lastAttempted), ("last_failed", dates.lastFailed),
      ] {
        figures["feeds/\(status.feed)/\(key)"] = Figure(date)
      }
      figures["feeds/\(status.feed)/last_failure"] = dates.lastFailure.map(Figure.text) ?? Figure.null
    }
    for (key, figure) in totals.figures { figures["totals/\(key)"] = figure }
    for site in callSites {
      let kind = site.isLikely ? "likely \(site.kind.word)" : site.kind.word
      let key = "call_sites/\(site.feed?.name ?? "-")/\(site.callSite ?? "-")/\(kind)"
      figures["\(key)/count"] = Figure(site.count)
      figures["\(key)/last"] = Figure(site.last)
    }
    return figures
  }
}

extension LoadNumbers {
  fileprivate var figures: [String: Figure] {
    let counts = [
      "loads": loads, "running": running, "unknown": unknown, "succeeded": succeeded, "unchanged": unchanged,
      "failed": failed, "cancelled": cancelled, "ended": ended, "pops_after_reset": popsAfterReset,
      "crashed": unbalanced.crashed, "rebooted": unbalanced.rebooted, "abandoned": unbalanced.abandoned,
      "orphan_finish": unbalanced.orphanFinish, "duplicate_finish": unbalanced.duplicateFinish,
      "extra_pop": unbalanced.extraPop, "total": unbalanced.total,
      "unacknowledged": unbalanced.unacknowledged,
    ]
    var figures = counts.mapValues { Figure($0) }
    figures["overdue"] = Figure(overdue.map(Int64.init))
    figures["peak_depth"] = Figure(peakDepth.map(Int64.init))
    figures["running_since"] = Figure(runningSince)
    figures["busy"] = Figure(busy)
    figures["approximate"] = .text("\(isApproximate)")
    for (key, statistics) in [("duration", duration), ("duration_succeeded", durationSucceeded)] {
      guard let statistics else {
        figures[key] = Figure.null
        continue
      }
      figures["\(key).count"] = Figure(statistics.count)
      figures["\(key).sum"] = .whole(statistics.sum)
      figures["\(key).min"] = .whole(statistics.min)
      figures["\(key).max"] = .whole(statistics.max)
      figures["\(key).p50"] = .real(statistics.p50)
      figures["\(key).p90"] = .real(statistics.p90)
      figures["\(key).p95"] = .real(statistics.p95)
      figures["\(key).p99"] = .real(statistics.p99)
      if statistics.quantiles != .exact { figures["\(key).quantiles"] = .text(statistics.quantiles.rawValue) }
    }
    return figures
  }
}

// MARK: - The simulated world

/// Processes and locks as a schedule has them.
private final class SimulatedWorld: LockTable {
  fileprivate struct Process {
    let place: Place
    var fate = PlainModel.Fate.alive
  }

  private struct State {
    var processes: [Int: Process] = [:]
    var lockNames: [Int: String] = [:]
    var locks: [String: PlainModel.Owner.Lock] = [:]
  }

  private let state = Mutex(State())

  func add(_ owner: PlainModel.Owner) {
    state.withLock { state in
      state.processes[owner.process] = state.processes[owner.process] ?? Process(place: owner.place)
    }
  }

  func end(_ process: Int, _ fate: PlainModel.Fate) {
    state.withLock { $0.processes[process]?.fate = fate }
  }

  func setLock(of who: Int, name: String?, _ lock: PlainModel.Owner.Lock) {
    state.withLock { state in
      if let name { state.lockNames[who] = name }
      if let name = state.lockNames[who] { state.locks[name] = lock }
    }
  }

  func probe(_ lock: Owner.Lock) -> LockProbe {
    switch state.withLock({ $0.locks[lock.name] }) {
    case .held: .held
    case .free: .free
    case .replaced, .some(.none), nil: .unreadable
    }
  }

  func processes(seenBy viewer: ProcessIdentity) -> any ProcessTable {
    SimulatedProcesses(current: viewer, world: self)
  }

  fileprivate func process(_ number: Int) -> Process? { state.withLock { $0.processes[number] } }
}

/// The processes of the viewer's pid namespace.
private struct SimulatedProcesses: ProcessTable {
  let current: ProcessIdentity
  let world: SimulatedWorld

  func identity(of pid: Int32) -> ProcessIdentity? { nil }

  func observe(_ pid: Int32) -> ProcessObservation {
    let number = Int(pid) - ProcessIdentity.firstPid
    guard let process = world.process(number), process.place.boot == current.bootID,
      process.place.pids == current.pidNamespace
    else { return .gone }
    // Another time namespace counts ticks from elsewhere.
    let shift: Int64 = process.place.times == current.timeNamespace ? 0 : 77_000
    let ticks = (process.place.identity(process: number).startTicks ?? 0) + shift
    switch process.fate {
    case .alive: return .present(startTicks: ticks)
    case .gone: return .gone
    case .zombie: return .zombie
    case .reused: return .present(startTicks: ticks + 1)
    }
  }
}

extension ProcessIdentity {
  fileprivate static let firstPid = 1000
  fileprivate static let somewhere = Place(machine: "", boot: "none", pids: 0, times: 0).identity(process: -1)
}

extension Place {
  /// A process here, by its number in the schedule; -1 for none.
  fileprivate func identity(process: Int) -> ProcessIdentity {
    ProcessIdentity(
      machineID: machine, bootID: boot, pid: process < 0 ? 0 : Int32(process + ProcessIdentity.firstPid),
      startTicks: process < 0 ? nil : Int64(5000 + process), pidNamespace: pids, timeNamespace: times)
  }
}

extension Verdict {
  fileprivate init(_ state: PlainModel.State, _ reason: String?) {
    self = SessionState(rawValue: state.rawValue).flatMap { Verdict(state: $0, reason: reason) } ?? .ended
  }
}

extension Moment {
  fileprivate var instant: LoadInstant { LoadInstant(wall: wall, boot: boot) }
}

/// A clock that stands still until it is set.
private final class SettableClock: LoadClock {
  private struct NoAlarm: ScheduledAlarm {
    func cancel() {}
  }

  private let instant = Mutex(LoadInstant(wall: 0, boot: 0))

  func set(_ moment: Moment) { instant.withLock { $0 = moment.instant } }

  func now() -> LoadInstant { instant.withLock { $0 } }

  func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm { NoAlarm() }
}
