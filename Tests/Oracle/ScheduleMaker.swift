import TestProcesses

/// Makes random schedules of machines with containers, processes that start and end, owners, clocks that are
/// set, and events of all of them. It plays each step to a model of its own, to know what is unbalanced.
struct ScheduleMaker {
  private struct Machine {
    let name: String
    var boots = 1
    /// The nanoseconds since the schedule began, in real time.
    var bootedAt: Int64
    var wallOffset: Int64
  }

  private struct Spot {
    let machine: Int, id: String, pids: Int64, times: Int64, bootOffset: Int64
  }

  private struct Process {
    let spot: Int
    var isAlive = true
  }

  private struct Actor {
    let owner: PlainModel.Owner, spot: Int
    var number: Int64 = 0
    var lastBatch: [Happening] = []
    var isUsable = true
    var hasLostLock = false
  }

  private enum Action: CaseIterable {
    case commit, open, judge, death, reboot, loseLock, wait, setClock, ask
  }

  private enum Deed: CaseIterable {
    case start, finish, heard, push, pop, reset, abandon, update, adopt, acknowledge, close
  }

  private static let names = ["reviews", "network", "apps/42/reviews", "feeds/news", "backup/db"]
  private static let files = ["App/Reviews.swift", "App/Network.swift", "Kit/Cache.swift"]
  private static let initialPids: Int64 = 4_026_531_836
  private static let initialTimes: Int64 = 4_026_531_834

  private var random: SplitMix64
  private var model = PlainModel()
  private var steps: [Step] = []
  private var now: Int64 = 0
  private var machines: [Machine] = []
  private var spots: [Spot] = []
  private var processes: [Process] = []
  private var actors: [Actor] = []
  private var started: [Int] = []
  private var open: [Int] = []
  private var early: [Int] = []
  private var walls: [Int64] = []
  private var lastID = 0
  private var feeds: [String] = []
  private var isSpread = false
  private var actions: [Action] = []
  private var deeds: [Deed] = []

  private init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The length of a day in microseconds.
  private static let day: Int64 = 86_400_000_000

  static func schedule(seed: UInt64) -> Schedule {
    var maker = ScheduleMaker(seed: seed)
    maker.make()
    return Schedule(seed: seed, steps: maker.steps)
  }
}

// MARK: - Steps

extension ScheduleMaker {
  private mutating func make() {
    buildWorld()
    openOwner(.library, at: 0)
    if chance(25) { warmUp() }
    for _ in 0..<pick([6, 15, 30, 60, 100]) {
      switch pick(actions) {
      case .commit: commitBatch()
      case .open: openOwner(randomKind(), at: randomSpot())
      case .judge: judge()
      case .death: endProcess()
      case .reboot: reboot()
      case .loseLock: loseLock()
      case .wait: wait(chance(20) ? below(60) * 3600 * 1_000_000_000 : below(9) * below(9) * 1_000_000_000)
      case .setClock:
        let hour: Int64 = 3_600_000_000
        machines[Int(below(Int64(machines.count)))].wallOffset += pick([hour, -hour, 240 * hour, -1_500_000])
      case .ask: ask()
      }
      wait(randomPause())
    }
    finish()
  }

  private mutating func buildWorld() {
    let day: Int64 = 86_400_000_000_000
    // Start in the middle of a UTC day, or ten seconds before its end.
    let offset: Int64 = pick([1_790_000_000_000_000, 1_790_035_190_000_000])
    machines = [
      Machine(name: "m0", bootedAt: -below(9 * day), wallOffset: offset),
      Machine(name: "m1", bootedAt: -below(9 * day), wallOffset: offset + 700_000),
    ]
    let (pids, times) = (Self.initialPids, Self.initialTimes)
    spots = [
      Spot(machine: 0, id: "m0", pids: pids, times: times, bootOffset: 0),
      Spot(machine: 0, id: "", pids: pids + 100, times: times, bootOffset: 0),
      Spot(machine: 0, id: "m0", pids: pids + 101, times: times + 100, bootOffset: 20 * day),
      Spot(machine: 1, id: "m1", pids: pids, times: times, bootOffset: 0),
      Spot(machine: 0, id: "m0", pids: pids, times: times + 101, bootOffset: day / 2),
      Spot(machine: 0, id: "c5", pids: pids + 102, times: times, bootOffset: 0),
    ]
    isSpread = chance(45)
    feeds = Array(Self.names.prefix(Int(1 + below(5))))
    let mostlyWork: [Action] = Array(repeating: .commit, count: 12) + [.open, .ask, .ask, .wait]
    actions = mostlyWork + (0..<below(7)).map { _ in pick(Action.allCases) }
    let pairs: [Deed] = [.start, .finish, .start, .finish, .push, .pop, .push, .pop]
    deeds = pairs + (0..<10).map { _ in pick(Deed.allCases) } + (chance(30) ? [] : Deed.allCases)
  }

  /// Records enough loads for an overrunning limit.
  private mutating func warmUp() {
    for _ in 0..<6 {
      var batch: [Happening] = []
      for _ in 0..<4 {
        lastID += 1
        started.append(lastID)
        batch.append(happening(of: 0, .start(lastID, feeds[0]), at: randomSite()))
        wait(randomPause() / 64)
        let verdict: PlainModel.State = pick([.succeeded, .unchanged, .failed])
        batch.append(happening(of: 0, .finish(lastID, verdict, nil), at: nil))
      }
      commit(0, batch)
    }
  }

  /// Asks from all places, before and after the verdicts are recorded.
  private mutating func finish() {
    for spot in isSpread ? [0, 1, 2, 3, 4, 5] : [0] { add(.ask(question(from: spot))) }
    ask()
    openOwner(.library, at: 0)
    add(.judge(actors.count - 1, at: moment(at: 0)))
    add(.ask(question(from: 0)))
    ask()
  }

  private mutating func add(_ step: Step) {
    steps.append(step)
    _ = model.apply(step)
  }
}

// MARK: - Processes and clocks

extension ScheduleMaker {
  private func place(of spot: Int) -> Place {
    let (spot, machine) = (spots[spot], machines[spots[spot].machine])
    return Place(
      machine: spot.id, boot: "\(machine.name)-\(machine.boots)", pids: spot.pids, times: spot.times)
  }

  private func moment(at spot: Int) -> Moment {
    let (spot, machine) = (spots[spot], machines[spots[spot].machine])
    return Moment(wall: machine.wallOffset + now / 1000, boot: now - machine.bootedAt + spot.bootOffset)
  }

  private mutating func wait(_ nanoseconds: Int64) { now += nanoseconds }

  private mutating func openOwner(_ kind: PlainModel.Owner.Kind, at spot: Int) {
    let known = processes.indices.filter { processes[$0].spot == spot && processes[$0].isAlive }
    var process = -1
    if kind != .detached, kind != .remote {
      process = known.isEmpty || chance(60) ? processes.count : pick(known)
      if process == processes.count { processes.append(Process(spot: spot)) }
    }
    let place = place(of: spot)
    // A command acts for an owner: another command for the same process is the same owner.
    let same = actors.firstIndex {
      kind != .library && $0.owner.kind == kind && $0.owner.process == process && $0.owner.place == place
    }
    let lock: PlainModel.Owner.Lock = kind == .library && !chance(8) ? .held : .none
    let owner = PlainModel.Owner(kind: kind, place: place, process: process, lock: lock)
    if same == nil { actors.append(Actor(owner: owner, spot: spot)) }
    let who = same ?? actors.count - 1
    add(.open(who, actors[who].owner, at: moment(at: spot)))
  }

  private mutating func endProcess() {
    let alive = processes.indices.filter { processes[$0].isAlive }
    guard !alive.isEmpty else { return }
    end(pick(alive), pick([.gone, .gone, .gone, .zombie, .reused]))
  }

  private mutating func end(_ process: Int, _ fate: PlainModel.Fate) {
    processes[process].isAlive = false
    add(.fate(process: process, fate))
    for who in actors.indices where actors[who].owner.process == process {
      actors[who].isUsable = false
      if model.owners[who]?.lock == .held { add(.lock(owner: who, .free)) }
    }
  }

  private mutating func reboot() {
    let machine = chance(70) ? 0 : 1
    for process in processes.indices where processes[process].isAlive {
      if spots[processes[process].spot].machine == machine { end(process, .gone) }
    }
    for who in usable() where spots[actors[who].spot].machine == machine {
      actors[who].isUsable = false
    }
    machines[machine].boots += 1
    wait(1_000_000_000 + below(90_000_000_000))
    machines[machine].bootedAt = now - below(1_000_000_000)
  }

  /// Releases the lock of a live library owner, or replaces its lock file.
  private mutating func loseLock() {
    let holders = usable { $0.owner.lock == .held && !$0.hasLostLock && $0.owner.kind == .library }
    guard !holders.isEmpty else { return }
    let who = pick(holders)
    actors[who].hasLostLock = true
    add(.lock(owner: who, pick([.free, .free, .replaced])))
  }

  private func usable(_ condition: (Actor) -> Bool = { _ in true }) -> [Int] {
    actors.indices.filter { actors[$0].isUsable && condition(actors[$0]) }
  }
}

// MARK: - Events

extension ScheduleMaker {
  private mutating func commitBatch() {
    let usable = usable()
    guard !usable.isEmpty else { return openOwner(.library, at: 0) }
    let who = chance(30) ? usable[usable.count - 1] : pick(usable)
    let isLibrary = actors[who].owner.kind == .library
    if isLibrary && !actors[who].hasLostLock && chance(3) {
      add(.open(who, actors[who].owner, at: moment(at: actors[who].spot)))
    }
    // A batch whose receipts were lost is retried, alone or with more events.
    var batch = isLibrary && chance(5) ? actors[who].lastBatch : []
    if batch.isEmpty || chance(50) {
      for _ in 0..<pick([1, 1, 1, 2, 3, 6]) where actors[who].isUsable {
        guard let act = act(of: who, isFirst: batch.isEmpty) else { continue }
        batch.append(happening(of: who, act.0, at: act.site))
        wait(chance(40) ? 0 : randomPause() / 16)
      }
    }
    if !batch.isEmpty { commit(who, batch) }
  }

  private mutating func commit(_ who: Int, _ batch: [Happening]) {
    actors[who].lastBatch = batch
    add(.commit(who, batch))
  }

  private mutating func happening(of who: Int, _ act: Happening.Act, at site: String?) -> Happening {
    actors[who].number += chance(4) ? 3 : 1
    var at = moment(at: actors[who].spot)
    if chance(5) {  // stamped by another thread before the one in front of it
      let earlier = min(below(3_000_000), at.boot / 1000)
      at = Moment(wall: at.wall - earlier, boot: at.boot - earlier * 1000)
    }
    walls.append(at.wall)
    return Happening(number: actors[who].number, act: act, at: at, site: site)
  }

  private mutating func act(of who: Int, isFirst: Bool) -> (Happening.Act, site: String?)? {
    let feed = randomFeed(), isLibrary = actors[who].owner.kind == .library
    switch pick(deeds) {
    case .start: return (.start(idToStart(), feed), site: chance(4) ? nil : randomSite())
    case .finish:
      let (verdict, reason) = randomVerdict()
      return (.finish(idToFinish(), verdict, reason), site: chance(4) ? nil : randomSite())
    case .heard:
      let (verdict, reason) = randomVerdict()
      return (.heard(idToStart(), feed, verdict, reason), site: chance(4) ? nil : randomSite())
    case .push: return (.push(feed), site: chance(4) ? nil : randomSite())
    case .pop:
      let (verdict, reason) = chance(50) ? randomVerdict() : (.ended, nil)
      return (.pop(feed, verdict, reason), site: randomSite())
    case .reset:
      return (.reset(pick([[feed], [feed], [feed, feeds[0]], ["never/seen"], nil])), site: randomSite())
    case .abandon: return (.abandon(idToFinish()), site: nil)
    case .update: return (.update(idToFinish()), site: nil)
    case .adopt:
      let day: Int64 = 86_400_000_000
      let name = chance(10) ? "adopted" : feed
      return (.adopt(name, moment(at: actors[who].spot).wall - below(9 * day) + day), site: nil)
    case .acknowledge:
      // An owner cannot find its own lock free.
      guard !actors[who].hasLostLock else { return nil }
      let troubles = model.troubles(from: actors[who].owner.place).map(\.trouble)
      if chance(40) || troubles.isEmpty || !isFirst { return (.acknowledge(nil), site: nil) }
      return (.acknowledge([pick(troubles), pick(troubles)]), site: nil)
    case .close:
      guard isLibrary, chance(50) else { return nil }
      actors[who].isUsable = false
      return (.close, site: nil)
    }
  }

  private mutating func idToStart() -> Int {
    if !early.isEmpty && chance(35) {
      let id = early.remove(at: Int(below(Int64(early.count))))
      started.append(id)
      return id
    }
    if !started.isEmpty && chance(4) { return pick(started) }
    lastID += 1
    started.append(lastID)
    open.append(lastID)
    return lastID
  }

  private mutating func idToFinish() -> Int {
    if !open.isEmpty && chance(70) {
      let index = chance(60) ? open.count - 1 : Int(below(Int64(open.count)))
      return chance(85) ? open.remove(at: index) : open[index]
    }
    if !early.isEmpty && chance(20) { return pick(early) }
    if !started.isEmpty && chance(60) { return pick(started) }
    lastID += 1
    early.append(lastID)
    return lastID
  }

  private mutating func judge() {
    let judges = usable { $0.owner.kind == .library && !$0.hasLostLock }
    guard !judges.isEmpty else { return }
    let who = pick(judges)
    add(.judge(who, at: moment(at: actors[who].spot)))
  }

  private mutating func ask() {
    var question = question(from: randomSpot())
    let bounds = [randomWall(question.at), randomWall(question.at)].sorted()
    if chance(60) { question.since = bounds[0] }
    if chance(50) { question.until = bounds[1] }
    if chance(25) { question.feeds = [randomFeed(), randomFeed()] }
    if chance(25) { question.limit = pick([0, 1_000_000, 1_000_000_000, 3_600_000_000_000]) }
    add(.ask(question))
  }

  private func question(from spot: Int) -> Question {
    Question(place: place(of: spot), at: moment(at: spot))
  }
}

// MARK: - Random choices

extension ScheduleMaker {
  private mutating func below(_ bound: Int64) -> Int64 {
    bound <= 0 ? 0 : Int64(random.next() % UInt64(bound))
  }

  private mutating func chance(_ percent: Int64) -> Bool { below(100) < percent }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(below(Int64(values.count)))] }

  private mutating func randomPause() -> Int64 {
    let limit: Int64 = pick([1, 1, 1000, 1_000_000, 1_000_000_000, 60_000_000_000, 7_200_000_000_000])
    return below(limit)
  }

  private mutating func randomFeed() -> String { chance(50) ? feeds[0] : pick(feeds) }

  private mutating func randomSite() -> String {
    if chance(10) { return pick(["/srv/jobs/backup.sh", "/srv/jobs/backup.sh:12", "odd:name:"]) }
    return pick(Self.files) + ":" + pick(["42", "117"])
  }

  private mutating func randomVerdict() -> (PlainModel.State, String?) {
    switch pick(Array(0..<8)) {
    case 0, 1, 2: (.succeeded, chance(20) ? "12 new" : nil)
    case 3: (.unchanged, nil)
    case 4, 5: (.failed, pick([nil, "HTTP 503", "timed out"]))
    case 6: (.cancelled, nil)
    default: (.ended, nil)
    }
  }

  private mutating func randomKind() -> PlainModel.Owner.Kind {
    pick([.library, .library, .library, .library, .given, .given, .inferred, .detached, .remote])
  }

  private mutating func randomSpot() -> Int { isSpread && chance(50) ? pick([1, 2, 3, 4, 5]) : 0 }

  /// Returns a wall time at, next to or between those of events.
  private mutating func randomWall(_ now: Moment) -> Int64 {
    guard !walls.isEmpty else { return now.wall - below(9_000_000) }
    let (one, other) = (pick(walls), pick(walls))
    if chance(25) { return one - one % Self.day + pick([0, 0, 0, 1]) * Self.day }
    return chance(60) ? one + pick([-1, 0, 0, 0, 1]) : one + (other - one) / 2
  }
}
