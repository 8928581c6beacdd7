import Foundation
import Testing

/// Texts that more than one screen of the built program shows.
@Suite struct ScreenTextTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func theReasonOfAnAbandonedLoadHasTheDurationThatHistoryShows() throws {
    try place.loadlog("push", "f")
    try place.loadlog("reset", "f")
    let history = try place.loadlog("history").output
    let took = try #require(history.firstMatch(of: /≥ (\S+ \S+)/), "\(history)").1
    #expect(try place.loadlog("unbalanced").output.contains("count reset after \(took) "))
    #expect(try place.loadlog("show", lastID()).output.contains("open at least \(took)\n"))
  }

  @Test func aCrashWithoutAnySignOfLifeHasNoDuration() throws {
    try place.loadlog("start", "f", "--owner-pid", "999999999")
    let history = try place.loadlog("history").output
    #expect(history.contains(/f +–  ! crashed/), "\(history)")
    #expect(try place.loadlog("show", lastID()).output.contains("open for an unknown time\n"))
  }

  /// The id of the newest load.
  private func lastID() throws -> String {
    try #require(place.ask("history", "--limit", "1")["loads"][0]["id"].text)
  }
}
