#if Fleet
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  import LoadLogTestSupport
  import TestProcesses
  import Testing

  /// A host of a fleet with a store of its own, in which anything may happen.
  final class RecordedHost {
    let name: String
    let place: TemporaryStore
    let clock = ManualClock(wall: RecordedHost.start)
    let processes: ManualProcessTable
    private let store: any LoadStore
    private var number: Int64 = 0
    private var dice: SplitMix64
    private var open: [SessionID] = []
    private var known: [SessionID] = []

    /// Sat 21 Nov 2026, 00:00 UTC.
    static let start: Int64 = 1_795_219_200_000_000
    static let feeds: [Feed] = ["articles", "backup/db", "reviews", "weather"]
    private static let sites = ["App/View.swift:42", "App/Model.swift:7", nil]

    init(_ name: String, seed: UInt64 = 1, owner kind: Owner.Kind = .library) throws {
      self.name = name
      place = try TemporaryStore()
      processes = ManualProcessTable(machineID: name)
      dice = SplitMix64(seed: seed)
      let owner = Owner(kind: kind, process: processes.current, host: name, app: "app")
      store = try LoadStoreProvider.sqlite(
        at: place.url, durability: .process, processes: processes, locks: ManualLocks(), clock: clock
      ).opener(owner, clock.now())()
    }

    deinit { store.close(finally: false) }

    /// What the store itself answers.
    var reader: any LoadReading { store.reader }

    /// Records an event now; if it is retried, of an attempt of a command that another one follows.
    func record(_ kind: LoadEvent.Kind, from callSite: String? = nil, isRetried: Bool = false) throws {
      try #require(try store.begin(waiting: true))
      number += 1
      var event = LoadEvent(kind, at: clock.now(), callSite: callSite.map { CallSite($0) })
      if isRetried { event.run = RunDetails(facts: RunFacts(isRetried: true)) }
      _ = try store.commit([NumberedEvent(number: number, event: event)], dropped: 0)
    }

    /// Starts a load now.
    @discardableResult
    func start(_ feed: Feed, message: String? = nil, from callSite: String? = nil) throws -> SessionID {
      let id = SessionID(milliseconds: clock.now().wall / 1000)
      try record(.start(id, feed, message: message, tag: nil), from: callSite)
      return id
    }

    /// Records a load that takes a time.
    func load(_ feed: Feed, _ verdict: Verdict = .succeeded, taking time: Duration) throws {
      let id = try start(feed)
      clock.advance(by: time)
      try record(.finish(id, verdict))
    }

    /// Drops old finished loads, but each feed's last ones.
    func prune(before cutoff: Int64) throws -> Int { try store.prune(before: cutoff, limit: 1000) }

    /// Ships all that is recorded.
    func ship(
      to address: FleetAddress, _ loads: ShippedLoads = .all, withMessages: Bool = true,
      lease: Duration = .seconds(600)
    ) throws {
      var settings = StoreOutbox.Settings()
      (settings.name, settings.loads, settings.withMessages) = (name, loads, withMessages)
      try FleetSync(
        storeAt: place.path, settings: settings, lease: lease, processes: processes, clock: clock
      ) { [clock] in PostgresDestination(address, clock: clock) }.round()
    }

    /// Records random events, some minutes apart.
    func live(_ count: Int) throws {
      for _ in 0..<count {
        clock.advance(by: .milliseconds(Int.random(in: 1...1_800_000, using: &dice)))
        let feed = pick(Self.feeds)
        let site = pick(Self.sites)
        try record(event(of: feed), from: site)
      }
    }

    private func event(of feed: Feed) -> LoadEvent.Kind {
      switch Int.random(in: 0..<20, using: &dice) {
      case 0..<7:
        let id = SessionID(milliseconds: clock.now().wall / 1000)
        open.append(id)
        known.append(id)
        return .start(id, feed, message: "Loading \(feed)", tag: "t")
      case 7..<12:
        guard !open.isEmpty else { return .extraPop(feed, .ended) }
        return .finish(open.remove(at: .random(in: 0..<open.count, using: &dice)), verdict())
      case 12..<14: return .push(feed)
      case 14: return .pop(feed, .ended)
      case 15: return .finish(SessionID(), .succeeded)
      case 16: return known.randomElement(using: &dice).map { .finish($0, verdict()) } ?? .push(feed)
      case 17:
        guard !open.isEmpty else { return .push(feed) }
        return .abandon(open.removeFirst(), .dropped)
      case 18: return .reset([feed])
      default: return .acknowledge(known.suffix(2), by: "ann", note: nil)
      }
    }

    private func verdict() -> Verdict {
      pick([.succeeded, .succeeded, .unchanged, .failed("refused"), .cancelled, .ended])
    }

    private func pick<Value>(_ values: [Value]) -> Value {
      values[.random(in: 0..<values.count, using: &dice)]
    }
  }
#endif
