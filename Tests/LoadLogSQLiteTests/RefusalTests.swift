import Foundation
import GRDB
import LoadLogCore
import LoadLogLibC
@testable import LoadLogSQLite
import LoadLogTestSupport
import SQLiteMigrations
import Synchronization
import TestProcesses
import Testing

/// Files that are not LoadLog stores, or damaged ones: LoadLog refuses them with an error and does not change
/// them.
@Suite struct RefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: LoadLogError.Code
    var words: [String] = []
    let prepare: @Sendable (StoreBench) throws -> Void
  }

  private static func write(_ data: Data) -> @Sendable (StoreBench) throws -> Void {
    { try data.write(to: $0.place.url) }
  }

  static let cases: [Case] = [
    Case(testDescription: "folder", code: .storeUnusable, words: ["it is a folder"]) {
      try FileManager.default.createDirectory(at: $0.place.url, withIntermediateDirectories: true)
    },
    Case(testDescription: "device", code: .storeUnusable, words: ["not a regular file"]) {
      symlink("/dev/zero", $0.path)
    },
    Case(testDescription: "pipe", code: .storeUnusable, words: ["not a regular file"]) {
      mkfifo($0.path, 0o600)
    },
    Case(
      testDescription: "empty file", code: .notLoadLog, words: ["it is empty"], prepare: write(Data())),
    Case(testDescription: "a byte beside a log", code: .notLoadLog, words: ["it is empty"]) {
      let store = try $0.open()
      try $0.commit(.push("network"), to: store)
      store.close(finally: false)
      truncate($0.path, 1)
      #expect(try $0.snapshot()["loadlog.db-wal"]?.isEmpty == false)
    },
    Case(
      testDescription: "text", code: .notLoadLog, words: ["not a SQLite database"],
      prepare: write(Data(String(repeating: "no database at all\n", count: 500).utf8))),
    Case(
      testDescription: "a few bytes", code: .notLoadLog, prepare: write(Data("SQLite format 3\0".utf8))),
    Case(
      testDescription: "another application's", code: .notLoadLog,
      words: ["0x0, LoadLog's is 0x4c4c6f67"]
    ) { try $0.sqlite3("CREATE TABLE t (a); INSERT INTO t VALUES (1)") },
    Case(
      testDescription: "another application's, in WAL mode", code: .notLoadLog, words: ["0x2a"]
    ) {
      try $0.sqlite3(
        "PRAGMA journal_mode = WAL; PRAGMA application_id = 42; PRAGMA user_version = 1; CREATE TABLE t (a)")
    },
    Case(testDescription: "our id but no schema", code: .notLoadLog) {
      try $0.sqlite3("PRAGMA application_id = \(sqliteApplicationID); CREATE TABLE t (a)")
    },
    Case(
      testDescription: "newer", code: .newerStore,
      words: ["version 99", "up to \(sqliteMigrations.count)", "Update LoadLog"]
    ) {
      try $0.makeStore()
      try $0.sqlite3("PRAGMA user_version = 99")
    },
    Case(testDescription: "hard link", code: .storeUnusable, words: ["2 hard links"]) {
      try $0.makeStore()
      try FileManager.default.linkItem(atPath: $0.path, toPath: $0.path + ".link")
    },
    Case(testDescription: "truncated", code: .damaged) {
      try $0.makeStore()
      truncate($0.path, 4096 * 3)
    },
    Case(testDescription: "another store's log", code: .damaged, words: ["another store"]) { bench in
      try bench.makeCheckpointedStore()
      try bench.takeLogOfAnother { _, _ in }
    },
    Case(testDescription: "another store's log, restarted", code: .damaged, words: ["another store"]) {
      bench in
      try bench.makeCheckpointedStore()
      try bench.takeLogOfAnother { other, store in
        for number: Int64 in 2..<100 { try other.commit(.push("network"), to: store, from: number) }
        store.maintain(closing: true)
        #expect(try other.sqlite3("PRAGMA wal_checkpoint") == "0|0|0")
        #expect(try store.prune(before: .min, limit: 1) == 0)
        for number: Int64 in 100..<103 { try other.commit(.push("network"), to: store, from: number) }
      }
    },
    Case(
      testDescription: "another store's log, restarted behind its writer", code: .damaged,
      words: ["another store"]
    ) { bench in
      try bench.makeCheckpointedStore()
      try bench.takeLogOfAnother { other, store in
        for number: Int64 in 2..<100 { try other.commit(.push("network"), to: store, from: number) }
        // Another program moves all files without notifying the writer.
        let moved = try other.sqlite3("PRAGMA wal_checkpoint(PASSIVE)").split(separator: "|")
        try #require(moved.count == 3 && moved[1] == moved[2])
        for number: Int64 in 100..<103 { try other.commit(.push("network"), to: store, from: number) }
      }
    },
    Case(
      testDescription: "another store's log, created by a transaction without events", code: .damaged,
      words: ["another store"]
    ) { bench in
      try bench.makeCheckpointedStore()
      try bench.takeLogOfAnother { other, store in
        for number in stride(from: Int64(2), to: 300, by: 2) {
          try other.commit(.push("network"), .pop("network", .ended), to: store, from: number)
        }
        #expect(try other.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)") == "0|0|0")
        other.clock.advance(by: .seconds(60))
        #expect(try store.prune(before: other.clock.now().wall, limit: 9) == 9)
      }
    },
    Case(
      testDescription: "another store's log, begun by another program", code: .damaged,
      words: ["another store"]
    ) { bench in
      try bench.makeCheckpointedStore()
      try bench.takeLogOfAnother { other, store in
        #expect(try other.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)") == "0|0|0")
        try other.sqlite3("CREATE TABLE note (text)")
        try other.commit(.push("network"), to: store, from: 2)
      }
    },
    Case(
      testDescription: "the log of another store with more owners", code: .damaged, words: ["another store"]
    ) { bench in
      // Where pages of owners differ, the newest owner of the file stays in place.
      try bench.makeCheckpointedStore(owners: 60)
      try bench.takeLogOfAnother(owners: 100) { _, _ in }
    },
    Case(
      testDescription: "the log of another store with other pages of owners", code: .damaged,
      words: ["another store"]
    ) { bench in
      try bench.makeCheckpointedStore(owners: 60)
      try bench.takeLogOfAnother(owners: 60, loads: 20) { _, _ in }
    },
  ]

  @Test(arguments: cases) func refusesToWriteAndChangesNothing(_ test: Case) throws {
    let bench = try StoreBench()
    try test.prepare(bench)
    try check(test, bench) { () throws(LoadLogError) in
      let store = try bench.open()
      // Some damage is detected only when the rows are read.
      guard try store.begin(waiting: true) else { return }
      let event = LoadEvent(.push("network"), at: bench.clock.now())
      defer { store.close(finally: false) }
      _ = try store.commit([NumberedEvent(number: 1, event: event)], dropped: 0)
    }
  }

  @Test(arguments: cases) func refusesToReadAndChangesNothing(_ test: Case) throws {
    let bench = try StoreBench()
    try test.prepare(bench)
    try check(test, bench) { () throws(LoadLogError) in
      let reader = try bench.reader()
      _ = try reader.status(LoadFilter(), runningLimit: nil)
    }
  }

  @Test func aVersionThatWasOvertakenWritesAndReadsNothingMore() throws {
    let bench = try StoreBench()
    let (store, reader) = (try bench.open(), try bench.reader())
    try bench.commit(.push("network"), to: store)
    #expect(try reader.status(LoadFilter(), runningLimit: nil).totals.loads == 1)
    try bench.sqlite3("PRAGMA user_version = 99")
    var code: LoadLogError.Code?
    func refused(_ work: () throws -> Void) -> Bool {
      do { try work() } catch { code = (error as? LoadLogError)?.code }
      defer { code = nil }
      return code == .newerStore
    }
    #expect(refused { try bench.commit(.push("network"), to: store, from: 2) })
    #expect(refused { _ = try store.prune(before: .max, limit: 1) })
    #expect(refused { _ = try reader.status(LoadFilter(), runningLimit: nil) })
    #expect(try bench.sqlite3("SELECT count(*) FROM session") == "1")
    // The gate is free again.
    try bench.sqlite3("PRAGMA user_version = \(sqliteMigrations.count)")
    try bench.commit(.push("network"), to: store, from: 2)
    #expect(try bench.sqlite3("SELECT count(*) FROM session") == "2")
    store.close(finally: true)
  }

  /// The owner that the log's first commit adds may be the first one of its page, and have the next number of the file.
  @Test func theLogOfAStoreWithOneOwnerMoreIsRefused() throws {
    let (bench, other) = (try StoreBench(), try StoreBench())
    try other.makeCheckpointedStore()
    for _ in 0..<40 {
      try bench.makeCheckpointedStore()
      let store = try other.open()
      try other.commit(.push("network"), to: store)
      try FileManager.default.copyItem(atPath: other.path + "-wal", toPath: bench.path + "-wal")
      let error = #expect(throws: LoadLogError.self) { try bench.reader() }
      #expect(error?.code == .damaged && error?.description.contains("another store") == true, "\(error)")
      for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: bench.path + suffix) }
      store.close(finally: true)
      try other.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  private func check(
    _ test: Case, _ bench: StoreBench, _ work: () throws(LoadLogError) -> Void
  ) throws {
    let isFile = !["device", "pipe"].contains(test.testDescription)
    let names = { try FileManager.default.contentsOfDirectory(atPath: bench.place.folder.path).sorted() }
    let (before, listed) = (isFile ? try bench.snapshot() : [:], try names())
    let error = #expect(throws: LoadLogError.self) { try work() }
    #expect(error?.code == test.code)
    #expect(
      error?.path
        == (realpath(bench.path, nil).map { path in
          defer { free(path) }
          return String(cString: path)
        } ?? bench.path))
    for word in test.words { #expect(error?.description.contains(word) == true, "\(word) in \(error)") }
    if test.code == .damaged {
      // The damage is found after opening, so the log and its index exist; the file itself must be unchanged.
      #expect(try bench.snapshot()["loadlog.db"] == before["loadlog.db"])
    } else {
      #expect(try names() == listed)
      if isFile { #expect(try bench.snapshot() == before) }
    }
  }

  @Test func refusesInvalidPaths() throws {
    let bench = try StoreBench()
    for path in ["", "a\0b"] {
      let error = #expect(throws: LoadLogError.self) { try bench.reader(at: path) }
      #expect(error?.code == .storeUnusable)
    }
    let remote = try #require(URL(string: "https://example.org/loadlog.db"))
    let owner = Owner(kind: .library, process: bench.processes.current, host: "box", app: "app")
    let open = LoadStoreProvider.sqlite(at: remote).opener(owner, bench.clock.now())
    #expect(throws: LoadLogError.self) { try open() }
  }

  @Test func aReaderCreatesNoStore() throws {
    let bench = try StoreBench()
    for path in [bench.path, bench.place.folder.path + "/no/folder/loadlog.db"] {
      let error = #expect(throws: LoadLogError.self) { try bench.reader(at: path) }
      #expect(error?.code == .storeMissing && error?.path == path)
    }
    #expect(try bench.snapshot().isEmpty)
  }

  @Test func aWorldWritableFolderIsRefused() throws {
    let bench = try StoreBench()
    chmod(bench.place.folder.path, 0o777)
    let error = #expect(throws: LoadLogError.self) { try bench.open() }
    #expect(error?.code == .storeUnusable && error?.advice?.contains("chmod o-w") == true)
    #expect(try bench.snapshot().isEmpty)
    chmod(bench.place.folder.path, 0o1777)
    #expect(throws: Never.self) { try bench.open().close(finally: true) }
  }

  @Test func aHostileStoreCannotDeleteFiles() throws {
    let bench = try StoreBench()
    let app = bench.processes.another()
    let store = try bench.open(in: app)
    try bench.commit(.push("network"), to: store)
    store.close(finally: false)
    app.kill()
    let victims = ["victim", "sub/loadlog.db-owner-x"]
    try FileManager.default.createDirectory(
      at: bench.place.folder.appendingPathComponent("sub"), withIntermediateDirectories: true)
    for name in victims {
      let url = bench.place.folder.appendingPathComponent(name)
      try Data("precious".utf8).write(to: url)
      try bench.sqlite3("UPDATE owner SET lock_name = '\(name)'; UPDATE session SET state = 0")
      let judge = try bench.open()
      #expect(judge.verdictsAtOpen == [.crashed: 1])
      judge.close(finally: true)
      #expect(FileManager.default.fileExists(atPath: url.path), "\(name) is no lock of this store")
    }
  }

  @Test func noConnectionTrustsTheSchemaOfAFile() throws {
    let bench = try StoreBench()
    try bench.makeStore()
    let location = try StoreLocation(bench.path, creatingFolder: false)
    let queue = try StoreConnection.open(location, for: .write(.power))
    try queue.writeWithoutTransaction { database in
      #expect(try Int.fetchOne(database, sql: "PRAGMA trusted_schema") == 0)
      #expect(try Int.fetchOne(database, sql: "PRAGMA mmap_size") ?? 0 == 0)
      #expect(try Int.fetchOne(database, sql: "PRAGMA cell_size_check") == 1)
      try database.execute(sql: "PRAGMA writable_schema = ON")
      #expect(throws: DatabaseError.self) { try database.execute(sql: "UPDATE sqlite_schema SET sql = ''") }
      #expect(throws: DatabaseError.self) { try database.execute(sql: "SELECT load_extension('evil')") }
    }
    try queue.close()
  }

  @Test func numbersOfADamagedStoreDoNotTrap() throws {
    let bench = try StoreBench()
    try bench.makeStore()
    let columns = "id, feed, owner, state, started_at, started_boot, duration, wall_drift"
    let (least, greatest) = ("-9223372036854775808", "9223372036854775807")
    var values: [String] = []
    for state in [0, 1, 3, 5, 6, 8] {
      for start in [least, "9223372036854775806", "0"] {
        for duration in [greatest, "0"] {
          values.append("(randomblob(16), 1, 1, \(state), \(start), \(start), \(duration), \(least))")
          values.append("(randomblob(16), 1, 1, \(state), \(start), \(start), \(duration), \(greatest))")
        }
      }
    }
    let rows = values.joined(separator: ", ")
    try bench.sqlite3("INSERT INTO session (\(columns)) VALUES \(rows); UPDATE owner SET closed_at = NULL")
    let reader = try bench.reader()
    #expect(try reader.wholeStatus(LoadFilter()).totals.busy ?? -1 >= 0)
    #expect(try reader.history(LoadFilter()).loads.count == values.count + 1)
    #expect(try reader.unbalanced(LoadFilter(since: 0, until: 1)).isEmpty == false)
    #expect(try reader.successes(of: ["network"], limit: 3)["network"]?.count == 3)
    for load in try reader.history(LoadFilter()).loads {
      #expect(try reader.context(of: IDTail(load.id.description)).load.id == load.id)
    }
    let repaired = try StoreDoctor.repair(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(!repaired.isDamaged)
    let status = try reader.wholeStatus(LoadFilter())
    #expect(status.totals.loads == values.count + 1 && status.totals.busy ?? -1 > 0)
    #expect(try reader.history(LoadFilter(limit: 1)).total == values.count + 1)
  }

  @Test(arguments: [
    "feed.name", "feed.last_updated", "owner.boot_id", "owner.pid", "owner.kind", "session.id",
    "session.state",
    "session.started_at", "session.is_finished_after_verdict", "unmatched.at", "text.value",
  ])
  func aColumnOfAnotherTypeIsReportedAsDamage(column: String) throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    try bench.commit(.pop("network", .failed("HTTP 503")), to: store)
    try bench.commit(.pop("network", .ended), to: store)
    store.close(finally: false)
    let parts = column.split(separator: ".").map(String.init)
    // Replace the strict schema, write the value, then restore the schema.
    let schema = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
    try bench.sqlite3("\(schema) replace(sql, ') STRICT', ')') WHERE name = '\(parts[0])'")
    try bench.sqlite3("PRAGMA ignore_check_constraints = ON; UPDATE \(parts[0]) SET \(parts[1]) = x'FF00'")
    try bench.sqlite3("\(schema) sql || ' STRICT' WHERE name = '\(parts[0])'")
    for ask in Self.questions {
      do {
        try ask(try bench.reader())
      } catch let error as LoadLogError {
        #expect(error.code == .damaged, "\(error)")
      }
    }
  }

  private static let questions: [@Sendable (SQLiteLoadReader) throws -> Void] = [
    { _ = try $0.feeds() }, { _ = try $0.dates(of: "network") }, { _ = try $0.history(LoadFilter()) },
    { _ = try $0.status(LoadFilter(), runningLimit: nil) }, { _ = try $0.unbalanced(LoadFilter()) },
    { _ = try $0.successes(of: ["network"], limit: 3) }, { _ = try $0.loads(endingIn: "f") },
    { _ = try $0.busy(LoadFilter()) { _, _ in } },
  ]

  @Test func nothingIsReadAfterTheDeadlineOfAQuestion() throws {
    let bench = try StoreBench()
    try bench.makeStore()
    let reader = try SQLiteLoadReader(at: bench.path)
    for ask in Self.questions {
      let error = #expect(throws: LoadLogError.self) {
        try SQLiteLoadReader.answering(within: .zero) { try ask(reader) }
      }
      #expect(error?.code == .busy)
      try ask(reader)
    }
  }

  @Test func aQuestionWaitsForALockWithinItsOwnTime() throws {
    let bench = try StoreBench()
    try bench.makeStore()
    // In this mode, that of copies, a program that writes keeps others from reading.
    try bench.sqlite3("PRAGMA journal_mode = DELETE")
    let reader = try SQLiteLoadReader.answering(within: .zero) { try SQLiteLoadReader(at: bench.path) }
    let other = try DatabaseQueue(path: bench.path)
    let answer = Mutex(Result<[Feed], any Error>.success([]))
    let asking = DispatchGroup()
    let isAsking = DispatchSemaphore(value: 0)
    try other.inTransaction(.exclusive) { database in
      DispatchQueue.global().async(group: asking) {
        isAsking.signal()
        let feeds = Result { try reader.feeds() as [Feed] }
        answer.withLock { $0 = feeds.mapError { $0 } }
      }
      isAsking.wait()
      // The question meets the lock while this is counted.
      try database.execute(
        sql:
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT max(i) FROM n"
      )
      return .commit
    }
    asking.wait()
    #expect(try answer.withLock { try $0.get() } == ["network"])
  }

  @Test func missingLoadsThatWereCountedAreReportedAsDamage() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), .pop("network", .ended), to: store)
    store.close(finally: false)
    try bench.applyJournal()
    try bench.sqlite3("DELETE FROM session")
    let error = #expect(throws: LoadLogError.self) {
      try bench.reader().status(LoadFilter(), runningLimit: nil)
    }
    #expect(error?.code == .damaged && error?.path == bench.path)
    let mended = try StoreDoctor.repair(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(!mended.hasWrongSummaries)
    #expect(try bench.reader().status(LoadFilter(), runningLimit: nil).totals.loads == 0)
  }

  @Test func loadsOfAMissingFeedAreReportedAsDamage() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), .pop("network", .ended), to: store)
    store.close(finally: false)
    try bench.sqlite3("DELETE FROM feed")
    let error = #expect(throws: LoadLogError.self) {
      try bench.reader().status(LoadFilter(), runningLimit: nil)
    }
    #expect(error?.code == .damaged && error?.path == bench.path)
  }

  /// After a power cut during a checkpoint, a page of the file is half written; the log contains the whole
  /// page.
  @Test func aPartlyCheckpointedFileIsReadWithItsLog() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    store.close(finally: true)
    // When the shell closes the store, it checkpoints the log.
    let uid = try bench.sqlite3("SELECT hex(uid) FROM owner")
    let again = try bench.open()
    try bench.commit(.push("network"), to: again)
    again.close(finally: true)
    var file = try Data(contentsOf: bench.place.url)
    let bytes = stride(from: 0, to: 32, by: 2).compactMap { UInt8(uid.dropFirst($0).prefix(2), radix: 16) }
    // Damage a page of the table, not of the index behind it.
    let place = try #require(file.range(of: Data(bytes)))
    file[place.lowerBound] ^= 0xFF
    try file.write(to: bench.place.url)
    #expect(try bench.reader().status(LoadFilter(), runningLimit: nil).totals.loads == 2)
    let writer = try bench.open()
    try bench.commit(.push("network"), to: writer)
    writer.close(finally: true)
    #expect(try bench.sqlite3("SELECT count(*) FROM session; PRAGMA integrity_check") == "3\nok")
  }

  @Test func impossibleCountsDoNotTrap() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(
      .push("one"), .pop("one", .ended), .push("other"), .pop("other", .ended), to: store)
    store.close(finally: false)
    try bench.applyJournal()
    let (least, greatest) = ("-9223372036854775808", "9223372036854775807")
    let counts = ["loads", "failed", "crashed", "rebooted", "abandoned", "extra_pop", "pops_after_reset"]
    let changes = counts.map { "\($0) = \(greatest)" }.joined(separator: ", ")
    try bench.sqlite3("UPDATE summary SET \(changes), acknowledged = \(least)")
    for ask in Self.questions { try ask(try bench.reader()) }
    let sealed = ["busy", "peak_depth", "busy_until"].map { "\($0) = \(greatest)" }.joined(separator: ", ")
    try bench.sqlite3("UPDATE summary SET is_sealed = 1, \(sealed)")
    for ask in Self.questions { try ask(try bench.reader()) }
    // The index of a bucket that no duration can have.
    try bench.sqlite3("UPDATE summary SET other_histogram = x'00FEFFFFFFFFFFFFFFFF0101'")
    let error = #expect(throws: LoadLogError.self) {
      try bench.reader().status(LoadFilter(), runningLimit: nil)
    }
    #expect(error?.code == .damaged)
  }

  @Test func aDanglingSymbolicLinkIsNotReplaced() throws {
    let bench = try StoreBench()
    try FileManager.default.createSymbolicLink(
      atPath: bench.place.path, withDestinationPath: bench.place.folder.path + "/unmounted/loadlog.db")
    let error = #expect(throws: LoadLogError.self) { try bench.open() }
    #expect(error?.code == .storeUnusable && error?.why.contains("symbolic link") == true)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: bench.place.path).hasSuffix("loadlog.db"))
  }
}

extension StoreBench {
  /// Creates a store with a load and an empty log.
  fileprivate func makeCheckpointedStore(owners: Int = 1, loads: Int64 = 1) throws {
    for _ in 0..<owners {
      let store = try open()
      for number in 1...loads { try commit(.push("network"), to: store, from: number) }
      store.close(finally: true)
    }
    // When the shell closes the store, it checkpoints the log.
    try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Replaces the log by that of another store, after more work there.
  ///
  /// - Parameters:
  ///   - owners: how many owners the other store has.
  ///   - loads: how many loads each of them but the last has.
  fileprivate func takeLogOfAnother(
    owners: Int = 1, loads: Int64 = 1, _ work: (StoreBench, SQLiteLoadStore) throws -> Void
  ) throws {
    let other = try StoreBench()
    if owners > 1 { try other.makeCheckpointedStore(owners: owners - 1, loads: loads) }
    let store = try other.open()
    try other.commit(.push("network"), to: store)
    try work(other, store)
    try FileManager.default.copyItem(atPath: other.path + "-wal", toPath: path + "-wal")
    store.close(finally: true)
  }
}
