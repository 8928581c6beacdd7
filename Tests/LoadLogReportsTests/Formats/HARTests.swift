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

  @Test func feedsVerdictsDurationsAndTextsAreRead() throws {
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

  @Test func groupingByURLDropsSecrets() throws {
    let feeds = try loads(Samples.har, by: .url).map(\.feed.name)
    #expect(
      feeds == [
        "https://Api.Example:8443/v1/réviews", "http://[::1]:80/x", "https://b.example/", "data:",
        "https://b.example",
      ])
  }

  /// A combining mark or a joiner makes another character of the delimiter before it.
  @Test(arguments: [
    (#"https://user:secret@\u0301h.example/c?\u0301token=secret"#, "https://\u{301}h.example/c"),
    (#"https://h.example/c?\u200dtoken=secret"#, "https://h.example/c"),
    (#"https://h.example/c#\u0301secret"#, "https://h.example/c"),
    (#"https:\u0301//secret"#, "https:"), (#"data:\u0301secret"#, "data:"),
    (#"https:/\u0301/secret"#, "https:"), (#"https://h.example:8\u0301/c"#, "https://h.example:8\u{301}/c"),
    (#"https://h.example/\u0301c?secret"#, "https://h.example/\u{301}c"),
  ])
  func noMarkHidesADelimiter(url: String, kept: String) throws {
    let text =
      #"{"log":{"entries":[{"startedDateTime":"2026-11-21T12:00:00Z","request":{"url":"\#(url)"}}]}}"#
    #expect(try loads(text).map { $0.message.map { Array($0.utf8) } } == [Array(kept.utf8)])
  }

  @Test(
    arguments: [
      ("1969-12-31T23:59:59Z", "is before 1970"), ("2200-01-01T00:00:00Z", "is in 2200 or later"),
      ("1970-01-01T00:30:00+01:00", "is before 1970"),
      ("2026-02-30T00:00:00Z", "names a day that does not exist"),
      ("2026-11-21T24:00:00Z", "names a time of day that does not exist"),
      ("2026-11-21T12:00:00", "has no time zone"),
      ("2026-11-21T12:00:00Zx", "is not a time"), ("2026-11-21", "is not a time"),
      ("", "is not a time"),
      ("2026-11-21T12:00:00+2:00", "has an invalid time zone"), ("NaN", "is not a time"),
      ("292277026596-12-04T15:30:07Z", "is not a time"),
    ])
  func invalidTimesAreRejected(text: String, cause: String) throws {
    let items = try Reading.items(.har, entry(#""startedDateTime":"\#(text)""#))
    #expect(items.map { $0.rejection?.cause } == ["startedDateTime \"\(text)\" \(cause)"])
    #expect(items[0].rejection?.position.offset == 19)
  }

  @Test func timeZonesMayLackTheColon() throws {
    for zone in ["Z", "z", "+00:00", "-00:00", "+0000"] {
      #expect(
        try loads(entry(#""startedDateTime":"2026-11-21T12:00:00\#(zone)""#)).first?.started == Reading.noon)
    }
    #expect(
      try loads(entry(#""startedDateTime":"2026-11-21T21:00:00.5+0900""#)).first?.started == Reading.noon
        + 500_000)
  }

  @Test(
    arguments: ["NaN", "Infinity", "1e300", "{}", "true", #""soon""#, "9223372036854775807", "1e15"])
  func invalidDurationsAreRejected(time: String) throws {
    let items = try Reading.items(.har, entry(#""startedDateTime":"2026-11-21T12:00:00Z","time":\#(time)"#))
    #expect(items.count == 1 && items[0].rejection != nil)
  }

  @Test func anIncompleteEntryIsRejectedAndTheNextIsRead() throws {
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

  @Test func theLastOfTwoEqualKeysCountsAsAWhole() throws {
    let text = entry(
      #""startedDateTime":1,"startedDateTime":"2026-11-21T12:00:00Z","time":3,"time":4,"response":{"statusText":"x"}"#
    )
    let load = try #require(try loads(text).first)
    #expect(load.duration == 4_000_000 && load.state == .failed)
  }

  @Test func hugeFieldsAreBounded() throws {
    let url = String(repeating: #""url":"\#(String(repeating: "u", count: 70_000))","#, count: 40)
    let text =
      #"{"log":{"entries":[{"startedDateTime":"2026-11-21T12:00:00Z","request":{\#(url)"url":"https://a.example/"}}]}}"#
    let items = try Reading.items(.har, Array(text.utf8), pieces: 10_000)
    #expect(items.count == 1 && items[0].fault == nil)
  }

  @Test func equalEntriesAreCountedAndKeepTheirIdsOnASecondRead() throws {
    let one =
      #"{"startedDateTime":"2026-11-21T00:00:00Z","request":{"method":"GET","url":"https://a.example/x?y=1"}}"#
    let text = #"{"log":{"entries":[\#(one),\#(one)]}}"#
    for _ in 0..<2 {
      var counter = OccurrenceCounter(overflow: refuse)
      let ids = try loads(text).map {
        try $0.identity.timed($0.started).sessionID(counting: &counter).description
      }
      // Computed with Python from RFC 9923 and RFC 9562.
      #expect(ids == ["7afceb7b-c722-8833-a280-7b3c43a9475c", "7b045f30-d322-8833-a280-7b3e8e8138cd"])
    }
  }
}
