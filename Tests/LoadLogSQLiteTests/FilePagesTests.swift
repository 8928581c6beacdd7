import Foundation
import GRDB
import LoadLogSQLite
import LoadLogTestSupport
import TestProcesses
import Testing

/// The last row of a table as the file alone has it: what SQLite itself finds there, or nothing.
struct FilePagesTests {
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  /// A database of one table with rows of an id and 16 bytes, closed without a log beside it.
  private func makeFile(_ ids: [Int64], pageSize: Int = 4096, padding: Int = 0) throws {
    let queue = try DatabaseQueue(path: place.path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA page_size = \(pageSize)")
      try database.execute(sql: "CREATE TABLE other (value)")
      try database.execute(sql: "CREATE TABLE owner (id INTEGER PRIMARY KEY, uid BLOB, padding TEXT)")
      try database.inTransaction {
        for id in ids {
          try database.execute(
            sql: "INSERT INTO owner VALUES (?, ?, ?)",
            arguments: [id, Data(uid(id)), String(repeating: "x", count: padding)])
        }
        return .commit
      }
    }
    try queue.close()
  }

  private func uid(_ id: Int64) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(bitPattern: id))
    return (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private func lastRow(of queue: DatabaseQueue) throws -> FilePages.LastRow? {
    try queue.unsafeRead { database in
      let root = try Int64.fetchOne(database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'owner'")
      return FilePages(database)?.lastRow(ofTableAt: try #require(root))
    }
  }

  private func lastRow() throws -> FilePages.LastRow? { try lastRow(of: DatabaseQueue(path: place.path)) }

  private func cell(_ last: FilePages.LastRow?) -> FilePages.Cell? {
    if case .row(let cell) = last { cell } else { nil }
  }

  @Test(arguments: [512, 4096, 65_536], [1, 3, 40, 5000])
  func `of few rows and of many, in small pages and in large`(pageSize: Int, count: Int64) throws {
    try makeFile((1...count).map { $0 * 1_000_003 }, pageSize: pageSize)
    let last = try #require(cell(try lastRow()))
    #expect(last.row == count * 1_000_003)
    #expect(last.holds(uid(count * 1_000_003)) && !last.holds(uid(1)) && !last.holds(uid(count)))
  }

  @Test(arguments: [-1, -(1 << 40), 0, 127, 128, 1 << 40, .max])
  func `whatever its number is`(id: Int64) throws {
    try makeFile([id])
    let last = try #require(cell(try lastRow()))
    #expect(last.row == id && last.holds(uid(id)))
  }

  @Test func `a table without rows has none, and one that does not fit into its page is not told`() throws {
    try makeFile([])
    guard case .empty = try lastRow() else {
      Issue.record("it has none")
      return
    }
    let queue = try DatabaseQueue(path: place.path)
    try queue.write {
      try $0.execute(
        sql: "INSERT INTO owner VALUES (1, ?, ?)",
        arguments: [Data(uid(1)), String(repeating: "x", count: 5000)])
    }
    guard case .unknown = try lastRow(of: queue) else {
      Issue.record("it is not whole")
      return
    }
  }

  @Test func `what only the log holds is not there`() throws {
    try makeFile([1, 2])
    let queue = try DatabaseQueue(path: place.path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      try database.execute(sql: "INSERT INTO owner VALUES (3, x'00', '')")
    }
    #expect(cell(try lastRow(of: queue))?.row == 2)
    try queue.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    #expect(cell(try lastRow(of: queue))?.row == 3)
  }

  @Test func `damage is no trap`() throws {
    try makeFile(Array(1...200), pageSize: 512)
    let queue = try DatabaseQueue(path: place.path)
    let whole = try Data(contentsOf: place.url)
    var random = SplitMix64(seed: 11)
    var others = 0
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<40 {
        bytes[Int.random(in: 512..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      try bytes.prefix(.random(in: 1024...bytes.count, using: &random)).write(to: place.url)
      // The connection remembers the schema, and reads each time.
      let last = queue.unsafeRead { FilePages($0)?.lastRow(ofTableAt: 3) }
      if cell(last)?.row != 200 { others += 1 }
    }
    #expect(others > 100)
  }
}
