import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// Pushes, pops and resets in a file follow the rules of recording, in the order of the file.
@Suite struct CountImportTests {
  private let bench: ImportBench

  init() throws { bench = try ImportBench() }

  @Test func aPopClosesTheNewestPushOfItsSourceFileOrElseTheNewest() throws {
    let text = """
      {"event":"push","at":"09:00:00","feed":"network","call_site":"A.swift:1"}
      {"event":"push","at":"09:00:01","feed":"network","call_site":"B.swift:1"}
      {"event":"push","at":"09:00:02","feed":"network"}
      {"event":"pop","at":"09:00:10","feed":"network","call_site":"A.swift:9"}
      {"event":"pop","at":"09:00:11","feed":"network","call_site":"C.swift:9","verdict":"failed","reason":"r"}
      {"event":"push","at":"09:00:12","feed":"other"}
      """
    #expect(try bench.take(text).numbers == "4 0 0")
    let loads = try bench.loads("network")
    #expect(loads.map(\.state) == [.ended, .running, .failed] && loads.allSatisfy(\.isAnonymous))
    #expect(loads.map(\.duration) == [10_000_000_000, nil, 9_000_000_000])
    #expect(loads[2].reason == "r" && loads[0].durationSource == .wall)
    #expect(try bench.dates(of: "network").lastUpdated == nil)
    try bench.expectSound()
    let before = try bench.lines()
    #expect(try bench.take(text).numbers == "0 4 0")
    #expect(try bench.lines() == before)
  }

  @Test func aResetClosesItsPushesAndImportingItAgainHasNoEffect() throws {
    let text = """
      {"event":"push","at":"09:00:00","feed":"a"}
      {"event":"push","at":"09:00:01","feed":"a"}
      {"event":"push","at":"09:00:01","feed":"b"}
      {"event":"reset","at":"09:00:05","feed":"a"}
      {"event":"pop","at":"09:00:06","feed":"a"}
      {"event":"pop","at":"09:00:07","feed":"a"}
      {"event":"pop","at":"09:00:08","feed":"a"}
      {"event":"pop","at":"09:00:08","feed":"a"}
      {"event":"reset","at":"09:00:09","feed":null}
      {"event":"reset","at":"09:00:09","feed":"unheard of"}
      """
    #expect(try bench.take(text).numbers == "5 0 0")
    let loads = try bench.loads("a")
    #expect(loads.map(\.state) == [.abandoned, .abandoned])
    #expect(
      loads.map(\.reason) == ["reset", "reset"] && loads.map(\.openAtLeast) == [5_000_000_000, 4_000_000_000])
    #expect(try bench.loads("b")[0].state == .abandoned)
    let numbers = try bench.numbers(of: "a")
    #expect(numbers.popsAfterReset == 2 && numbers.unbalanced.extraPop == 2)
    #expect(try bench.store.reader().feeds() == ["a", "b"])
    try bench.expectSound()
    let before = try bench.lines()
    #expect(try bench.take(text).numbers == "0 5 0")
    #expect(try bench.lines() == before)
  }

  @Test func pushesOfOtherOwnersAreNotChanged() throws {
    let writer = try bench.store.open()
    try bench.store.commit(.push("network"), to: writer)
    #expect(try bench.take(#"{"event":"pop","at":"09:00:00","feed":"network"}"#).numbers == "1 0 0")
    try bench.take(#"{"event":"reset","at":"09:00:00","feed":"network"}"#)
    #expect(try bench.loads("network").map(\.state) == [.running])
    #expect(try bench.numbers(of: "network").unbalanced.extraPop == 1)
    writer.close(finally: true)
  }

  @Test func aGrowingFileCanBeImportedRepeatedly() throws {
    let lines = [
      #"{"event":"push","at":"09:00:00","feed":"a"}"#, #"{"event":"push","at":"09:00:00","feed":"a"}"#,
      #"{"event":"pop","at":"09:00:03","feed":"a"}"#, #"{"event":"reset","at":"09:00:04","feed":"a"}"#,
      #"{"event":"pop","at":"09:00:05","feed":"a"}"#, #"{"event":"pop","at":"09:00:06","feed":"a"}"#,
    ]
    for count in 0...lines.count {
      _ = try bench.take(lines.prefix(count).map { $0 + "\n" }.joined())
    }
    let grown = try bench.lines()
    let fresh = try ImportBench()
    try fresh.take(lines.joined(separator: "\n"))
    #expect(try fresh.lines() == grown)
    #expect(try bench.numbers(of: "a").popsAfterReset == 1)
    #expect(try bench.loads().count == 2)
  }
}
