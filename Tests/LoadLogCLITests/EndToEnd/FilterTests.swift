import Foundation
import TestProcesses
import Testing

/// Options of `history`, `status` and `prune` that select, order and keep loads.
@Suite struct FilterTests {
  private let place: Place

  init() throws { place = try Place() }

  /// Imports a finished load of each feed, the given number of days old.
  private func makeLoads(_ feeds: [String], days: Int) throws {
    let lines = feeds.enumerated().map { number, feed in
      let start = Date(timeIntervalSinceNow: -86_400 * Double(days) + Double(number)).ISO8601Format()
      let id = "00000000-0000-4000-8000-\(String(days * 1000 + number + 1_000_000_000_000).suffix(12))"
      return #"{"event":"start","at":"\#(start)","feed":"\#(feed)","id":"\#(id)"}"# + "\n"
        + #"{"event":"finish","at":"\#(start)","id":"\#(id)","duration_ns":\#(number + 1)000000000}"# + "\n"
    }
    try #require(
      place.loadlog("import", place.write(lines.joined(), to: "loads.ndjson")).output
        == "imported \(feeds.count) load\(feeds.count == 1 ? "" : "s"); skipped 0, rejected 0\n")
  }

  private func total() throws -> Int? { try place.ask("history")["total"].int }

  @Test func unbalancedSaysWhatItsLimitLeavesOut() throws {
    for _ in 0..<3 { try place.loadlog("pop", "f") }
    let page = try place.loadlog("unbalanced", "--limit", "2").output
    #expect(page.contains("the newest 2 of 3 unbalanced (2 pops never pushed)"), "\(page)")
    let answer = try place.ask("unbalanced", "--limit", "2")
    #expect(answer["unbalanced"].all.count == 2 && answer["missing"].int == 1)
    #expect(try place.ask("unbalanced", "--limit", "all")["missing"].int == 0)
    for options in [["--limit", "0"], ["--limit", "1", "--ack", "--all"], ["--limit", "1", "--ack", "1"]] {
      #expect(try place.loadlog(["unbalanced"] + options).code == 2, "\(options)")
    }
  }

  @Test func historyFindsLoadsByTagTextAndDuration() throws {
    try place.loadlog("start", "a", "--detached", "--tag", "warm", "-m", "Loading the Index")
    try place.loadlog("run", "b", "--keep-stderr", "--", "sh", "-c", "echo Connection refused >&2; exit 3")
    try makeLoads(["c", "c", "c"], days: 1)
    for (options, feeds) in [
      (["--tag", "warm"], ["a"]), (["--tag", "cold"], []), (["--grep", "INDEX"], ["a"]),
      (["--grep", "connection Refused"], ["b"]), (["--min-duration", "2s", "c"], ["c", "c"]),
      (["--min-duration", "2s", "--state", "succeeded", "--limit", "1"], ["c"]),
      (["--grep", "index", "b"], []),
    ] {
      let answer = try place.loadlog(["history", "--json"] + options)
      #expect(try Answer(answer.output)["loads"].all.map(\.["feed"].text) == feeds, "\(options)")
    }
    let page = try place.ask("history", "c", "--min-duration", "2s", "--limit", "1")
    #expect(page["total"].int == 2 && page["missing"].int == 1)
    #expect(try place.loadlog("history", "--grep", "").isOneComplaint)
  }

  @Test func historyListsAllLoadsIfAsked() throws {
    try makeLoads(Array(repeating: "a", count: 30), days: 1)
    let some = try place.ask("history")
    #expect(some["loads"].all.count == 20 && some["missing"].int == 10)
    let all = try place.ask("history", "--limit", "all")
    #expect(all["loads"].all.count == 30 && all["missing"].int == 0)
  }

  @Test func statusIsSortedAsAsked() throws {
    try makeLoads(["b", "a", "c"], days: 2)
    try makeLoads(["a"], days: 1)
    try place.loadlog("run", "c", "--", "false")
    try place.loadlog("start", "d", "--detached")
    for (order, feeds) in [
      ("updated", ["a", "c", "b", "d"]), ("loads", ["a", "c", "b", "d"]), ("failed", ["c", "a", "b", "d"]),
      ("p95", ["c", "a", "b", "d"]), ("name", ["a", "b", "c", "d"]),
    ] {
      let found = try place.ask("status", "--sort", order)["feeds"].all.map(\.["feed"].text)
      #expect(found == feeds, "\(order)")
      let rows = try place.loadlog("status", "--sort", order).output.matches(of: /(?m)^. ([a-d])[ ]/)
      // The section WHY below the table names feeds, too.
      #expect(rows.prefix(4).map { String($0.1) } == feeds, "\(order)")
    }
  }

  @Test func aStoreKeepsLoadsForAsLongAsItsSettingSays() throws {
    let missing = try place.loadlog("prune", "--keep", "30d", "--by-default")
    #expect(missing.code == 3 && !FileManager.default.fileExists(atPath: place.store))
    try makeLoads(["a", "a"], days: 60)
    func finding() throws -> String? {
      try place.ask("doctor")["findings"].all.first { $0["topic"].text == "retention" }?["text"].text
    }
    try place.loadlog("run", "x", "--", "true")
    #expect(try total() == 3 && finding()?.contains("90 days") == true)
    let forecast = try place.ask("prune", "--keep", "30d", "--by-default", "--dry-run")
    #expect(forecast["loads"].int == 1 && forecast["keep"].number == 2_592_000)
    #expect(try total() == 3 && finding()?.contains("90 days") == true)
    #expect(try place.ask("prune", "--keep", "30d", "--by-default")["loads"].int == 1)
    #expect(try total() == 2 && finding()?.contains("30 days") == true)
    // The next program that records prunes by the setting.
    try makeLoads(["b", "b"], days: 50)
    #expect(try total() == 4)
    try place.loadlog("run", "x", "--", "true")
    #expect(try total() == 4)
    let all = try place.loadlog("prune", "--keep", "all", "--by-default")
    #expect(all.output == "From now on the store keeps all loads until you prune them.\n")
    try makeLoads(["c", "c"], days: 200)
    try place.loadlog("run", "x", "--", "true")
    #expect(try total() == 7 && finding()?.hasPrefix("all loads are kept") == true)
    #expect(try place.ask("prune", "--keep", "90d", "--by-default")["loads"].int == 1)
    #expect(try finding()?.contains("90 days") == true)
    try place.loadlog("prune", "--keep", "31536000500ms", "--by-default")
    #expect(try finding()?.contains("31536000500 milliseconds") == true)
    // With an age that LoadLog never writes, every load would be old.
    let damage = "sqlite3 \(place.store) 'UPDATE setting SET value = -1'"
    #expect(try place.shell(damage).code == 0 && finding()?.contains("90 days") == true)
    try place.loadlog("run", "x", "--", "true")
    #expect(try total() == 7)
  }
}
