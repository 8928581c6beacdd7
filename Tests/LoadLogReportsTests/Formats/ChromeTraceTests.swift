import LoadLogCore
@testable import LoadLogReports
import Testing

@Suite struct ChromeTraceTests {
  private func printed(_ text: String, by source: FeedSource? = nil) throws -> [String] {
    try Reading.items(.chromeTrace, text, by: source).map { item in
      item.printed.replacing("17952624000", with: "T")
    }
  }

  @Test func everyKindOfEventIsRead() throws {
    #expect(
      try printed(Samples.trace) == [
        "load T00000 10063 ended a", "load T00100 20000 ended outer", "load T00110 19500 ended inner",
        "orphan T00140 never", "load T00150 10000 ended async", "orphan T00180 local",
        "load T00190 10000 ended legacy", "load T00150 - abandoned open", "load T00170 - abandoned local",
        "skipped 1 I", "skipped 1 n", "skipped 1 of unknown type",
      ])
    #expect(try Reading.items(.chromeTrace, Samples.trace).compactMap(\.load).last?.reason == "import")
  }

  @Test func groupingByCategoryKeepsTheNameAsTheMessage() throws {
    let items = try Reading.items(.chromeTrace, Samples.trace, by: .category)
    #expect(items.compactMap(\.load).map(\.feed) == ["c", "n", "n", "n"])
    #expect(items.compactMap(\.load).map(\.message) == ["a", "async", "legacy", "local"])
    #expect(items.compactMap(\.rejection).map(\.cause) == Array(repeating: "cat is missing", count: 3))
  }

  @Test func anArrayMayLackItsClosingBracketButAnObjectMayNot() throws {
    #expect(try printed(Samples.openTrace) == ["load T00005 2000 ended a"])
    #expect(try printed("[") == [])
    #expect(try printed("[]") == [])
    #expect(try Reading.items(.chromeTrace, #"{"traceEvents":["#).last?.fault != nil)
    #expect(try Reading.items(.chromeTrace, "[{").last?.fault != nil)
  }

  @Test func openLoadsAreKeptWhenTheFileBreaksOff() throws {
    let items = try Reading.items(.chromeTrace, #"[{"ph":"B","ts":1,"name":"a"},{"ph":"E","ts":2,"na"#)
    #expect(items.count == 2 && items[0].fault != nil && items[1].load?.state == .abandoned)
  }

  @Test func relativeTimesNeedAnEpoch() throws {
    var importer = try ImportFormat.chromeTrace.importer()
    let absolute = importer.items(of: Array(#"[{"ph":"X","ts":1e15,"dur":1,"name":"a"}]"#.utf8))
    #expect(absolute.map(\.load?.started) == [1_000_000_000_000_000])
    importer = try ImportFormat.chromeTrace.importer()
    let events = #"{"ph":"X","ts":1e15,"name":"a"},{"ph":"X","ts":999999999999999.9,"name":"a"}"#
    let relative = importer.items(of: Array("[\(events),\(events)]".utf8))
    #expect(relative.count == 2 && relative[1].fault?.cause.contains("--epoch") == true)
    var before = try ImportFormat.chromeTrace.importer(ImportOptions(epoch: 5))
    #expect(
      before.items(of: Array(#"[{"ph":"X","ts":-4,"name":"a"},{"ph":"X","ts":-5.5,"name":"a"}]"#.utf8)).map(
        \.load?.started) == [1, nil])
  }

  @Test(
    arguments: [
      #""ts":NaN"#, #""ts":Infinity"#, #""ts":"soon""#, #""ts":null"#, #""ts":{}"#, #""ts":1e400"#,
      #""ts":7258118400000000"#,
      #""ts":-1795262400000001"#, #""ts":1,"dur":NaN"#, #""ts":1,"dur":1e16"#, #""ts":1,"dur":"x""#,
    ])
  func eventsWithInvalidTimesAreRejected(members: String) throws {
    let items = try Reading.items(
      .chromeTrace, #"[{"ph":"X","name":"a",\#(members)},{"ph":"X","ts":1,"name":"b"}]"#)
    #expect(items.compactMap(\.rejection).map(\.position.offset) == [1])
    #expect(items.compactMap(\.load).map(\.feed) == ["b"])
  }

  @Test func aNegativeDurationIsUnknown() throws {
    #expect(try printed(#"[{"ph":"X","ts":1,"dur":-1,"name":"a"}]"#) == ["load T00001 - ended a"])
    #expect(
      try printed(#"[{"ph":"B","ts":9,"name":"a"},{"ph":"E","ts":1,"name":"a"}]"#) == [
        "load T00009 - ended a"
      ])
  }

  @Test func anEndFindsTheNewestOfManyStarts() throws {
    let levels = 10_000
    let begins = (0..<levels).map { #"{"ph":"B","pid":1,"tid":1,"ts":\#($0),"name":"n\#($0 % 7)"}"# }
    let ends = (0..<levels).map { #"{"ph":"E","pid":1,"tid":1,"ts":\#(2 * levels - $0)}"# }
    let items = try Reading.items(.chromeTrace, "[" + (begins + ends).joined(separator: ",") + "]")
    #expect(items.count == levels && items.allSatisfy { $0.load?.state == .ended })
    #expect(items.last?.load?.duration == Int64(levels + 1) * 1000)
  }

  @Test func theOldestStartIsAbandonedWhenTooManyAreOpen() throws {
    let begins = (0..<40_000).map { #"{"ph":"B","ts":\#($0),"name":"n"}"# }
    let items = try Reading.items(.chromeTrace, "[" + begins.joined(separator: ","))
    let loads = items.compactMap(\.load)
    #expect(loads.count == 40_000 && loads.allSatisfy { $0.state == .abandoned })
    #expect(zip(loads, loads.dropFirst()).allSatisfy { $0.started < $1.started })
    #expect(items.compactMap(\.rejection).map(\.cause).first?.contains("the 23616 oldest") == true)
    #expect(items.compactMap(\.rejection).count == 1)
  }
}

@Suite struct OpenPairsTests {
  private struct Waiting {
    let value: Int, group: UInt128, name: UInt128
  }

  @Test func endsFindTheSameStartsAsALinearSearch() {
    var generator = Lcg(state: 3)
    var pairs = OpenPairs<Int>(capacity: 20)
    var model: [Waiting] = []
    for value in 0..<20_000 {
      let group = UInt128(generator.next() % 3)
      let name = group * 10 + UInt128(generator.next() % 3)
      switch generator.next() % 5 {
      case 0, 1:
        pairs.open(value, group: group, name: name, bytes: 0)
        model.append(Waiting(value: value, group: group, name: name))
        let surplus = model.count > 20 ? model.removeFirst().value : nil
        #expect(pairs.takeSurplus() == surplus)
      case 2, 3:
        let index = model.lastIndex { $0.name == name }
        #expect(pairs.close(name: name) == index.map { model.remove(at: $0).value })
      default:
        let index = model.lastIndex { $0.group == group }
        #expect(pairs.close(group: group) == index.map { model.remove(at: $0).value })
      }
      #expect(pairs.count == model.count)
    }
    while let oldest = pairs.takeOldest() { #expect(oldest == model.removeFirst().value) }
    #expect(model.isEmpty)
  }
}
