import Foundation
import GRDB
import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import TestProcesses
import Testing

/// Tests that committed rows survive other connections and programs.
@Suite struct DisciplineTests {
  @Test func theLogIsKeptAfterClosingAndItsRowsAreRead() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    store.close(finally: true)
    let log = try #require(try bench.snapshot()["loadlog.db-wal"])
    #expect(!log.isEmpty)
    let reader = try bench.reader()
    #expect(try reader.history(LoadFilter()).total == 1, "frames of the log are visible to readers")
    #expect(try bench.sqlite3("SELECT count(*) FROM session_history") == "1")
  }

  @Test func aForeignReaderBlocksNoWriterAndReadsOneSnapshot() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    let shell = try Child(["/usr/bin/env", "sqlite3", bench.path])
    try shell.write("BEGIN; SELECT count(*) FROM session;")
    #expect(try shell.line() == "1")
    for number in 2...20 { try bench.commit(.push("network"), to: store, from: Int64(number)) }
    store.maintain(closing: false)
    try shell.write("SELECT count(*) FROM session; COMMIT; SELECT count(*) FROM session;")
    #expect(try shell.line() == "1")
    #expect(try shell.line() == "20")
    #expect(try shell.finish() == 0)
    store.close(finally: true)
  }

  @Test func aForeignWriterBlocksWritersAndKeepsItsRows() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    let shell = try Child(["/usr/bin/env", "sqlite3", bench.path])
    try shell.write("BEGIN IMMEDIATE; INSERT INTO feed (name) VALUES ('theirs'); SELECT 'held';")
    #expect(try shell.line() == "held")
    #expect(try !store.begin(waiting: false))
    #expect(try !store.begin(waiting: true), "begin returns, so that the queue can check deadlines")
    try shell.write("COMMIT; SELECT 'done';")
    #expect(try shell.line() == "done")
    try bench.commit(.push("mine"), to: store, from: 2)
    #expect(try store.reader.feeds() == ["mine", "network", "theirs"])
    try shell.finish()
    store.close(finally: true)
  }

  @Test func aSynchronizationWaitsForAForeignWriter() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    try bench.commit(.push("network"), to: store)
    let shell = try Child(["/usr/bin/env", "sqlite3", bench.path])
    // The shell has SQLite's lock until the store has taken the gate.
    try shell.write(
      """
      BEGIN IMMEDIATE; SELECT 'held';
      .shell python3 '\(TestPlaces.gate)' watch '\(bench.path)-gate'
      COMMIT; SELECT 'over';
      """)
    #expect(try shell.line() == "held")
    try store.synchronize()
    #expect(try shell.line() == "taken")
    #expect(try shell.finish() == 0)
    store.close(finally: true)
  }

  @Test func theGateOfAnotherProcessExcludesWriters() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    let holder = try Child.holding(gate: bench.path + "-gate")
    #expect(try !store.begin(waiting: false))
    #expect(try store.reader.feeds().isEmpty, "reading needs no gate")
    try holder.finish()
    try bench.commit(.push("network"), to: store)
    store.close(finally: true)
  }

  @Test(arguments: ["rename", "unlink", "replace", "log gone"])
  func noCommitToAMovedStoreIsAcknowledged(_ how: String) throws {
    let (bench, other) = (try StoreBench(), try StoreBench())
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    let files = FileManager.default
    switch how {
    case "rename": try files.moveItem(atPath: bench.path, toPath: bench.path + ".old")
    case "unlink":
      for name in ["", "-wal", "-shm"] { try files.removeItem(atPath: bench.path + name) }
    case "replace":
      try other.makeStore()
      try files.moveItem(atPath: bench.path, toPath: bench.path + ".old")
      try files.copyItem(atPath: other.path, toPath: bench.path)
    default: try files.removeItem(atPath: bench.path + "-wal")
    }
    let judging = #expect(throws: LoadLogError.self) { try store.judgeDeadOwners() }
    #expect(judging?.code == .storeMoved, "not only events")
    let error = #expect(throws: LoadLogError.self) {
      try bench.commit(.push("network"), to: store, from: 2)
    }
    #expect(error?.code == .storeMoved && error?.path?.hasSuffix("loadlog.db") == true)
    store.close(finally: false)
  }

  @Test func aForeignConnectionThatClosesInThisProcessLosesNothing() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    // The same SQLite library opens and closes the store: its last close must not delete the log.
    for _ in 0..<3 {
      let foreign = try DatabaseQueue(path: bench.path)
      #expect(try foreign.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM session") } == 1)
      try foreign.close()
      let reader = try bench.reader()
      #expect(try reader.feeds() == ["network"])
    }
    try bench.commit(.push("network"), to: store, from: 2)
    #expect(try bench.sqlite3("SELECT count(*) FROM session; PRAGMA integrity_check") == "2\nok")
    store.close(finally: true)
  }

  #if os(Linux)
    /// Closing any descriptor of a file releases all locks that the process holds on it, including SQLite's.
    @Test(arguments: ["", "-shm"])
    func copyingTheFilesInThisProcessReleasesNoLock(suffix: String) async {
      await #expect(processExitsWith: .success) { [suffix] in
        let bench = try StoreBench()
        let store = try bench.open()
        let commits = try SteadyCommits(to: store, bench)
        let log = try #require(FileID(path: bench.path + "-wal"))
        for _ in 0..<20 {
          #expect(FileManager.default.contents(atPath: bench.path + suffix) != nil)
          // A connection that finds no locks rebuilds the index, and deletes the log when it closes.
          try bench.sqlite3("SELECT count(*) FROM session")
          #expect(FileID(path: bench.path + "-wal") == log)
        }
        let count = commits.end()
        #expect(try bench.sqlite3("SELECT count(*) FROM session; PRAGMA integrity_check") == "\(count)\nok")
        store.close(finally: true)
      }
    }
  #endif

  @Test func theLogIsCheckpointedOnlyWhenItIsLong() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    var number: Int64 = 2
    #expect(store.maintenance == .none)
    while store.maintenance == .none { try commitMany(from: &number, to: store, bench) }
    #expect(store.maintenance == .whenIdle)
    while store.maintenance == .whenIdle { try commitMany(from: &number, to: store, bench) }
    #expect(store.maintenance == .soon)
    store.maintain(closing: false)
    try commitMany(from: &number, to: store, bench)
    #expect(store.maintenance == .none, "SQLite restarted the log")
    #expect(try store.reader.history(LoadFilter(limit: 1)).total == Int(number) - 1)
    store.close(finally: true)
  }

  #if os(Linux)
    /// Where many processes write, the gate is hardly ever free. Only the library waits for it without a limit.
    @Test(arguments: [Owner.Kind.library, .given, .detached])
    func aCheckpointOfAVeryLongLogTakesItsTurn(_ kind: Owner.Kind) throws {
      let bench = try StoreBench()
      let store = try bench.open(as: kind)
      var number: Int64 = 1
      func logSize() throws -> Int {
        try FileManager.default.attributesOfItem(atPath: bench.path + "-wal")[.size] as? Int ?? 0
      }
      while try logSize() < 32 << 20 { try commitMany(from: &number, to: store, bench) }
      // Another process has the gate until somebody waits for it.
      let holder = try Child([
        "/usr/bin/env", "flock", bench.path + "-gate", "sh", "-c",
        """
        echo held; gate=$(stat -c %i "$0-gate")
        for _ in $(seq 1000); do ! grep -q -- "-> FLOCK .*:$gate " /proc/locks || exit 0; sleep 0.01; done
        """, bench.path,
      ])
      #expect(try holder.line() == "held")
      store.maintain(closing: false)
      #expect(try store.begin(waiting: false) == (kind == .library))
      store.abort()
      try commitMany(from: &number, to: store, bench)
      // SQLite restarts a log of which all was moved.
      #expect((store.maintenance == .none) == (kind == .library))
      try holder.finish()
      store.close(finally: true)
    }
  #endif

  /// The next process to open the store creates another log. A checkpoint of the deleted one would overwrite
  /// its rows.
  @Test func aDeletedLogIsNotCheckpointed() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    var number: Int64 = 1
    while store.maintenance == .none { try commitMany(from: &number, to: store, bench) }
    let before = FileManager.default.contents(atPath: bench.path)
    try FileManager.default.removeItem(atPath: bench.path + "-wal")
    store.maintain(closing: false)
    #expect(FileManager.default.contents(atPath: bench.path) == before)
    store.close(finally: false)
  }

  @Test func aReadThrowsAtItsDeadline() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    var number: Int64 = 1
    for _ in 0..<20 { try commitMany(from: &number, to: store, bench) }
    let reader = try SQLiteLoadReader(
      at: bench.path, processes: bench.processes, clock: HastyClock(clock: bench.clock))
    let error = #expect(throws: LoadLogError.self) { _ = try reader.history(LoadFilter()) }
    #expect(error?.code == .busy)
    #expect(try bench.reader().history(LoadFilter(limit: 1)).total == Int(number) - 1)
    store.close(finally: true)
  }

  @Test func doctorReportsALargeLog() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    store.close(finally: true)
    func finding() throws -> StoreDiagnosis.Finding? {
      try StoreDoctor.examine(at: bench.path, processes: bench.processes, clock: bench.clock).findings
        .first { $0.topic == .wal }
    }
    #expect(try finding()?.severity == .ok)
    let log = try FileHandle(forWritingTo: URL(fileURLWithPath: bench.path + "-wal"))
    try log.truncate(atOffset: 64 << 20)
    try log.close()
    let found = try finding()
    #expect(found?.severity == .warning && found?.text.contains("a program keeps reading the store") == true)
  }

  @Test func aLogThatAReaderKeepsFromBeingEmptiedIsNotRepaired() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    store.close(finally: true)
    let log = URL(fileURLWithPath: bench.path + "-wal")
    func repair() throws -> [StoreDiagnosis.Finding] {
      let file = try FileHandle(forWritingTo: log)
      try file.truncate(atOffset: 64 << 20)
      try file.close()
      return try StoreDoctor.repair(
        at: bench.path, processes: bench.processes, clock: RecordingClock(clock: bench.clock, log: log)
      ).findings.filter { $0.topic == .wal }
    }
    let shell = try Child(["/usr/bin/env", "sqlite3", bench.path])
    try shell.write("BEGIN; SELECT count(*) FROM session;")
    #expect(try shell.line() == "1")
    #expect(try repair().map(\.severity) == [.warning])
    try shell.write("COMMIT; SELECT 'over';")
    #expect(try shell.line() == "over")
    #expect(try repair().map(\.severity) == [.ok, .note])
    #expect(try shell.finish() == 0)
  }

  /// A clock that is asked while another process records: a log that is not empty grows.
  private struct RecordingClock: LoadClock {
    let clock: ManualClock
    let log: URL

    func now() -> LoadInstant {
      if let file = try? FileHandle(forWritingTo: log), let size = try? file.seekToEnd(), size > 0 {
        try? file.truncate(atOffset: size + 1 << 20)
      }
      return clock.now()
    }

    func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm {
      clock.schedule(at: boot, action)
    }
  }

  /// A clock whose alarms fire immediately.
  private struct HastyClock: LoadClock {
    let clock: ManualClock

    func now() -> LoadInstant { clock.now() }

    func schedule(at boot: Int64, _ action: @escaping @Sendable () -> Void) -> any ScheduledAlarm {
      let alarm = clock.schedule(at: boot, action)
      clock.advance(by: .nanoseconds(boot - clock.now().boot))
      return alarm
    }
  }

  /// Commits 500 loads that take half a page each.
  private func commitMany(from number: inout Int64, to store: SQLiteLoadStore, _ bench: StoreBench) throws {
    let events = (number..<number + 500).map { number in
      let text = "\(number) " + String(repeating: "x", count: 1900)
      let start = LoadEvent.Kind.start(SessionID(), "a", message: text, tag: nil)
      return NumberedEvent(number: number, event: LoadEvent(start, at: bench.clock.now()))
    }
    number += 500
    try #require(try store.begin(waiting: true))
    _ = try store.commit(events, dropped: 0)
  }

  #if os(Linux)
    private static let hasTracer = (try? Child(["/usr/bin/env", "strace", "-V"]).waitForEnd()) == 0

    @Test(.enabled("strace is not installed") { hasTracer })
    func eachCommitReachesTheDiskBeforeItIsAcknowledged() async {
      await #expect(processExitsWith: .success) {
        for (durability, expected) in [(Durability.power, 5), (.process, 0)] {
          let bench = try StoreBench()
          let store = try bench.open(durability: durability)
          try bench.commit(.push("network"), to: store)
          let trace = bench.place.folder.path + "/trace"
          let tracer = try Child([
            "/bin/sh", "-c",
            "exec strace -f -y -p \(ProcessInfo.processInfo.processIdentifier) -o \(trace)"
              + " -e trace=fsync,fdatasync,pwrite64 2>&1",
          ])
          #expect(try tracer.line().contains("attached"))
          for number in 2...6 { try bench.commit(.push("network"), to: store, from: Int64(number)) }
          tracer.interrupt()
          let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
          let written = calls.filter { $0.contains("pwrite64(") && $0.contains("loadlog.db-wal") }
          let synced = calls.filter { $0.contains("sync(") && $0.contains("loadlog.db-wal") }
          #expect(written.count >= 5, "the trace sees the commits")
          #expect(synced.count == expected, "\(durability)")
          store.close(finally: true)
        }
      }
    }
  #endif
}
