import Foundation
import GRDB
import LoadLogCore
import SQLiteMigrations

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Makes stores and brings old ones up to date. All of it runs under the gate.
enum StoreSchema {
  /// Makes a new store under another name and then gives it its own, so that nobody ever sees half a one.
  static func create(at location: StoreLocation, now: Int64) throws(LoadLogError) {
    let temporary = try temporaryFile(for: location)
    do throws(LoadLogError) {
      let draft = try StoreLocation(temporary, creatingFolder: false)
      let queue = try StoreConnection.open(draft, for: .write(.power))
      try mapped(path: location.path) {
        try queue.writeWithoutTransaction { database in try migrate(database, now: now) }
        try queue.close()
      }
      guard rename(temporary, location.path) == 0 else { throw systemError(location) }
      try synchronizeFolder(of: location)
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// Applies the steps that a database lacks, each in one transaction.
  static func migrate(_ database: Database, now: Int64) throws {
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    for step in sqliteMigrations where step.version > version {
      try database.inTransaction(.immediate) {
        try database.execute(sql: step.sql)
        if step.name == "0003_summaries" { try SummaryRecount(database).rebuild() }
        try database.execute(
          sql: "INSERT INTO migration (version, name, applied_at) VALUES (?, ?, ?)",
          arguments: [step.version, step.name, now])
        try database.execute(sql: "PRAGMA application_id = \(sqliteApplicationID)")
        try database.execute(sql: "PRAGMA user_version = \(step.version)")
        return .commit
      }
    }
  }

  private static func temporaryFile(for location: StoreLocation) throws(LoadLogError) -> String {
    var template = Array((location.path + "-new-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw systemError(location) }
    defer { close(descriptor) }
    let name = template.dropLast().map { UInt8(bitPattern: $0) }
    let path = String(decoding: name, as: UTF8.self)
    guard fchmod(descriptor, location.fileMode) == 0 else {
      unlink(path)
      throw systemError(location)
    }
    return path
  }

  private static func synchronizeFolder(of location: StoreLocation) throws(LoadLogError) {
    let descriptor = open(location.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemError(location) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw systemError(location) }
  }

  private static func systemError(_ location: StoreLocation) -> LoadLogError {
    let code = errno
    return LoadLogError(
      code == ENOSPC || code == EDQUOT ? .diskFull : .io, what: "cannot create store",
      why: String(cString: strerror(code)), path: location.path)
  }
}
