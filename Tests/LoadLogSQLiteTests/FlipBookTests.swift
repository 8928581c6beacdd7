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
    let book = FlipBook(
      at: bench.path, try bench.reader(), processes: bench.processes, clock: bench.clock)
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
}
