import LoadLogCore
@testable import LoadLogReports
import Testing

@Suite struct HARTests {
  private func loads(_ text: String, by source: FeedSource? = nil) throws -> [ForeignLoad] {
    try Reading.items(.har, text, by: source).compactMap(\.load)
  }

  private func entry(_ members: String) -> String {
    #"{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/x"},"response":{"status":200},"#
      + members + "}]}}"
  }

  @Test("feeds, verdicts, durations and texts")
  func sample() throws {
    let loads = try loads(Samples.har)
    #expect(loads.map(\.feed) == ["api.example", "::1", "b.example", "data:", "b.example"])
    #expect(loads.map(\.state) == [.succeeded, .failed, .unchanged, .failed, .failed])
    #expect(loads.map(\.reason) == [nil, "HTTP 404 Not Found", nil, "net::ERR_ABORTED", "no response"])
    #expect(loads.map(\.duration) == [12_500_000, 10_250_000, nil, nil, 1_000_000])
    #expect(loads[0].started == 1_795_258_800_123_456)
    #expect(
      loads.map(\.message) == [
        "GET https://Api.Example:8443/v1/réviews", "POST http://[::1]:80/x", "GET https://b.example/",
        "GET data:",
        "https://b.example",
      ])
    #expect(loads.map(\.tag) == ["p1", nil, nil, nil, nil])
    #expect(loads[1].position.line == 6)
  }

  @Test("a feed by URL keeps no secrets")
  func byURL() throws {
    let feeds = try loads(Samples.har, by: .url).map(\.feed.name)
    #expect(
      feeds == [
        "https://Api.Example:8443/v1/réviews", "http://[::1]:80/x", "https://b.example/", "data:",
        "https://b.example",
      ])
  }

  @Test(
    "times that cannot be meant are rejected",
    arguments: [
      ("1969-12-31T23:59:59Z", "it is before 1970"), ("2200-01-01T00:00:00Z", "it is after 2200"),
      ("1970-01-01T00:30:00+01:00", "it is before 1970"), ("2026-02-30T00:00:00Z", "there is no such day"),
      ("2026-11-21T24:00:00Z", "there is no such time of day"), ("2026-11-21T12:00:00", "it has no zone"),
      ("2026-11-21T12:00:00Zx", "it is not a time"), ("2026-11-21", "it is not a time"),
      ("", "it is not a time"),
      ("2026-11-21T12:00:00+2:00", "its zone is not one"), ("NaN", "it is not a time"),
      ("292277026596-12-04T15:30:07Z", "it is not a time"),
    ])
  func times(text: String, cause: String) throws {
    let items = try Reading.items(.har, entry(#""startedDateTime":"\#(text)""#))
    #expect(items.map { $0.rejection?.cause } == ["startedDateTime \"\(text)\": \(cause)"])
    #expect(items[0].rejection?.position.offset == 19)
  }

  @Test("zones are written with and without a colon")
  func zones() throws {
    for zone in ["Z", "z", "+00:00", "-00:00", "+0000"] {
      #expect(
        try loads(entry(#""startedDateTime":"2026-11-21T12:00:00\#(zone)""#)).first?.started == Reading.noon)
    }
    #expect(
      try loads(entry(#""startedDateTime":"2026-11-21T21:00:00.5+0900""#)).first?.started == Reading.noon
        + 500_000)
  }

  @Test(
    "durations that are none are rejected",
    arguments: ["NaN", "Infinity", "1e300", "{}", "true", #""soon""#, "9223372036854775807", "1e15"])
  func durations(time: String) throws {
    let items = try Reading.items(.har, entry(#""startedDateTime":"2026-11-21T12:00:00Z","time":\#(time)"#))
    #expect(items.count == 1 && items[0].rejection != nil)
  }

  @Test("an entry without what it needs is rejected, the next one is read")
  func lacking() throws {
    let text = #"""
      {"log":{"entries":[{}, 5, null, [], {"startedDateTime":"2026-11-21T12:00:00Z"},
      {"startedDateTime":"2026-11-21T12:00:00Z","request":{"url":"/relative"}},
      {"startedDateTime":"2026-11-21T12:00:00Z","request":{"url":"https://a\u202eb/"}},
      {"startedDateTime":"2026-11-21T12:00:00Z","request":{"url":"https://a/"},"response":{"status":[]}},
      {"startedDateTime":"2026-11-21T12:00:00Z","request":{"url":"https://a/"},"response":{"status":"200"}}]}}
      """#
    let items = try Reading.items(.har, text)
    #expect(items.compactMap(\.rejection).map(\.position.line) == [1, 1, 1, 1, 1, 2, 3, 4])
    #expect(items.compactMap(\.load).map(\.state) == [.succeeded])
  }

  @Test("of two members with one key the last counts, as a whole")
  func duplicateKeys() throws {
    let text = entry(
      #""startedDateTime":1,"startedDateTime":"2026-11-21T12:00:00Z","time":3,"time":4,"response":{"statusText":"x"}"#
    )
    let load = try #require(try loads(text).first)
    #expect(load.duration == 4_000_000 && load.state == .failed)
  }

  @Test("a record of huge fields is bounded")
  func hugeFields() throws {
    let url = String(repeating: #""url":"\#(String(repeating: "u", count: 70_000))","#, count: 40)
    let text =
      #"{"log":{"entries":[{"startedDateTime":"2026-11-21T12:00:00Z","request":{\#(url)"url":"https://a.example/"}}]}}"#
    let items = try Reading.items(.har, Array(text.utf8), pieces: 10_000)
    #expect(items.count == 1 && items[0].fault == nil)
  }

  @Test("equal entries are counted, and keep their ids when the file is read again")
  func identity() throws {
    let one =
      #"{"startedDateTime":"2026-11-21T00:00:00Z","request":{"method":"GET","url":"https://a.example/x?y=1"}}"#
    let text = #"{"log":{"entries":[\#(one),\#(one)]}}"#
    for _ in 0..<2 {
      var table = OccurrenceTable(overflow: Refusing())
      let ids = try loads(text).map { try $0.identity.sessionID(counting: &table).description }
      // Computed with Python from RFC 9923 and RFC 9562.
      #expect(ids == ["a922d8c0-15d3-82c3-8649-bfddfca0669f", "a91b650b-09d3-82c3-8649-bfdbb1c8752e"])
    }
  }
}
