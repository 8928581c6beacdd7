import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// Texts are kept as they are, byte by byte.
@Suite struct StoredTextTests {
  @Test func textsThatLookTheSameAreNotTakenForEachOther() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    let tags = ["Caf\u{E9}", "Cafe\u{301}"]
    for (number, tag) in tags.enumerated() {
      try bench.commit(
        .start(SessionID(), "menu", message: tag, tag: tag), to: store, from: Int64(number + 1))
    }
    for tag in tags {
      let loads = try bench.reader().history(LoadFilter(tag: tag)).loads
      #expect(loads.compactMap(\.tag).map { Array($0.utf8) } == [Array(tag.utf8)])
      #expect(loads.compactMap(\.message).map { Array($0.utf8) } == [Array(tag.utf8)])
    }
    store.close(finally: true)
  }
}
