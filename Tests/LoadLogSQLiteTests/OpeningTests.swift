import Dispatch
import Foundation
import LoadLogCore
import LoadLogLibC
import LoadLogSQLite
import LoadLogTestSupport
import SQLiteMigrations
import Synchronization
import TestProcesses
import Testing

@Suite struct OpeningTests {
  @Test func onlyTheUserCanReadTheFiles() async {
    // The umask belongs to the process, so test it in a child.
    await #expect(processExitsWith: .success) {
      let bench = try StoreBench()
      umask(0)
      let store = try bench.open(at: bench.place.folder.path + "/a/b/loadlog.db")
      try bench.commit(.push("network"), to: store)
      #expect(try bench.mode(of: "a") == 0o700 && bench.mode(of: "a/b") == 0o700)
      let names = try FileManager.default.contentsOfDirectory(atPath: bench.place.folder.path + "/a/b")
      #expect(names.count == 5, "store, log, index, gate and lock: \(names)")
      for name in names { #expect(try bench.mode(of: "a/b/" + name) == 0o600, "\(name)") }
      store.close(finally: true)
    }
  }

  @Test func aReaderFollowsItsPathToAnotherFile() throws {
    let (bench, backup) = (try StoreBench(), try StoreBench())
    try bench.makeStore()
    try backup.makeStore()
    try backup.sqlite3("UPDATE feed SET last_updated = 1795219200000000")
    let reader = try bench.reader()
    #expect(try reader.dates(of: "network")?.lastUpdated == nil)
    try bench.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
    try backup.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(rename(backup.path, bench.path) == 0)
    #expect(try reader.dates(of: "network")?.lastUpdated == 1_795_219_200_000_000)
    #expect(unlink(bench.path) == 0)
    #expect(throws: LoadLogError.self) { try reader.dates(of: "network") }
  }

  @Test func aGroupCanShareAStoreInASetgidFolder() throws {
    let bench = try StoreBench()
    chmod(bench.place.folder.path, 0o2770)
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.place.folder.path)
    for name in names { #expect(try bench.mode(of: name) == 0o660, "\(name)") }
    #expect(names.count == 5)
    store.close(finally: true)
  }

  @Test func concurrentOpensCreateOneStore() throws {
    let bench = try StoreBench()
    let stores = Mutex<[SQLiteLoadStore]>([])
    let troubles = Mutex<[LoadLogError]>([])
    DispatchQueue.concurrentPerform(iterations: 12) { _ in
      do throws(LoadLogError) {
        let store = try bench.open(in: bench.processes.another())
        while try !store.begin(waiting: true) {}
        let event = LoadEvent(.push("network"), at: bench.clock.now())
        _ = try store.commit([NumberedEvent(number: 1, event: event)], dropped: 0)
        stores.withLock { $0.append(store) }
      } catch {
        troubles.withLock { $0.append(error) }
      }
    }
    #expect(troubles.withLock { $0.map(\.description) } == [])
    #expect(try bench.sqlite3("SELECT count(*), count(DISTINCT owner) FROM session") == "12|12")
    #expect(try bench.sqlite3("SELECT count(*) FROM migration") == "\(sqliteMigrations.count)")
    for store in stores.withLock({ $0 }) { store.close(finally: true) }
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.place.folder.path)
    #expect(!names.contains { $0.contains("-loadlog-draft-") || $0.contains("-owner-") })
  }

  @Test(arguments: ["a b?c#d%41;e.db", "ü🎉.db", "quote'\".db"]) func anyFileNameWorks(_ name: String) throws {
    let bench = try StoreBench()
    let url = bench.place.folder.appendingPathComponent(name)
    let store = try bench.open(at: url.path)
    try bench.commit(.push("network"), to: store)
    #expect(FileManager.default.fileExists(atPath: url.path))
    #expect(try bench.reader(at: url.path).feeds() == ["network"])
    store.close(finally: true)
  }

  @Test func aSymbolicLinkLeadsToTheSameStore() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    let link = bench.place.folder.path + "/link.db"
    symlink(bench.path, link)
    let other = try bench.open(at: link, in: bench.processes.another())
    try #require(try store.begin(waiting: false))
    #expect(try !other.begin(waiting: false), "one gate")
    store.abort()
    store.close(finally: true)
    other.close(finally: true)
    #expect(!FileManager.default.fileExists(atPath: link + "-gate"))
  }

  #if canImport(Glibc)
    @Test func aForkedChildCannotUseItsParentsStore() async {
      await #expect(processExitsWith: .success) {
        let bench = try StoreBench()
        let store = try bench.open()
        try bench.commit(.push("network"), to: store)
        let status = SystemCalls.inForkedChild {
          do throws(LoadLogError) {
            _ = try store.begin(waiting: true)
            return 1
          } catch {
            guard error.code == .closed else { return 2 }
          }
          store.close(finally: true)
          do throws(LoadLogError) {
            _ = try store.reader.feeds()
            return 3
          } catch {
            guard error.code == .closed else { return 4 }
          }
          // A new connection in the child would rely on locks that only its parent holds.
          do throws(LoadLogError) {
            _ = try bench.reader()
            return 5
          } catch {
            return error.code == .closed ? 0 : 6
          }
        }
        #expect(status == 0)
        try bench.commit(.push("network"), to: store, from: 2)
        #expect(try store.reader.history(LoadFilter()).total == 2)
        #expect(try bench.sqlite3("PRAGMA integrity_check; SELECT count(*) FROM session") == "ok\n2")
      }
    }

    @Test(.enabled("becoming another user needs root") { getuid() == 0 })
    func theErrorForAnotherUsersStoreNamesTheUser() async {
      await #expect(processExitsWith: .success) {
        let bench = try StoreBench()
        try bench.makeStore()
        let before = try bench.snapshot().keys.sorted()
        #expect(chmod(bench.place.folder.path, 0o755) == 0)
        let isTried = try SystemCalls.asUser(65_534) {
          for open in [{ _ = try bench.open() }, { _ = try bench.reader() }] as [() throws -> Void] {
            let error = #expect(throws: LoadLogError.self) { try open() }
            #expect(error?.code == .storeUnusable)
          }
          let error = #expect(throws: LoadLogError.self) { try bench.reader() }
          #expect(error?.description.contains("it belongs to root") == true)
        }
        #expect(isTried)
        // In a folder where all may create files it is the gate that cannot be opened.
        #expect(chmod(bench.place.folder.path, 0o1777) == 0)
        _ = try SystemCalls.asUser(65_534) {
          let error = #expect(throws: LoadLogError.self) { try bench.open() }
          #expect(error?.description.contains("it belongs to root") == true)
        }
        #expect(try bench.snapshot().keys.sorted() == before)
      }
    }

    /// The file is opened as immutable, but its owner may write to it.
    @Test(.enabled("becoming another user needs root") { getuid() == 0 })
    func aReaderInAReadOnlyFolderSeesWhatOthersWrite() async {
      await #expect(processExitsWith: .success) {
        let bench = try StoreBench()
        try bench.makeStore()
        try bench.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        for name in try bench.snapshot().keys { chmod(bench.place.folder.path + "/" + name, 0o644) }
        #expect(chmod(bench.place.folder.path, 0o555) == 0)
        var reader: SQLiteLoadReader?
        var version: Int64?
        let isTried = try SystemCalls.asUser(65_534) {
          reader = try bench.reader()
          version = try reader?.dataVersion()
          let (date, again) = (try reader?.dates(of: "network")?.lastUpdated, try reader?.dataVersion())
          #expect(date == nil && again == version)
        }
        #expect(isTried)
        try bench.sqlite3("UPDATE feed SET last_updated = 1795219200000000 WHERE name = 'network'")
        _ = try SystemCalls.asUser(65_534) {
          let (date, now) = (try reader?.dates(of: "network")?.lastUpdated, try reader?.dataVersion())
          #expect(date == 1_795_219_200_000_000 && now != version)
        }
      }
    }

    @Test(.enabled("becoming another user needs root") { getuid() == 0 })
    func aStoreInAReadOnlyFolderCanBeReadButNotWritten() async {
      await #expect(processExitsWith: .success) {
        let (clean, logged) = (try StoreBench(), try StoreBench())
        try clean.makeStore()
        // The writer exits without a checkpoint, so that the last row is only in the log.
        let store = try logged.open()
        try logged.commit(.push("network"), to: store)
        store.close(finally: true)
        let before = (try clean.snapshot(), try logged.snapshot())
        for bench in [clean, logged] {
          for name in try bench.snapshot().keys { chmod(bench.place.folder.path + "/" + name, 0o644) }
          #expect(chmod(bench.place.folder.path, 0o555) == 0)
        }
        let isTried = try SystemCalls.asUser(65_534) {
          let feeds = try clean.reader().feeds()
          #expect(feeds == ["network"])
          let error = #expect(throws: LoadLogError.self) { try clean.open() }
          #expect(error?.code == .storeUnusable)
          do {
            // A reader must return the committed row or throw, but never ignore the log.
            let seen = try logged.reader().feeds()
            #expect(seen == ["network"])
          } catch let error as LoadLogError {
            #expect(error.code == .storeUnusable && error.description.contains("Copy the store"))
          }
        }
        #expect(isTried)
        #expect(try clean.snapshot() == before.0)
        #expect(try logged.snapshot().keys == before.1.keys)
      }
    }
  #endif
}
