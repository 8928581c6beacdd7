import LoadLogCore
@testable import LoadLogReports
import ReportExamples
import Testing

/// Beside a time is the zone that held at that time, not that of today.
@Suite struct ClockChangeTests {
  /// Berlin in autumn 2026: clocks go back at 01:00 UTC on 25 October.
  private static let berlin = LocalZone { seconds in
    seconds < 1_792_890_000
      ? LocalZone.Offset(seconds: 7200, abbreviation: "CEST")
      : LocalZone.Offset(seconds: 3600, abbreviation: "CET")
  }

  @Test(
    arguments: [
      ([], "CET"), (["2026-10-20"], "CEST"), (["2026-11-20"], "CET"),
      (["2026-11-20", "2026-10-20", "2026-10-19"], "CEST and CET"),
    ] as [([String], String)])
  func imbalancesNameTheirZones(days: [String], zones: String) {
    var summary = Screens.imbalances
    summary.overrunning = []
    summary.imbalances = days.map {
      Screens.imbalance("1234567", .unmatchedFinish(.extraPop), "network", $0, "count already 0", "A.swift:1")
    }
    let page = PageStyle(isFitted: false, zone: Self.berlin)
    let first = UnbalancedReport(summary, store: "x").text(page).prefix { $0 != "\n" }
    #expect(first.hasSuffix(" all time, \(zones)"), "\(first)")
  }

  /// A page of a window of the past, with a load in each of its hours.
  private func words(since: String, until: String) throws -> String {
    var summary = Screens.status
    (summary.since, summary.until) = (Screens.at(since), Screens.at(until))
    let reader = ExampleReader(
      summary,
      hours: { span in
        stride(from: span.lowerBound, to: span.upperBound, by: Int(HourNumbers.length)).map {
          var hour = HourNumbers(feed: "images", containing: $0)
          hour.count(.succeeded, duration: 5)
          return hour
        }
      })
    let contents = try ReportContents(reading: reader, LoadFilter(), store: "x")
    return PageText(contents, zone: Self.berlin).words
  }

  @Test func aPageNamesTheZonesOfItsHours() throws {
    let summer = try words(since: "2026-10-20T03:00:00Z", until: "2026-10-20T22:00:00Z")
    #expect(summer.contains("; hours are in CEST."))
    #expect(summer.contains("20 Oct 05:00 – 21 Oct 00:00, CEST"))
    #expect(summer.contains("Times are local times (CET when the page was made)"))
    let change = try words(since: "2026-10-24T20:00:00Z", until: "2026-10-25T04:00:00Z")
    #expect(change.contains("; hours are in CEST and CET."))
    #expect(change.contains("24 Oct 22:00 – 25 Oct 05:00, CEST and CET"))
    for zone in ["CEST", "CET"] { #expect(change.contains("25 Oct 02:00 \(zone) 1 "), "\(change)") }
  }
}
