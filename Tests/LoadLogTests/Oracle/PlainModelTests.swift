@testable import Oracle
import Testing

/// Checks the plain model with schedules small enough to compute by hand.
@Suite struct PlainModelTests {
  @Test func aPopClosesTheNewestPushOfItsFileOrElseTheNewest() {
    var story = Story()
    story.record(0, .push("network"), at: "A.swift:1")
    story.record(1, .push("network"), at: "B.swift:1")
    #expect(story.record(10, .pop("network", .succeeded, nil), at: "A.swift:99") == "succeeded")
    story.expect(20, "feeds/network/", ["duration.max": seconds(10), "running": 1, "running_since": wall(1)])
    story.record(21, .pop("network", .ended, nil), at: "C.swift:5")
    #expect(story.record(22, .pop("network", .ended, nil), at: "C.swift:5") == "extra_pop")
    story.expect(30, "feeds/network/", ["ended": 1, "extra_pop": 1, "duration.sum": seconds(30)])
    story.expect(30, "feeds/network/", ["duration_succeeded.count": 1, "last_updated": wall(10)])
  }

  @Test func theNextPopsAfterAResetBelongToTheResetPushes() {
    var story = Story()
    story.record(0, .push("network"))
    story.record(0, .push("network"))
    story.record(0, .start(1, "network"))
    story.record(4, .reset(["network"]))
    story.expect(9, "feeds/network/", ["abandoned": 2, "running": 1, "busy": seconds(9), "peak_depth": 3])
    #expect(story.record(10, .pop("network", .succeeded, nil)) == "after reset")
    #expect(story.record(10, .pop("network", .ended, nil)) == "after reset")
    #expect(story.record(10, .pop("network", .ended, nil)) == "extra_pop")
    story.expect(11, "feeds/network/", ["pops_after_reset": 2, "extra_pop": 1, "total": 3])
    story.expect(11, "feeds/network/", ["last_updated": .null, "duration": .null])
  }

  @Test func aCommandPopsAnyPushAndALibraryOnlyItsOwn() {
    var story = Story()
    story.open(1)
    story.open(2, .given, lock: .none)
    story.record(0, .push("network"))
    #expect(story.record(1, by: 1, .pop("network", .ended, nil)) == "extra_pop")
    #expect(story.record(2, by: 2, .pop("network", .failed, "exit 1")) == "failed")
    story.record(3, .push("network"))
    story.record(4, by: 2, .reset(nil))
    #expect(story.record(5, .pop("network", .ended, nil)) == "after reset")
    story.expect(6, "feeds/network/", ["last_failed": wall(2), "last_failure": .text("exit 1"), "total": 2])
  }

  @Test func anEarlyFinishIsJoinedWithItsStartAndFurtherOnesAreDuplicates() {
    var story = Story()
    story.record(8, .finish(1, .failed, "HTTP 503"))
    story.record(9, .finish(1, .succeeded, nil))
    story.expect(9, "totals/", ["orphan_finish": 2, "loads": 0])
    #expect(story.record(5, .start(1, "reviews")) == "joined")
    story.expect(9, "feeds/reviews/", ["failed": 1, "duplicate_finish": 1, "last_failed": wall(8)])
    story.expect(9, "feeds/reviews/", ["duration.sum": seconds(3), "last_attempted": wall(5), "total": 1])
    story.expect(9, "totals/", ["orphan_finish": 0])
    #expect(story.record(10, .start(1, "reviews")) == "known")
  }

  @Test func aCrashedLoadIsOpenUntilItsOwnersLastCommitAndALateFinishReplacesItsVerdict() {
    var story = Story()
    story.open(1)
    story.record(0, by: 1, .start(1, "reviews"))
    story.record(7, by: 1, .start(2, "reviews"))
    story.model.fates[1] = .gone
    story.expect(100, "feeds/reviews/", ["crashed": 2, "busy": seconds(7), "duration": .null])
    story.model.judgeDeadOwners(by: 0)
    story.expect(100, "feeds/reviews/", ["crashed": 2, "busy": seconds(7), "duration": .null])
    #expect(story.record(40, .finish(1, .unchanged, nil)) == "late unchanged")
    story.expect(100, "feeds/reviews/", ["crashed": 1, "unchanged": 1, "busy": seconds(40), "peak_depth": 1])
    story.expect(100, "feeds/reviews/", ["last_updated": wall(40), "last_changed": .null])
  }

  @Test func busyTimeIsAUnionAndEndsComeBeforeStarts() {
    var story = Story()
    for (id, start, end) in [(1, 0, 10), (2, 5, 15), (3, 15, 20), (4, 30, 30)] {
      story.record(Int64(start), .start(id, "reviews"))
      story.record(Int64(end), .finish(id, .cancelled, nil))
    }
    story.expect(50, "feeds/reviews/", ["busy": seconds(20), "peak_depth": 2, "loads": 4, "cancelled": 4])
    story.question = { $0.since = wall(8).number }
    story.expect(50, "feeds/reviews/", ["busy": seconds(12), "peak_depth": 2, "loads": 2])
    story.question = { ($0.since, $0.until) = (wall(5).number, wall(30).number) }
    story.expect(50, "feeds/reviews/", ["busy": seconds(15), "loads": 2, "duration.sum": seconds(15)])
    story.question = { ($0.since, $0.until) = (wall(20).number, wall(25).number) }
    story.expect(50, "feeds/reviews/", ["busy": 0, "peak_depth": 0, "loads": 0, "duration": .null])
  }

  @Test func quantilesInterpolateBetweenClosestRanks() {
    var story = Story()
    for second in [4, 1, 3, 2] as [Int64] {
      story.record(0, .start(Int(second), "reviews"))
      story.record(second, .finish(Int(second), second == 1 ? .failed : .succeeded, nil))
    }
    story.expect(9, "feeds/reviews/", ["duration.p50": .real(2.5e9), "duration.p90": .real(3.7e9)])
    story.expect(9, "feeds/reviews/", ["duration.p95": .real(3.85e9), "duration.p99": .real(3.97e9)])
    story.expect(9, "feeds/reviews/duration_succeeded.", ["p50": .real(3e9), "min": seconds(2)])
  }

  @Test func aLoadIsOverrunningAfterThreeTimesTheP99OfTwentyLoads() {
    var story = Story()
    story.record(0, .start(100, "reviews"))
    for id in 1...20 {
      story.expect(1_000_000, "feeds/reviews/", ["overrunning": .null])
      story.record(0, .start(id, "reviews"))
      story.record(id == 20 ? 500 : 2, .finish(id, id == 20 ? .failed : .succeeded, nil))
    }
    story.expect(6, "feeds/reviews/", ["overrunning": 0])
    story.expect(7, "feeds/reviews/", ["overrunning": 1])
    story.expect(7, "totals/", ["overrunning": 1])
    story.question = { $0.limit = seconds(7).number }
    story.expect(7, "feeds/reviews/", ["overrunning": 0])
  }

  @Test func closingCancelsRunningLoads() {
    var story = Story()
    story.record(0, .start(1, "reviews"))
    story.record(1, .push("network"))
    story.record(3, .close)
    story.expect(9, "totals/", ["cancelled": 2, "total": 0, "duration.sum": seconds(5), "busy": seconds(3)])
    story.expect(9, "feeds/reviews/", ["last_updated": .null, "last_attempted": wall(0)])
  }

  @Test func lastMeansLastCommittedAndASuccessReplacesAnAdoptedDate() {
    var story = Story()
    story.record(50, .adopt("reviews", 77))
    story.record(50, .adopt("reviews", 55))
    story.expect(50, "feeds/reviews/", ["last_updated": 55, "loads": 0])
    story.record(60, .start(1, "reviews"))
    story.record(60, .start(2, "reviews"))
    story.record(70, .finish(1, .succeeded, nil))
    story.record(65, .finish(2, .unchanged, nil))
    story.record(80, .adopt("reviews", 99))
    story.expect(90, "feeds/reviews/", ["last_updated": wall(65), "last_changed": wall(70)])
  }

  @Test func acrossBootsTheDurationIsTheDifferenceOfWallTimesUnlessNegative() {
    var story = Story()
    var later = Story.home
    later.boot = "b2"
    story.open(1, at: later)
    story.record(0, .start(1, "reviews"))
    story.record(90, .start(2, "reviews"))
    story.model.owners[0]?.lock = .free
    story.model.judgeDeadOwners(by: 1)
    story.question = { $0.place = later }
    story.expect(99, "feeds/reviews/", ["rebooted": 2, "busy": seconds(90)])
    story.record(60, by: 1, .finish(1, .succeeded, nil))
    story.record(60, by: 1, .finish(2, .failed, nil))
    story.expect(99, "feeds/reviews/", ["succeeded": 1, "failed": 1, "busy": seconds(60)])
    story.expect(99, "feeds/reviews/", ["duration.count": 1, "last_failed": wall(60)])
  }

  @Test func acknowledgedImbalancesStayInTheRecordAndRaiseNoMoreAlarms() {
    var story = Story()
    story.open(1)
    story.record(0, by: 1, .start(1, "reviews"))
    story.model.fates[1] = .gone
    story.record(1, .pop("network", .ended, nil), at: "A.swift:7")
    story.expect(9, "call_sites/network/A.swift:7/extra_pop/", ["count": 1, "last": wall(1)])
    story.record(2, .acknowledge(nil))
    story.record(3, .finish(7, .ended, nil))
    story.expect(9, "totals/", ["total": 3, "unacknowledged": 1, "crashed": 1])
    story.expect(9, "call_sites/network/A.swift:7/extra_pop/", ["count": nil])
    story.question = { $0.feeds = ["network"] }
    story.expect(9, "totals/", ["total": 1, "orphan_finish": 0, "busy": .null, "peak_depth": .null])
  }

  private static let deaths: [Death] = [
    Death(.library, .held, .alive, from: .home, .running),
    Death(.library, .held, .alive, from: .container, .running),
    Death(.library, .none, .alive, from: .container, .unknown),
    Death(.library, .replaced, .gone, from: .container, .unknown),
    Death(.library, .free, .alive, from: .home, .abandoned),
    Death(.library, .free, .alive, from: .container, .crashed),
    Death(.library, .free, .gone, from: .home, .crashed),
    Death(.library, .replaced, .zombie, from: .home, .crashed),
    Death(.given, .none, .alive, from: .home, .running),
    Death(.given, .none, .gone, from: .home, .crashed),
    Death(.given, .none, .gone, from: .container, .unknown),
    Death(.inferred, .none, .reused, from: .home, .crashed),
    Death(.inferred, .none, .reused, from: .otherTimes, .unknown),
    Death(.inferred, .none, .gone, from: .otherTimes, .crashed),
    Death(.detached, .none, .alive, from: .home, .unknown),
    Death(.detached, .none, .alive, from: .laterBoot, .rebooted),
    Death(.library, .free, .gone, from: .laterBoot, .rebooted),
    Death(.library, .held, .alive, from: .laterBoot, .running),
    Death(.library, .free, .gone, from: .otherMachine, .unknown),
    Death(.given, .none, .gone, from: .nameless, .unknown),
  ]

  @Test(arguments: deaths)
  fileprivate func provesTheDeathOfAnOwner(_ death: Death) {
    var model = PlainModel()
    model.fates[0] = death.fate
    let owner = PlainModel.Owner(kind: death.kind, place: Story.home, process: 0, lock: death.lock)
    #expect(model.judge(owner, from: death.from.place) == death.verdict)
  }
}

/// An owner, the fate of its process and its lock, and the state that a reader must report.
private struct Death: Sendable {
  let kind: PlainModel.Owner.Kind, lock: PlainModel.Owner.Lock, fate: PlainModel.Fate
  let from: Story.From, verdict: PlainModel.State

  init(
    _ kind: PlainModel.Owner.Kind, _ lock: PlainModel.Owner.Lock, _ fate: PlainModel.Fate,
    from: Story.From, _ verdict: PlainModel.State
  ) {
    (self.kind, self.lock, self.fate, self.from, self.verdict) = (kind, lock, fate, from, verdict)
  }
}

/// A schedule in seconds, played to a plain model.
struct Story {
  enum From: Sendable { case home, container, otherTimes, laterBoot, otherMachine, nameless }

  static let home = Place(machine: "m", boot: "b1", pids: 1, times: 1)

  var model = PlainModel()
  /// Modifies the next question.
  var question: (inout Question) -> Void = { _ in }
  private var number: Int64 = 0

  init() { open(0) }

  mutating func open(
    _ who: Int, _ kind: PlainModel.Owner.Kind = .library, lock: PlainModel.Owner.Lock = .held,
    at place: Place = home
  ) {
    model.owners[who] = PlainModel.Owner(kind: kind, place: place, process: who, lock: lock)
  }

  @discardableResult
  mutating func record(
    _ second: Int64, by who: Int = 0, _ act: Happening.Act, at site: String? = "A.swift:1"
  ) -> String {
    number += 1
    let at = Moment(wall: 1_000_000 * second, boot: 1_000_000_000 * second)
    return model.commit([Happening(number: number, act: act, at: at, site: site)], by: who)[0]
  }

  func expect(
    _ second: Int64, _ prefix: String, _ figures: [String: Figure?], line: SourceLocation = #_sourceLocation
  ) {
    let at = Moment(wall: 1_000_000 * second, boot: 1_000_000_000 * second)
    var question = Question(place: Story.home, at: at)
    self.question(&question)
    let answer = model.status(question)
    for (key, figure) in figures {
      let found = answer[prefix + key]
      let agrees = figure.map { found?.agrees(with: $0) ?? false } ?? (found == nil)
      #expect(agrees, "\(key) is \(found.text), not \(figure.text)", sourceLocation: line)
    }
  }
}

extension Story.From {
  var place: Place {
    var place = Story.home
    switch self {
    case .home: break
    case .container: place.pids = 2
    case .otherTimes: place.times = 2
    case .laterBoot: place.boot = "b2"
    case .otherMachine: (place.machine, place.boot) = ("n", "b3")
    case .nameless: (place.machine, place.boot) = ("", "b3")
    }
    return place
  }
}

private func wall(_ second: Int64) -> Figure { .whole(1_000_000 * second) }

private func seconds(_ second: Int64) -> Figure { .whole(1_000_000_000 * second) }

extension Figure: ExpressibleByIntegerLiteral {
  init(integerLiteral value: Int64) { self = .whole(value) }

  fileprivate var number: Int64? {
    if case .whole(let value) = self { value } else { nil }
  }
}

extension Figure? {
  fileprivate var text: String { self?.description ?? "missing" }
}
