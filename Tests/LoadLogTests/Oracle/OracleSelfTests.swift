@testable import Oracle
import Testing

/// Checks that the schedules reach all rules and that the oracle detects faults.
@Suite struct OracleSelfTests {
  private static let schedules: ClosedRange<UInt64> = 1...400

  /// Outcomes of events, and numbers that are neither 0 nor null, that the schedules must reach.
  private static let rules = [
    "start recorded", "start known", "start joined", "start repeated", "push recorded", "push repeated",
    "finish succeeded", "finish unchanged", "finish failed", "finish cancelled", "finish ended",
    "finish late succeeded", "finish late unchanged", "finish late failed", "finish late cancelled",
    "finish late ended", "heard succeeded", "heard failed", "heard known", "finish orphan_finish",
    "finish duplicate_finish", "finish repeated",
    "pop succeeded", "pop unchanged", "pop failed", "pop cancelled", "pop ended", "pop extra_pop",
    "pop after reset", "pop repeated", "reset done", "abandon done", "update done", "adopt done",
    "acknowledge done", "close done", "loads", "running", "unknown", "succeeded", "unchanged", "failed",
    "cancelled", "ended", "crashed", "rebooted", "abandoned", "orphan_finish", "duplicate_finish",
    "extra_pop", "total", "unacknowledged", "pops_after_reset", "running_since", "overrunning", "busy",
    "peak_depth", "duration.p99", "duration_succeeded.p99",
  ]

  @Test func schedulesReachEveryRule() {
    var reached: [String: Int] = [:]
    for seed in Self.schedules {
      for rule in rules(reachedBy: ScheduleMaker.schedule(seed: seed)) { reached[rule, default: 0] += 1 }
    }
    for rule in Self.rules { #expect(reached[rule, default: 0] >= 8, "\(rule) in \(reached)") }
  }

  @Test func theSameSeedMakesTheSameSchedule() {
    let (one, other) = (ScheduleMaker.schedule(seed: 5), ScheduleMaker.schedule(seed: 5))
    #expect(one.description == other.description)
    #expect(one.description != ScheduleMaker.schedule(seed: 6).description)
  }

  @Test func aSubjectWithoutAFaultPasses() {
    for seed in Self.schedules.prefix(50) {
      #expect(ScheduleMaker.schedule(seed: seed).firstDifference(FaultySubject { $0 }) == nil)
    }
  }

  @Test(arguments: Fault.allCases)
  func aFaultIsDetectedAndItsScheduleShrunk(_ fault: Fault) throws {
    let subject = { FaultySubject(fault.corrupt) }
    let failing = try #require(
      Self.schedules.lazy.map(ScheduleMaker.schedule).first { $0.firstDifference(subject()) != nil })
    let shrunk = failing.shrunk(tries: 400, subject)
    #expect(shrunk.firstDifference(subject()) != nil)
    #expect(shrunk.steps.count <= 14, "\(fault) in schedule \(failing.seed):\n\(shrunk)")
  }

  /// A verdict must not depend on whether a reader infers it or a writer has recorded it.
  @Test func recordingVerdictsChangesNoNumber() {
    for seed in Self.schedules.prefix(60) {
      var model = PlainModel()
      for step in ScheduleMaker.schedule(seed: seed).steps {
        _ = model.apply(step)
        guard case .ask(var question) = step else { continue }
        for (who, owner) in model.owners where owner.lock != .free {
          question.place = owner.place
          var judged = model
          judged.judgeDeadOwners(by: who)
          #expect(judged.status(question) == model.status(question), "schedule \(seed), owner \(who)")
        }
      }
    }
  }

  private func rules(reachedBy schedule: Schedule) -> Set<String> {
    var model = PlainModel()
    var rules: Set<String> = []
    for step in schedule.steps {
      let outcomes = model.apply(step)
      switch step {
      case .commit(_, let events):
        for (event, outcome) in zip(events, outcomes) { rules.insert("\(event.act.word) \(outcome)") }
      case .ask(let question):
        for (key, figure) in model.status(question) where key.hasPrefix("totals/") {
          if figure != .null && figure != .whole(0) { rules.insert(String(key.dropFirst(7))) }
        }
      default: break
      }
    }
    return rules
  }
}

/// Faults of a store, each made by changing or omitting an event.
enum Fault: CaseIterable, Sendable {
  case retriesApply, resetsForgotten, dropsForgotten, closesForgotten, adoptionsForgotten
  case acknowledgementsForgotten, verdictsOfPopsForgotten, reasonsForgotten, filesIgnored
  case locksIgnored, ticksIgnored, machinesIgnored, timeNamespacesIgnored, commandsAreLibraries
  case windowsIgnored

  func corrupt(_ step: Step) -> Step {
    switch (self, step) {
    case (_, .open(let who, let owner, let at)): return .open(who, corrupt(owner), at: at)
    case (_, .commit(let who, let events)): return .commit(who, events.map(corrupt))
    case (.locksIgnored, .lock(let who, .free)): return .lock(owner: who, .held)
    case (.ticksIgnored, .fate(let process, .reused)): return .fate(process: process, .alive)
    case (.windowsIgnored, .ask(var question)):
      question.until = nil
      return .ask(question)
    default: return step
    }
  }

  private func corrupt(_ owner: PlainModel.Owner) -> PlainModel.Owner {
    var owner = owner
    switch self {
    case .machinesIgnored: owner.place.machine = "m0"
    case .timeNamespacesIgnored: owner.place.times = 4_026_531_834
    case .commandsAreLibraries: owner.kind = .library
    default: break
    }
    return owner
  }

  private func corrupt(_ event: Happening) -> Happening {
    var event = event
    switch (self, event.act) {
    case (.retriesApply, _): event.number += event.at.boot
    case (.resetsForgotten, .reset), (.dropsForgotten, .abandon), (.closesForgotten, .close),
      (.adoptionsForgotten, .adopt), (.acknowledgementsForgotten, .acknowledge(.some)):
      event.act = .update(0)
    case (.verdictsOfPopsForgotten, .pop(let feed, _, _)): event.act = .pop(feed, .ended, nil)
    case (.reasonsForgotten, .finish(let id, let verdict, _)): event.act = .finish(id, verdict, nil)
    case (.filesIgnored, .pop): event.site = "elsewhere"
    default: break
    }
    return event
  }
}

/// A plain model with a fault: it receives changed steps.
private final class FaultySubject: Subject {
  private var model = PlainModel()
  private let corrupt: (Step) -> Step

  init(_ corrupt: @escaping (Step) -> Step) { self.corrupt = corrupt }

  func open(_ who: Int, _ owner: PlainModel.Owner, at moment: Moment) { play(.open(who, owner, at: moment)) }

  func commit(_ who: Int, _ events: [Happening]) -> [String?] {
    play(.commit(who, events)).map { _ in nil }
  }

  func judge(_ who: Int, at moment: Moment) { play(.judge(who, at: moment)) }

  func end(process: Int, _ fate: PlainModel.Fate) { play(.fate(process: process, fate)) }

  func setLock(of who: Int, _ lock: PlainModel.Owner.Lock) { play(.lock(owner: who, lock)) }

  func status(_ question: Question) -> [String: Figure] {
    guard case .ask(let question) = corrupt(.ask(question)) else { return [:] }
    return model.status(question)
  }

  func troubles(_ question: Question) -> [(trouble: PlainModel.Trouble, isAcknowledged: Bool)] {
    model.troubles(from: question.place)
  }

  @discardableResult
  private func play(_ step: Step) -> [String] { model.apply(corrupt(step)) }
}

extension Happening.Act {
  fileprivate var word: String { String("\(self)".prefix { $0 != "(" }) }
}
