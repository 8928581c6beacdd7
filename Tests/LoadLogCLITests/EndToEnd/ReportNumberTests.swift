import Foundation
import LoadLogText
import Testing

/// The numbers on a page equal those of `status --json` for the same store.
@Suite struct ReportNumberTests {
  // The keys are those of the JSON.
  private struct Status: Decodable {
    struct Feed: Decodable {
      let feed: String
      let loads: Int
      let failed: Int
      let unbalanced: Unbalanced
      let duration_succeeded: Duration?
      let duration: Duration?
    }
    struct Duration: Decodable {
      let p50: Double
      let p95: Double
      let max: Double
    }
    struct Unbalanced: Decodable { let total: Int }
    struct Totals: Decodable { let loads: Int }
    let feeds: [Feed]
    let totals: Totals
  }

  private let place: Place

  /// Records ten days of three feeds, one of which only fails, and an extra pop.
  init() throws {
    place = try Place()
    var lines: [String] = []
    for number in 0..<1300 {
      let feed = ["reviews", "images", "archive"][number % 3]
      let started = 1_794_300_000 + Double(number) * 660
      let took = feed == "images" ? 0.08 + Double(number % 50) / 1000 : 1 + Double(number % 97) / 10
      let id = "01a1f90f-9824-7b1e-a0d2-\(String(format: "%012x", number))"
      let verdict = feed == "archive" || number % 41 == 0 ? "failed" : "succeeded"
      lines.append(#"{"event":"start","at":"\#(Self.time(started))","feed":"\#(feed)","id":"\#(id)"}"#)
      lines.append(
        #"{"event":"finish","at":"\#(Self.time(started + took))","id":"\#(id)","verdict":"\#(verdict)"}"#)
    }
    lines.append(#"{"event":"pop","at":"\#(Self.time(1_795_200_000))","feed":"reviews"}"#)
    let file = try place.write(lines.map { $0 + "\n" }.joined(), to: "loads.ndjson")
    let imported = try place.loadlog("import", file)
    try #require(imported.code == 0, "\(imported.errors)")
  }

  private static func time(_ seconds: Double) -> String {
    Date(timeIntervalSince1970: seconds).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  private func status(_ options: [String]) throws -> Status {
    try JSONDecoder().decode(
      Status.self, from: Data(try place.loadlog(["status", "--json"] + options).output.utf8))
  }

  private func expect(_ shown: String, _ seconds: Double) {
    let nanoseconds = Int64((seconds * 1e9).rounded())
    #expect(shown.drop { $0 == "~" } == DurationText.measured(nanoseconds))
  }

  @Test(arguments: [[], ["--since", "2026-11-14T15:30:00Z", "--until", "2026-11-18"], ["re*", "images"]])
  func areThoseOfStatus(options: [String]) throws {
    let status = try status(options)
    let page = try place.loadlog(["report"] + options).output
    #expect(status.feeds.map(\.loads).reduce(0, +) == status.totals.loads && status.totals.loads > 300)
    for feed in status.feeds {
      let pattern = "<bdi>\(feed.feed)</bdi>(</a>)?<td>[\\s\\S]*?\n"
      let row = page[try #require(page.firstRange(of: try Regex(pattern)))]
      let cells = row.split(separator: "<td>").dropFirst(3).map {
        $0.replacing(/<[^>]*>/, with: "").trimmingCharacters(in: .whitespacesAndNewlines)
      }
      try #require(cells.count >= 6, "\(row)")
      #expect(cells[0] == "\(feed.loads)" && cells[1] == "\(feed.failed)")
      let duration = try #require(feed.duration_succeeded ?? feed.duration)
      expect(cells[2], duration.p50)
      expect(cells[3], duration.p95)
      expect(cells[4], duration.max)
      #expect(cells[5] == (feed.unbalanced.total == 0 ? "·" : "\(feed.unbalanced.total)"))
    }
    #expect(page.contains("\(status.feeds.count) feeds · "))
  }

  /// A load that failed in the window, and started before it, is counted in the window before.
  @Test func theFailuresOfAWindowAreThoseThatItCounts() throws {
    var lines = ""
    for (number, (start, end)) in [
      ("13T23:50", "14T00:10"), ("14T12:00", "14T12:01"), ("17T12:00", "17T12:01"),
    ].enumerated() {
      let id = "02a1f90f-9824-7b1e-a0d2-00000000000\(number)"
      lines += #"{"event":"start","at":"2026-11-\#(start):00Z","feed":"night","id":"\#(id)"}"# + "\n"
      lines += #"{"event":"finish","at":"2026-11-\#(end):00Z","id":"\#(id)","verdict":"failed"}"# + "\n"
    }
    #expect(try place.loadlog("import", place.write(lines, to: "night.ndjson")).code == 0)
    let page = try place.loadlog("report", "night", "--since", "2026-11-14", "--until", "2026-11-17").output
    let failures = try #require(page.firstMatch(of: /<h4>(.*?)<\/h4>[\s\S]*?<\/ul>/))
    #expect(failures.1 == "1 failure")
    #expect(failures.0.ranges(of: "<li>").count == 1, "\(failures.0)")
  }

  @Test func aWindowNamesItself() throws {
    let page = try place.loadlog("report", "--since", "2026-11-14", "--until", "2026-11-18").output
    #expect(page.contains("Whole UTC days, 14 Nov 2026 to 17 Nov 2026"))
    #expect(page.contains("Loads open at once, 17 Nov 00:00 – 18 Nov 00:00, UTC"))
    let empty = try place.loadlog("report", "--since", "2026-01-01", "--until", "2026-01-02")
    #expect(empty.code == 0 && empty.output.hasSuffix("</html>\n"))
  }
}
