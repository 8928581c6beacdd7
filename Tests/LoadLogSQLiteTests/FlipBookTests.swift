import Foundation
import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// What a notifier writes.
@Suite struct FlipBookTests {
  /// In a new store without loads and expectations nothing could be late any more.
  @Test func aStoreThatIsMissingIsNotReplaced() throws {
    let bench = try StoreBench()
    try bench.makeStore()
    let book = try bench.book()
    let record = NotifierRecord(lastCheck: bench.clock.now().wall)
    try book.set(record, of: "pager")
    let folder = bench.place.folder
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder.appending(path: file))
    }
    let error = #expect(throws: LoadLogError.self) { try book.set(record, of: "pager") }
    #expect(error?.code == .storeMissing)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func aGroupSharesTheLockOfANotifierInASetgidFolder() throws {
    let bench = try StoreBench()
    chmod(bench.place.folder.path, 0o2770)
    try bench.makeStore()
    let (one, two) = try (bench.book().turn(of: "pager"), bench.book().turn(of: "pager"))
    #expect(try one.tryLock() && !two.tryLock())
    #expect(try bench.mode(of: URL(filePath: one.path).lastPathComponent) == 0o660)
  }
}

extension StoreBench {
  fileprivate func book() throws -> FlipBook {
    FlipBook(at: path, try reader(), processes: processes, clock: clock)
  }
}
