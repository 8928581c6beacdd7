import LoadLogCore
@testable import LoadLogReports
import Testing

/// Exported loads and unmatched finishes of every kind.
enum Exported {
  static let loads: [LoadingSession] = [
    Screens.load(
      "0000001", "reviews", "2026-11-21T06:00:00", .succeeded, 1.234567891, message: "Loading reviews…"),
    Screens.load("0000002", "reviews", "2026-11-21T06:00:01", .unchanged, 0.5) { $0.tag = "warm" },
    Screens.load("0000003", "reviews", "2026-11-21T06:00:02", .failed, 30) {
      $0.reason = "=HYPERLINK(\"evil\")\n\u{202E}</script>\u{1B}[31m, timed out"
    },
    Screens.load("0000004", "reviews", "2026-11-21T06:00:03", .cancelled, 2) { $0.reason = "quit" },
    Screens.load("0000005", "network", "2026-11-21T06:00:03", .ended, 0) {
      $0.isAnonymous = true
      $0.callSite = nil
    },
    Screens.load("0000006", "a \"quoted\", \\ 😀 feed", "2026-11-21T06:00:04", .succeeded, 0.000000001) {
      $0.owner = Screens.owner(7, app: "", kind: .inferred)
    },
    Screens.load("0000007", "reviews", "2026-11-21T06:00:05", .crashed, 4) { $0.reason = "its owner died" },
    Screens.load("0000008", "reviews", "2026-11-21T06:00:05", .rebooted, 4),
    Screens.load("0000009", "reviews", "2026-11-21T06:00:06", .abandoned, 4) { $0.reason = "dropped" },
    Screens.load("000000a", "reviews", "2026-11-21T06:00:07", .running, 4),
    Screens.load("000000b", "reviews", "2026-11-21T06:00:40", .succeeded, 1) {
      ($0.duration, $0.durationSource) = (nil, nil)
    },
    Screens.load("000000c", "reviews", "2026-11-21T06:00:41", .succeeded, 3600) {
      $0.isFinishedAfterVerdict = true
      $0.durationSource = .wall
      $0.clockJump = -3_500_000
    },
  ]

  static let unmatched = [
    Imbalance(
      id: Screens.id("0000101"), kind: .unmatchedFinish(.extraPop), feed: "network",
      at: Screens.at("2026-11-21T06:01:00"),
      evidence: "", callSite: "Reader/ImageCache.swift:117", isLikely: false),
    Imbalance(
      id: Screens.id("0000102"), kind: .unmatchedFinish(.orphanFinish), session: Screens.id("0000103"),
      at: Screens.at("2026-11-21T06:01:01"), evidence: "", isLikely: false),
    Imbalance(
      id: Screens.id("0000104"), kind: .unmatchedFinish(.duplicateFinish), feed: "reviews",
      session: Screens.id("0000001"),
      at: Screens.at("2026-11-21T06:01:02"), evidence: "", isLikely: false),
  ]

  static func bytes(_ format: ExportFormat) throws -> [UInt8] {
    var exporter = try #require(format.exporter())
    var bytes: [UInt8] = []
    exporter.begin(into: &bytes)
    for load in loads { exporter.add(load, into: &bytes) }
    for unmatched in unmatched { exporter.add(unmatched, into: &bytes) }
    exporter.end(into: &bytes)
    return bytes
  }
}
