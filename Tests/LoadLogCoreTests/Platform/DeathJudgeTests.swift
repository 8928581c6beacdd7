import Foundation
import LoadLogCore
import Testing

@Suite struct DeathJudgeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var kind = Owner.Kind.library
    var app = "reader"
    var process = ProcessIdentity.other()
    var current = ProcessIdentity.here
    var sight = ProcessObservation.hidden
    var lock = LockProbe.unreadable
    let expected: Judgement
  }

  @Test(arguments: [
    // Rule 1
    Case(
      testDescription: "other boot, same machine", process: .other { $0.bootID = "earlier" },
      sight: .present(startTicks: 500), lock: .free,
      expected: .dead(.rebooted, evidence: "the machine restarted, before any finish")),
    Case(
      testDescription: "other boot, lock held, as in a container with a boot id of its own",
      process: .other { $0.bootID = "of the container" }, sight: .gone, lock: .held, expected: .alive),
    Case(
      testDescription: "other boot, other machine",
      process: .other {
        $0.bootID = "earlier"
        $0.machineID = "theirs"
      }, sight: .gone, lock: .free, expected: .unknown(evidence: "it runs on another machine (host box)")),
    Case(
      testDescription: "other boot, machine not kept",
      process: .other {
        $0.bootID = "earlier"
        $0.machineID = ""
      }, sight: .gone, lock: .free,
      expected: .unknown(evidence: "the machine it ran on is not known (host box)")),
    Case(
      testDescription: "other boot, both machines not known",
      process: .other {
        $0.bootID = "earlier"
        $0.machineID = ""
      }, current: .with { $0.machineID = "" }, sight: .gone,
      expected: .unknown(evidence: "the machine it ran on is not known (host box)")),
    Case(
      testDescription: "detached, other boot", kind: .detached, process: .other { $0.bootID = "earlier" },
      expected: .dead(.rebooted, evidence: "the machine restarted, before any finish")),
    Case(
      testDescription: "detached, this boot", kind: .detached, sight: .gone, lock: .free,
      expected: .unknown(evidence: "it has no process (detached)")),
    Case(
      testDescription: "this boot in a container of another machine id",
      process: .other { $0.machineID = "image" }, sight: .gone,
      expected: .dead(.crashed, evidence: "pid 3102 is gone")),
    // Rule 2
    Case(
      testDescription: "gone", sight: .gone, expected: .dead(.crashed, evidence: "pid 3102 is gone")),
    Case(
      testDescription: "gone, lock free", sight: .gone, lock: .free,
      expected: .dead(.crashed, evidence: "pid 3102 is gone and its lock is free")),
    Case(
      testDescription: "given, gone", kind: .given, app: "bash", sight: .gone, lock: .free,
      expected: .dead(.crashed, evidence: "pid 3102 (bash) is gone")),
    Case(
      testDescription: "inferred, gone", kind: .inferred, app: "bash", sight: .gone,
      expected: .dead(.crashed, evidence: "pid 3102 (bash, inferred) is gone")),
    Case(
      testDescription: "zombie", sight: .zombie,
      expected: .dead(.crashed, evidence: "pid 3102 is a zombie")),
    Case(
      testDescription: "pid used again", sight: .present(startTicks: 900),
      expected: .dead(.crashed, evidence: "pid 3102 is now another process (started later)")),
    Case(
      testDescription: "pid used again, in another time namespace",
      process: .other { $0.timeNamespace = 21 }, sight: .present(startTicks: 900),
      expected: .unknown(evidence: "its process is in another time namespace")),
    Case(
      testDescription: "gone, in another time namespace", process: .other { $0.timeNamespace = 21 },
      sight: .gone, expected: .dead(.crashed, evidence: "pid 3102 is gone")),
    Case(
      testDescription: "start not kept", process: .other { $0.startTicks = nil },
      sight: .present(startTicks: 900),
      expected: .unknown(evidence: "pid 3102 cannot be distinguished from a later process")),
    Case(testDescription: "lives", kind: .given, sight: .present(startTicks: 500), expected: .alive),
    Case(
      testDescription: "hidden",
      expected: .unknown(evidence: "pid 3102 cannot be seen from here")),
    Case(
      testDescription: "no time namespaces, as on Darwin", process: .other { $0.timeNamespace = nil },
      current: .with { $0.timeNamespace = nil }, sight: .present(startTicks: 900),
      expected: .dead(.crashed, evidence: "pid 3102 is now another process (started later)")),
    Case(
      testDescription: "pid namespaces that could not be read may differ",
      process: .other { $0.pidNamespace = nil }, current: .with { $0.pidNamespace = nil }, sight: .gone,
      expected: .unknown(evidence: "its pid namespace is not known")),
    Case(
      testDescription: "other pid namespace: its pid means nothing", process: .other { $0.pidNamespace = 11 },
      sight: .gone, expected: .unknown(evidence: "its process is in another pid namespace")),
    Case(
      testDescription: "boot not known: a pid means nothing", process: .other { $0.bootID = "" },
      current: .with { $0.bootID = "" }, sight: .gone,
      expected: .unknown(evidence: "the boot it ran on is not known")),
    // Rule 3
    Case(
      testDescription: "other pid namespace, lock free", process: .other { $0.pidNamespace = 11 },
      sight: .present(startTicks: 500), lock: .free,
      expected: .dead(.crashed, evidence: "the lock of pid 3102 is free")),
    Case(
      testDescription: "other pid namespace, lock held", process: .other { $0.pidNamespace = 11 },
      sight: .gone, lock: .held, expected: .alive),
    Case(
      testDescription: "lives, lock released", sight: .present(startTicks: 500), lock: .free,
      expected: .dead(.released, evidence: "pid 3102 lives, but its lock was released")),
    Case(
      testDescription: "lives, lock held", sight: .present(startTicks: 500), lock: .held,
      expected: .alive),
    Case(
      testDescription: "lives, lock file lost", sight: .present(startTicks: 500), expected: .alive),
    Case(
      testDescription: "a given owner has no lock", kind: .given, app: "", lock: .free,
      expected: .unknown(evidence: "pid 3102 cannot be seen from here")),
  ])
  func followsTheRules(_ test: Case) {
    let judge = DeathJudge(
      processes: FakeProcesses(current: test.current, sight: test.sight),
      locks: FakeLocks(answer: test.lock))
    let owner = Owner(
      kind: test.kind, process: test.process, host: "box", app: test.app,
      lock: Owner.Lock(name: "lock", inode: 7))
    #expect(judge.judge(owner) == test.expected)
  }

  @Test func anOwnerWithoutALockIsJudgedByItsPid() {
    let judge = DeathJudge(processes: FakeProcesses(), locks: FakeLocks(answer: .free))
    let owner = Owner(kind: .library, process: .other(), host: "", app: "", lock: nil)
    #expect(judge.judge(owner) == .unknown(evidence: "pid 3102 cannot be seen from here"))
  }

  @Test(arguments: [
    // Now is 2026-11-21 09:00 in the zone; the number is the hours since the boot.
    (6.8, "at 02:12"), (9.1, "on 20 Nov at 23:54"), (24.0, "on 20 Nov at 09:00"),
    (24.0 * 18, "on 3 Nov at 09:00"), (24.0 * 365, "on 21 Nov 2025 at 09:00"),
  ])
  func namesTheTimeOfARestart(hours: Double, expected: String) throws {
    let zone = try #require(TimeZone(secondsFromGMT: 3600))
    let now = try #require(Date(timeIntervalSince1970: 1_795_248_000).microseconds)
    let instant = LoadInstant(wall: now, boot: Int64(hours * 3600) * 1_000_000_000)
    let judge = DeathJudge(
      processes: FakeProcesses(), locks: FakeLocks(), now: instant, timeZone: zone)
    let owner = Owner(kind: .library, process: .other { $0.bootID = "earlier" }, host: "", app: "")
    let evidence = "the machine restarted \(expected), before any finish"
    #expect(judge.judge(owner) == .dead(.rebooted, evidence: evidence))
  }
}

extension ProcessIdentity {
  fileprivate static func with(_ change: (inout ProcessIdentity) -> Void) -> ProcessIdentity {
    var identity = here
    change(&identity)
    return identity
  }
}
