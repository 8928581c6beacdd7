import Foundation
import GRDB

/// Records loads with GRDB as its documentation teaches: one `DatabasePool` for the whole run, cached statements, and one
/// `write` per event.
///
///     grdb-writer STORE SCHEMA SECONDS CALLERS async|sync FULL|NORMAL
///
/// Does the same work as writer.c. Prints one line of JSON.
@main
struct GRDBWriter {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 6, let seconds = Double(arguments[2]), let callers = Int(arguments[3]) else {
      FileHandle.standardError.write(
        Data("Usage: grdb-writer STORE SCHEMA SECONDS CALLERS async|sync FULL|NORMAL\n".utf8))
      exit(2)
    }
    let loads = try LoadWriter(path: arguments[0], schema: arguments[1], synchronous: arguments[5])
    let clock = ContinuousClock()
    let began = clock.now
    let end = began + .seconds(seconds)
    let pairs =
      arguments[4] == "sync"
      ? try write(loads, until: end) : try await write(loads, until: end, callers: callers)
    let took = (clock.now - began) / .seconds(1)
    print("{\"pairs\": \(pairs), \"seconds\": \(took)}")
  }

  private static func write(
    _ loads: LoadWriter, until end: ContinuousClock.Instant, callers: Int
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for caller in 0..<callers {
        group.addTask {
          var pairs = 0
          while ContinuousClock.now < end {
            let load = Load(feed: Int64(1 + (caller + pairs * callers) % 100))
            try await loads.start(load)
            try await loads.finish(load)
            pairs += 1
          }
          return pairs
        }
      }
      return try await group.reduce(0, +)
    }
  }

  private static func write(_ loads: LoadWriter, until end: ContinuousClock.Instant) throws -> Int {
    var pairs = 0
    while ContinuousClock.now < end {
      let load = Load(feed: Int64(1 + pairs % 100))
      try loads.start(load)
      try loads.finish(load)
      pairs += 1
    }
    return pairs
  }
}

/// A running load.
struct Load {
  let id = UUID()
  let feed: Int64
  /// Microseconds since 1970.
  let wall = Load.now
  /// Nanoseconds since boot.
  let boot = Load.sinceBoot

  static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000) }

  static var sinceBoot: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// The store.
struct LoadWriter {
  private let pool: DatabasePool
  private let owner = Int64(getpid())

  init(path: String, schema: String, synchronous: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    pool = try DatabasePool(path: path, configuration: configuration)
    // The pool sets NORMAL on its writing connection when it opens, so this must come later.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(synchronous)") }
    let schema = try String(contentsOfFile: schema, encoding: .utf8)
    try pool.write { try $0.execute(sql: schema) }
  }

  func start(_ load: Load) async throws { try await pool.write { try insert(load, in: $0) } }

  func start(_ load: Load) throws { try pool.write { try insert(load, in: $0) } }

  func finish(_ load: Load) async throws { try await pool.write { try update(load, in: $0) } }

  func finish(_ load: Load) throws { try pool.write { try update(load, in: $0) } }

  private func insert(_ load: Load, in database: Database) throws {
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO session (id, feed, owner, started_at, started_boot, message, call_site)
        VALUES (?, ?, ?, ?, ?, 1, 2)
        """)
    try insert.execute(arguments: [load.id, load.feed, owner, load.wall, load.boot])
    let attempted = try database.cachedStatement(sql: "UPDATE feed SET last_attempted = ? WHERE id = ?")
    try attempted.execute(arguments: [load.wall, load.feed])
  }

  private func update(_ load: Load, in database: Database) throws {
    let (wall, duration) = (Load.now, Load.sinceBoot - load.boot)
    let finish = try database.cachedStatement(
      sql: "UPDATE session SET state = 1, duration = ?, wall_drift = ? WHERE id = ? AND state = 0")
    try finish.execute(arguments: [duration, wall - load.wall - duration / 1000, load.id])
    let updated = try database.cachedStatement(
      sql: "UPDATE feed SET last_updated = ?1, last_changed = ?1, last_verdict = 1 WHERE id = ?2")
    try updated.execute(arguments: [wall, load.feed])
  }
}
