import Foundation
import GRDB
public import LoadLogCore
import SQLiteMigrations

/// Diagnoses a store, and repairs what can be repaired without losing loads.
///
///     let diagnosis = try StoreDoctor.examine(at: path)
///     diagnosis.findings.forEach { print($0.text) }
public enum StoreDoctor {
  /// A write-ahead log of this size in bytes means that a reader keeps it from being checkpointed.
  private static let hugeLog: Int64 = 64 << 20
  /// The maximum number of loads to prune in one transaction.
  private static let pruningBatch = 2000
  /// The maximum number of days that a finding names.
  private static let mostDays = 5
  private static let adviceOnDamage = "Run loadlog recover to save what is readable into a new store."

  /// Diagnoses the store at a path without writing to it. Blocks the thread while it reads the whole store.
  ///
  /// - Parameters:
  ///   - path: the store.
  ///   - processes: how to inspect other processes.
  ///   - clock: the clock for verdicts and deadlines.
  /// - Throws: what ``SQLiteLoadReader/init(at:processes:locks:clock:deadline:)`` throws. Damage is a
  ///   finding, not an error, if the file can be read at all.
  @available(*, noasync, message: "Blocks the thread; call it on a thread of your own.")
  public static func examine(
    at path: String, processes: any ProcessTable = SystemProcessTable(), clock: any LoadClock = BootClock()
  ) throws(LoadLogError) -> StoreDiagnosis {
    let location = try StoreLocation(path, creatingFolder: false)
    let reader = try SQLiteLoadReader(at: path, processes: processes, clock: clock, deadline: .seconds(3600))
    defer { reader.close() }
    var diagnosis = StoreDiagnosis()
    examineFile(location, &diagnosis)
    examineLibrary(&diagnosis)
    do throws(LoadLogError) {
      let before = diagnosis
      try reader.read { query in
        diagnosis = before
        try examineIntegrity(query.database, &diagnosis)
        try examineSchema(query.database, &diagnosis)
        try examineOwners(query, location, &diagnosis)
        try examineSummaries(query, &diagnosis)
        try examineExpectations(query.database, &diagnosis)
        try examineRetention(query.database, &diagnosis)
        try examineFleet(query.database, machineID: processes.current.machineID, &diagnosis)
        try examineSpace(query.database, &diagnosis)
      }
    } catch  where error.code == .damaged {
      diagnosis.add(.problem, .integrity, error.why, advice: error.advice)
    }
    examineLog(location, &diagnosis)
    return diagnosis
  }

  /// Repairs the store at a path, and diagnoses it again. Blocks the thread.
  ///
  /// Migrates the schema, makes verdicts on dead owners durable, deletes locks and drafts that no process
  /// holds, recomputes counters that disagree with the loads, and empties the write-ahead log. What was kept of
  /// pruned loads is lost if it cannot be read; a finding says so. A second repair changes nothing. A damaged store
  /// is left as it is.
  ///
  /// - Parameters:
  ///   - path: the store.
  ///   - processes: how to inspect other processes.
  ///   - clock: the clock for verdicts and deadlines.
  ///   - deadline: how long each step waits for the right to write.
  /// - Returns: the diagnosis after the repair.
  /// - Throws: what opening for writing throws; `busy` if another process holds the gate past the deadline.
  @available(*, noasync, message: "Blocks the thread; call it on a thread of your own.")
  public static func repair(
    at path: String, processes: any ProcessTable = SystemProcessTable(), clock: any LoadClock = BootClock(),
    deadline: Duration = .seconds(5)
  ) throws(LoadLogError) -> StoreDiagnosis {
    let before = try examine(at: path, processes: processes, clock: clock)
    guard !before.isDamaged else { return before }
    let lost = try repair(before, at: path, processes, clock, deadline)
    var after = try examine(at: path, processes: processes, clock: clock)
    report(lost, in: &after)
    // What is left is not repaired, although its text, which has a number or a size, may be another one.
    let left = Set(after.findings.lazy.filter(\.isRepairable).map(\.topic))
    for finding in before.findings where finding.isRepairable && !left.contains(finding.topic) {
      after.add(.note, finding.topic, "repaired: \(finding.text)")
    }
    return after
  }

  private static func repair(
    _ diagnosis: StoreDiagnosis, at path: String, _ processes: any ProcessTable, _ clock: any LoadClock,
    _ deadline: Duration
  ) throws(LoadLogError) -> Set<SummaryKey> {
    let location = try StoreLocation(path, creatingFolder: false)
    let store = try SQLiteLoadStore(withoutOwnerAt: path, app: "doctor", within: deadline, processes, clock)
    defer { store.close(finally: true) }
    // First of all: verdicts change the counters, too, and cannot change what cannot be read.
    let lost: Set<SummaryKey> =
      diagnosis.hasWrongSummaries
      ? try store.write(within: deadline) { try SummaryRecount($0).rebuild() } : []
    try store.judgeDeadOwners(within: deadline)
    // A free lock, deleted below, may be the only proof that the owner of such a failure is dead.
    try store.write(within: deadline, store.endDeadRetries)
    try store.emptyLog(within: deadline)
    // Locks and drafts are created under the gate. Without it, one that its process has not locked yet would
    // look like one that was left behind.
    try store.begin(within: deadline)
    for name in StaleFiles(location).names { unlink(location.folder + "/" + name) }
    store.abort()
    return lost
  }

  /// Reports the sealed days that lost what was kept of their pruned loads. The counts of the store are those of its
  /// feeds; only its busy times are its own.
  private static func report(_ lost: Set<SummaryKey>, in diagnosis: inout StoreDiagnosis) {
    let counts = Set(lost.filter { $0.feed != SummaryKey.store }.map(\.day))
    let busyTimes = Set(lost.map(\.day)).subtracting(counts)
    for (what, days) in [("counts", counts), ("busy times", busyTimes)] where !days.isEmpty {
      let names = days.sorted().prefix(mostDays).map { day in
        Date(timeIntervalSince1970: Double(day) * 86_400).formatted(.iso8601.year().month().day())
      }
      let more = days.count > mostDays ? " and \(days.count - mostDays) more days" : ""
      diagnosis.add(
        .note, .summaries,
        "the \(what) of pruned loads on \(names.joined(separator: ", "))\(more) were unreadable and are lost")
    }
  }

  /// Stores how long the store at a path keeps loads. It applies to recorders that set no `retention` of their own;
  /// those that run already notice it within an hour. Blocks the thread.
  ///
  /// - Parameters:
  ///   - retention: how long to keep loads.
  ///   - path: the store.
  ///   - processes: how to inspect other processes.
  ///   - clock: the clock for deadlines.
  ///   - deadline: how long to wait for the right to write.
  /// - Throws: what opening for writing throws; `busy` if another process holds the gate past the deadline.
  @available(*, noasync, message: "Blocks the thread; call it on a thread of your own.")
  public static func keep(
    _ retention: StoreRetention, at path: String, processes: any ProcessTable = SystemProcessTable(),
    clock: any LoadClock = BootClock(), deadline: Duration = .seconds(5)
  ) throws(LoadLogError) {
    let store = try SQLiteLoadStore(withoutOwnerAt: path, app: "doctor", within: deadline, processes, clock)
    defer { store.close(finally: true) }
    try store.write(within: deadline, retention.write)
  }

  /// Prunes loads that finished before a time, in bounded transactions. Blocks the thread.
  ///
  /// Running and unbalanced loads, the last load, success and failure of each feed, and all counters stay.
  /// Later loads reuse the space.
  ///
  /// - Parameters:
  ///   - path: the store.
  ///   - cutoff: wall time in microseconds since 1970; loads that finished before it are pruned.
  ///   - processes: how to inspect other processes.
  ///   - clock: the clock for verdicts and deadlines.
  ///   - deadline: how long each transaction waits for the right to write.
  ///   - progress: receives the number of loads pruned so far, by feed, after each transaction that pruned some.
  /// - Returns: the number of loads pruned.
  /// - Throws: what opening for writing throws; `busy` if another process holds the gate past the deadline.
  @available(*, noasync, message: "Blocks the thread; call it on a thread of your own.")
  public static func prune(
    at path: String, before cutoff: Int64, processes: any ProcessTable = SystemProcessTable(),
    clock: any LoadClock = BootClock(), deadline: Duration = .seconds(5),
    progress: ([Feed: Int]) -> Void = { _ in }
  ) throws(LoadLogError) -> Int {
    let store = try SQLiteLoadStore(withoutOwnerAt: path, app: "prune", within: deadline, processes, clock)
    defer { store.close(finally: true) }
    try store.judgeDeadOwners(within: deadline)
    try store.write(within: deadline, store.endDeadRetries)
    var pruned: [Feed: Int] = [:]
    while let loads = try store.pruneStep(before: cutoff, limit: pruningBatch, within: deadline) {
      pruned.merge(loads, uniquingKeysWith: +)
      progress(pruned)
      store.maintain(closing: false)
    }
    store.maintain(closing: true)
    return pruned.values.reduce(0, +)
  }
}

extension StoreDoctor {
  private static func examineFile(_ location: StoreLocation, _ diagnosis: inout StoreDiagnosis) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: location.path)
    let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    diagnosis.add(.ok, .store, "\(location.path), \(ByteText.text(size))")
    let mode = mode_t((attributes?[.posixPermissions] as? NSNumber)?.uint16Value ?? 0)
    let allowed = location.fileMode
    if mode & ~allowed != 0 {
      let octal = String(mode, radix: 8)
      diagnosis.add(
        .warning, .permissions, "the store has mode \(octal): other users may read or write it",
        advice: "Run chmod \(String(allowed, radix: 8)) on it and the files beside it.")
    }
  }

  private static func examineLibrary(_ diagnosis: inout StoreDiagnosis) {
    let release = SQLiteRelease.inUse
    guard !release.hasLogResetFix else {
      return diagnosis.add(.ok, .sqlite, "SQLite \(release), with the WAL-reset fix")
    }
    diagnosis.add(
      .note, .sqlite,
      "SQLite \(release), without the WAL-reset fix; LoadLog's gate keeps its own processes safe",
      advice: "Do not let any other program write to the store while it is in use; reading is safe.")
  }

  private static func examineIntegrity(_ database: Database, _ diagnosis: inout StoreDiagnosis) throws {
    try database.execute(sql: "PRAGMA cell_size_check = ON")
    let complaints = try String.fetchAll(database, sql: "PRAGMA integrity_check(10)")
      .filter { $0 != "ok" }
    let dangling = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").count
    for complaint in complaints {
      diagnosis.add(
        .problem, .integrity, complaint, advice: adviceOnDamage)
    }
    if dangling > 0 {
      diagnosis.add(
        .problem, .integrity,
        dangling == 1 ? "1 row refers to a missing row" : "\(dangling) rows refer to missing rows",
        advice: adviceOnDamage)
    }
    if complaints.isEmpty, dangling == 0 { diagnosis.add(.ok, .integrity, "no errors found") }
  }

  /// Compares the schema with that of a new store of the same version.
  private static func examineSchema(_ database: Database, _ diagnosis: inout StoreDiagnosis) throws {
    let format = try StoreFormat(database)
    let sql = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
    let found = try Row.fetchAll(database, sql: sql)
    let fresh = try DatabaseQueue()
    let expected = try fresh.writeWithoutTransaction { database in
      try StoreSchema.migrate(database, now: 0)
      return try Row.fetchAll(database, sql: sql)
    }
    guard format.version == StoreFormat.newestVersion else {
      return diagnosis.add(
        .note, .schema,
        "version \(format.version); the next write migrates it to \(StoreFormat.newestVersion)")
    }
    if found == expected {
      diagnosis.add(.ok, .schema, "version \(format.version)")
    } else {
      diagnosis.add(
        .warning, .schema,
        "version \(format.version), but its tables, indexes or views have been changed",
        advice: "Undo the manual changes.")
    }
  }

  private static func examineOwners(
    _ query: RecordQuery, _ location: StoreLocation, _ diagnosis: inout StoreDiagnosis
  ) throws {
    let owners = try RawStatement(
      query.database, "SELECT owner, count(*) FROM session WHERE state = 0 GROUP BY owner"
    ).map { (try $0.number(0), Int(try $0.number(1))) }
    var dead: [SessionState: Int] = [:]
    var alive = 0
    var unknown = 0
    for (owner, loads) in owners {
      switch try query.judgement(owner) {
      case .alive: alive += 1
      case .unknown: unknown += 1
      case .dead(let death, _): dead[death.state, default: 0] += loads
      }
    }
    diagnosis.add(
      .ok, .owners, "\(alive) alive with running loads; \(unknown) cannot be judged from here")
    for (state, count) in dead.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      diagnosis.add(
        .note, .owners,
        "\(count) \(count == 1 ? "load" : "loads") without a verdict \(count == 1 ? "is" : "are") \(state.rawValue)",
        advice: "Run loadlog doctor --repair to record that; status shows it already.", isRepairable: true)
    }
    let stale = StaleFiles(location).names.count
    if stale > 0 {
      diagnosis.add(
        .note, .files, "\(stale) \(stale == 1 ? "file" : "files") left behind by processes that were killed",
        advice: "Run loadlog doctor --repair to delete them.", isRepairable: true)
    } else {
      diagnosis.add(.ok, .files, "no locks or drafts left behind")
    }
    let dropped = try Int.fetchOne(query.database, sql: "SELECT sum(dropped) FROM owner") ?? 0
    if dropped > 0 {
      diagnosis.add(
        .warning, .events,
        (dropped == 1 ? "1 push, pop or finish was" : "\(dropped) pushes, pops or finishes were")
          + " dropped while the store could not be written to",
        advice: "Counts and verdicts from that time are incomplete.")
    } else {
      diagnosis.add(.ok, .events, "none were dropped")
    }
  }

  /// Recounts the whole record, which takes a while in a large store.
  private static func examineSummaries(_ query: RecordQuery, _ diagnosis: inout StoreDiagnosis) throws {
    let wrong: String
    do {
      let faults = try SummaryRecount(query.database).faults()
      guard faults > 0 else {
        return diagnosis.add(.ok, .summaries, "counters and histograms agree with the loads")
      }
      wrong = "\(faults) \(faults == 1 ? "row disagrees" : "rows disagree") with the loads"
    } catch let error as LoadLogError where error.code == .damaged {
      wrong = error.why
    }
    diagnosis.add(
      .warning, .summaries, "counters and histograms: \(wrong)",
      advice: "Run loadlog doctor --repair to recompute them.", isRepairable: true)
  }

  private static func examineExpectations(
    _ database: Database, _ diagnosis: inout StoreDiagnosis
  ) throws {
    let all = try ExpectedRows(database).all()
    let faults = all.filter { $0.fault != nil }
    for expected in faults {
      diagnosis.add(
        .warning, .expectations,
        "the schedule of \(expected.pattern.text) cannot be used: \(expected.fault ?? "")",
        advice: "Install the time zone, or set the schedule again with loadlog expect.")
    }
    if faults.isEmpty { diagnosis.add(.ok, .expectations, all.isEmpty ? "none" : "\(all.count)") }
  }

  private static func examineRetention(_ database: Database, _ diagnosis: inout StoreDiagnosis) throws {
    let retention = try StoreRetention.fetch(in: database) ?? .usual
    let text =
      retention == .all
      ? "all loads are kept until a user prunes them" : "loads older than \(retention) are deleted"
    diagnosis.add(.ok, .retention, "\(text), unless an app sets a limit of its own")
  }

  private static func examineSpace(_ database: Database, _ diagnosis: inout StoreDiagnosis) throws {
    let free = try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
    let pageSize = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
    let unused = ByteText.text(free.multipliedClamping(by: pageSize))
    let kept = try Int64.fetchOne(database, sql: "SELECT sum(length(bytes)) FROM output") ?? 0
    diagnosis.add(
      .ok, .space,
      (free == 0
        ? "every page of the file is in use" : "\(unused) of the file are unused; new loads fill them")
        + (kept > 0 ? "; the kept output of commands takes \(ByteText.text(kept))" : "")
    )
  }

  private static func examineLog(_ location: StoreLocation, _ diagnosis: inout StoreDiagnosis) {
    let size = location.walSize
    if size >= hugeLog {
      diagnosis.add(
        .warning, .wal,
        "the write-ahead log has grown to \(ByteText.text(size)), because a program keeps reading the store",
        advice: "End long reads, then run loadlog doctor --repair to empty it.", isRepairable: true)
    } else {
      diagnosis.add(.ok, .wal, "the write-ahead log takes \(ByteText.text(size))")
    }
  }
}

/// Files that killed processes left beside a store: locks that no process holds, and unfinished drafts of
/// stores and copies.
private struct StaleFiles {
  let names: [String]

  init(_ location: StoreLocation) {
    let folder = location.folder
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let locks = FolderLockTable(folder: folder)
    let store = (location.path as NSString).lastPathComponent
    names = all.sorted().filter { name in
      let path = folder + "/" + name
      if location.isLockName(name) {
        let inode = FileID(path: path, followingLinks: false)?.storedInode
        return inode.map { locks.probe(Owner.Lock(name: name, inode: $0)) } == .free
      }
      guard let draft = DraftFile.draftName(of: name, for: store) else { return false }
      // The journal that SQLite keeps beside a draft is stale if the draft is.
      return !all.contains(draft) || DraftFile.isAbandoned(folder + "/" + draft)
    }
  }
}
