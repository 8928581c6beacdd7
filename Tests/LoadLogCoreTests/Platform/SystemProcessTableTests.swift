import Foundation
import LoadLogLibC
import TestProcesses
import Testing

@testable import LoadLogCore

/// The judge with real processes.
@Suite struct SystemProcessTableTests {
  let table = SystemProcessTable()

  private func judge(_ process: ProcessIdentity) -> Judgement {
    let owner = Owner(kind: .given, process: process, host: "", app: "")
    return DeathJudge(processes: table, locks: FakeLocks()).judge(owner)
  }

  @Test func knowsTheCallingProcess() throws {
    let here = table.current
    #expect(here.pid == getpid())
    #expect(!here.bootID.isEmpty)
    #expect(table.identity(of: getpid()) == here)
    #expect(judge(here) == .alive)
  }

  @Test func aKilledProcessIsGone() throws {
    let child = try Child(["/bin/cat"])
    let identity = try #require(table.identity(of: child.pid))
    #expect(judge(identity) == .alive)
    child.killAndReap()
    #expect(judge(identity) == .dead(.crashed, evidence: "pid \(identity.pid) is gone"))
    #expect(table.identity(of: child.pid) == nil)
  }

  @Test func aStoppedProcessLives() throws {
    let child = try Child(["/bin/cat"])
    let identity = try #require(table.identity(of: child.pid))
    kill(child.pid, SIGSTOP)
    var status = siginfo_t()
    // WNOWAIT leaves the state change for other waiters.
    _ = waitid(P_PID, id_t(child.pid), &status, WSTOPPED | WNOWAIT)
    #expect(judge(identity) == .alive)
    child.killAndReap()
  }

  @Test func aZombieIsDead() throws {
    let parent = try Child([try Fixture.program("zombie")])
    let pid = try parent.number()
    #expect(table.observe(pid) == .zombie)
    let identity = try #require(table.identity(of: pid))
    #expect(judge(identity) == .dead(.crashed, evidence: "pid \(pid) is a zombie"))
    try parent.finish()
  }

  #if os(Linux)
    /// Only Linux shows such a process as a zombie.
    @Test func aProcessWhoseMainThreadHasEndedLives() throws {
      let child = try Child([try Fixture.program("thread_outlives_main")])
      let pid = try child.number()
      let identity = try #require(table.identity(of: pid))
      #expect(judge(identity) == .alive)
      try child.finish()
      #expect(judge(identity) == .dead(.crashed, evidence: "pid \(pid) is gone"))
    }
  #endif

  @Test func aPidUsedAgainIsAnotherProcess() throws {
    let child = try Child(["/bin/cat"])
    var identity = try #require(table.identity(of: child.pid))
    identity.startTicks = identity.startTicks.map { $0 - 1 }
    let evidence = "pid \(child.pid) is now another process (started later)"
    #expect(judge(identity) == .dead(.crashed, evidence: evidence))
  }

  @Test(arguments: [0, -1, Int32.min]) func aNumberThatIsNoPidProvesNothing(_ pid: Int32) {
    #expect(table.observe(pid) == .hidden)
    #expect(table.identity(of: pid) == nil)
  }

  @Test func readsANameWithSpacesAndParentheses() throws {
    let line = "42 (a) Z (b)) S 7 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 3 0 987654 0 0\n"
    let stat = try #require(ProcessStat(Array(line.utf8)))
    #expect(stat.name == "a) Z (b)")
    #expect(stat.parent == 7)
    #expect(stat.threads == 3)
    #expect(stat.startTicks == 987654)
    #expect(stat.observation { [] } == .present(startTicks: 987654))
  }

  @Test(arguments: [
    ("Z", 1, ProcessObservation.zombie), ("Z", 2, .present(startTicks: 9)), ("X", 1, .gone),
    ("T", 1, .present(startTicks: 9)), ("D", 1, .present(startTicks: 9)),
  ])
  func readsStates(state: String, threads: Int, expected: ProcessObservation) throws {
    let stat = try Self.stat(state, threads: threads)
    #expect(stat.observation { [stat] + Array(repeating: stat, count: threads - 1) } == expected)
  }

  /// The locks of a killed process are free before it is a zombie; by then each of its threads has started to end.
  @Test func readsWhetherEachThreadIsEnding() throws {
    let (lives, ends) = (try Self.stat("R", threads: 1), try Self.stat("R", threads: 1, isEnding: true))
    #expect(ends.observation { [] } == .zombie)
    for state in ["Z", "R"] {
      let main = try Self.stat(state, threads: 2, isEnding: true)
      #expect(main.observation { [main, ends] } == .zombie)
      #expect(main.observation { [main, lives] } == .present(startTicks: 9))
      #expect(main.observation { [] } == .present(startTicks: 9))
    }
    #expect(try Self.stat("S", threads: 2).observation { [ends, ends] } == .present(startTicks: 9))
  }

  private static func stat(_ state: String, threads: Int, isEnding: Bool = false) throws -> ProcessStat {
    let flags = isEnding ? 4_194_564 : 4_194_560
    let line = "42 (cat) \(state) 7 1 1 0 -1 \(flags) 0 0 0 0 0 0 0 0 20 0 \(threads) 0 9 0 0"
    return try #require(ProcessStat(Array(line.utf8)))
  }

  @Test(arguments: ["", "42", "42 (cat", "42 (cat) S", "42 )cat( S 7", "42 (cat) S x 1 1 0 -1"])
  func refusesOtherLines(_ line: String) {
    #expect(ProcessStat(Array(line.utf8)) == nil)
  }
}
