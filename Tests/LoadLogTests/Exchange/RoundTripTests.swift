import Foundation
import LoadLog
import LoadLogTestSupport
@testable import Oracle
import Testing

/// Exports of random stores: a new store that imports one exports the same lines.
@Suite struct RoundTripTests {
  private static let shards: UInt64 = 4

  @Test(arguments: 0..<shards)
  func importingAnExportIntoANewStoreReproducesTheStore(shard: UInt64) throws {
    for seed in UInt64(1)...120 where seed % Self.shards == shard {
      let subject = try StoreSubject()
      let schedule = ScheduleMaker.schedule(seed: seed)
      let last = try subject.play(schedule)
      // Half of the stores are pruned: they lost the loads that ended before some time.
      if seed.isMultiple(of: 2), let last {
        _ = try subject.prune(Int64(seed % 7) * 20_000_000, before: last.at)
      }
      let lines = try subject.lines(of: subject.path)
      let copy = try TemporaryStore()
      let result = try copy.take(lines)
      #expect(result.isComplete && result.skipped == 0, "seed \(seed): \(result)")
      try expectEqual(lines, try subject.lines(of: copy.path), "seed \(seed)")
      if let last {
        let (mine, theirs) = (
          try subject.status(of: subject.path, last), try subject.status(of: copy.path, last)
        )
        let different = mine.figures.filter { theirs.figures[$0.key] != $0.value }
          .map { "\($0.key): \($0.value), then \(theirs.figures[$0.key]?.description ?? "nothing")" }
        #expect(different.isEmpty, "seed \(seed): \(different.sorted())")
        let isEqual = mine == theirs
        #expect(isEqual, "seed \(seed)")
      }
      let again = try copy.take(lines)
      #expect(
        again.imported == 0 && again.skipped == result.imported && again.isComplete, "seed \(seed): \(again)")
      try expectEqual(lines, try subject.lines(of: copy.path), "seed \(seed), imported again")
    }
  }

  private func expectEqual(_ mine: [RecordLine], _ theirs: [RecordLine], _ what: String) throws {
    let first = zip(mine, theirs).first { $0 != $1 }
    #expect(first == nil && mine.count == theirs.count, "\(what): \(first.map { "\($0)\n\($1)" } ?? "")")
    try #require(first == nil && mine.count == theirs.count)
  }
}

extension StoreSubject {
  /// Plays all steps but the questions, and returns the last question.
  fileprivate func play(_ schedule: Schedule) throws -> Question? {
    var question: Question?
    for step in schedule.steps {
      switch step {
      case .open(let who, let owner, let at): try open(who, owner, at: at)
      case .commit(let who, let events): _ = try commit(who, events)
      case .fate(let process, let fate): end(process: process, fate)
      case .lock(let who, let lock): setLock(of: who, lock)
      case .judge(let who, let at): try judge(who, at: at)
      case .ask(let asked): question = asked
      }
    }
    return question
  }
}

extension TemporaryStore {
  /// Imports lines.
  fileprivate func take(_ lines: [RecordLine]) throws -> ImportResult {
    let target = try StoreImport(into: url, source: "ndjson")
    var items = lines.enumerated().map { index, line in
      ImportedItem.line(
        PositionedLine(
          line: line, identity: line.identity,
          position: FilePosition(offset: 0, line: index + 1, column: 1)))
    }
    return try target.finish(&items)
  }
}

extension RecordLine {
  fileprivate var identity: LoadIdentity? {
    switch self {
    case .start(let line): line.id.map(LoadIdentity.id)
    case .finish(let line): .id(line.id)
    case .unmatched(let line): .id(line.id)
    default: nil
    }
  }
}
