import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import Synchronization
import Testing

/// What is known of loads whose process has ended, perhaps while a question about them is answered.
@Suite struct EndedOwnerTests {
  /// A process table in which something happens right before a process is observed for the first time.
  private final class LateLook: ProcessTable {
    private let others: ManualProcessTable
    private let event: Mutex<(@Sendable () -> Void)?>

    init(_ others: ManualProcessTable, event: @escaping @Sendable () -> Void) {
      self.others = others
      self.event = Mutex(event)
    }

    var current: ProcessIdentity { others.current }

    func identity(of pid: Int32) -> ProcessIdentity? { others.identity(of: pid) }

    func observe(_ pid: Int32) -> ProcessObservation {
      event.withLock { event in
        event?()
        event = nil
      }
      return others.observe(pid)
    }
  }

  /// The reader's snapshot has the load running, and the process is gone: that proves nothing.
  @Test(arguments: [true, false])
  func aLoadThatFinishesMeanwhileHasNotCrashed(isFinished: Bool) throws {
    let place = try TemporaryStore()
    let (process, clock, locks) = (ManualProcessTable(), ManualClock(), ManualLocks())
    let owner = Owner(kind: .given, process: process.current, host: "h", app: "a")
    let store = try SQLiteLoadStore(
      at: place.path, owner: StoreOwner(owner, opened: clock.now()), durability: .process, processes: process,
      locks: locks, clock: clock)
    let id = SessionID(milliseconds: 1)
    @Sendable func record(_ number: Int64, _ kind: LoadEvent.Kind) {
      do {
        _ = try store.begin(waiting: true)
        let event = LoadEvent(kind, at: clock.now(), callSite: nil)
        _ = try store.commit([NumberedEvent(number: number, event: event)], dropped: 0)
      } catch {
        Issue.record(error)
      }
    }
    record(1, .start(id, "f", message: nil, tag: nil))
    let processes = LateLook(process.another()) {
      if isFinished { record(2, .finish(id, .succeeded)) }
      process.kill()
    }
    let reader = try SQLiteLoadReader(at: place.path, processes: processes, locks: locks, clock: clock)
    let status = try reader.status(LoadFilter(), runningLimit: nil).feeds[0]
    #expect(status.numbers.succeeded == (isFinished ? 1 : 0))
    #expect(status.numbers.unbalanced.crashed == (isFinished ? 0 : 1))
    #expect(status.problems == (isFinished ? [] : [.failing, .unbalanced]))
    store.close(finally: false)
  }

  @Test func theEvidenceOfALostLockIsNotThatOfALaterDeath() throws {
    let place = try TemporaryStore()
    let (process, clock, locks) = (ManualProcessTable(), ManualClock(), ManualLocks())
    func open(in process: ManualProcessTable) throws -> SQLiteLoadStore {
      let owner = Owner(kind: .library, process: process.current, host: "h", app: "a")
      return try SQLiteLoadStore(
        at: place.path, owner: StoreOwner(owner, opened: clock.now()), durability: .process,
        processes: process, locks: locks, clock: clock)
    }
    let mortal = process.another()
    let (judge, store) = (try open(in: process), try open(in: mortal))
    func start(_ number: Int64) throws -> SessionID {
      let id = SessionID()
      try #require(try store.begin(waiting: true))
      let event = LoadEvent(.start(id, "f", message: nil, tag: nil), at: clock.now())
      _ = try store.commit([NumberedEvent(number: number, event: event)], dropped: 0)
      return id
    }
    func evidence() throws -> [String?] {
      let reader = try SQLiteLoadReader(at: place.path, processes: process, locks: locks, clock: clock)
      return try reader.history(LoadFilter()).loads.reversed().map(\.evidence)
    }
    _ = try start(1)
    locks.set(.free)
    #expect(try judge.judgeDeadOwners() == [.abandoned: 1])
    let lost = try #require(try evidence().first ?? nil)
    #expect(lost.contains("lock"))
    clock.advance(by: .seconds(1))
    _ = try start(2)
    mortal.kill()
    #expect(try judge.judgeDeadOwners() == [.crashed: 1])
    let both = try evidence()
    #expect(both[0]?.contains("gone") == false && both[1]?.contains("gone") == true, "\(both)")
    store.close(finally: false)
    judge.close(finally: true)
  }
}
