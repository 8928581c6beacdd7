import Foundation
import Testing

/// Only a success changes the date.
@Suite struct LastUpdatedTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func neverUntilASuccess() throws {
    for verdict in ["--failed", "--cancelled"] {
      try place.loadlog("finish", place.begin("f"), verdict)
      #expect(try place.loadlog("last-updated", "f") == Finished(code: 0, output: "never\n", errors: ""))
    }
    try place.loadlog("push", "f")
    try place.loadlog("pop", "f")
    for form in ["utc", "relative", "local", "unix"] {
      #expect(try place.loadlog("last-updated", "f", "--as", form).output == "never\n")
    }
    #expect(try place.ask("last-updated", "f")["last_updated"].isNull)
  }

  @Test(arguments: [
    "run f -- false", "run f -- no-such-command", "push f; loadlog pop f", "pop f", "push f; loadlog reset f",
    "push f; loadlog pop f --failed", "start f", "run f -- sh -c 'kill -INT $$'",
    "start f --owner-pid 999999999",
    "finish $(loadlog start f) --exit 3", "doctor --repair",
  ])
  func otherVerdictsLeaveTheDate(line: String) throws {
    #expect(try place.loadlog("run", "f", "--", "true").code == 0)
    let before = try place.loadlog("last-updated", "f").output
    #expect(Instant.isUTC(before.trimmingCharacters(in: .newlines)), "\(before)")
    _ = try place.shell("loadlog \(line)")
    #expect(try place.loadlog("last-updated", "f").output == before)
  }

  @Test(arguments: [
    "run f -- true", "push f; loadlog pop f --succeeded", "finish $(loadlog start f) --unchanged",
  ])
  func aSuccessMovesIt(line: String) throws {
    try place.loadlog("run", "f", "--", "true")
    let before = try place.loadlog("last-updated", "f").output
    try Wait.until("the next millisecond") {
      try place.shell("loadlog \(line)").code == 0 && place.loadlog("last-updated", "f").output > before
    }
  }

  @Test(.enabled("needs a C compiler and a preloading linker") { MovedClocks.canBe })
  func theLastSuccessCountsEvenIfTheClockWasSetBack() throws {
    let clocks = try MovedClocks(place)
    var dates: [Date] = []
    for days in [0, 2, -3] {
      try clocks.move(wall: days * 86_400)
      #expect(try place.loadlog("run", "f", "--", "true").code == 0)
      let text = try place.loadlog("last-updated", "f").output.trimmingCharacters(in: .newlines)
      dates.append(try #require(Instant.date(text), "\(text)"))
    }
    let steps = zip(dates.dropFirst(), dates).map { ($0.timeIntervalSince($1) / 86_400).rounded() }
    #expect(steps == [2, -5])
    // With the clock set back the date is in the future: the age must not be negative.
    try clocks.move(wall: -9 * 86_400)
    let relative = try place.loadlog("last-updated", "f", "--as", "relative").output
    #expect(!relative.contains("-"), "\(relative)")
  }
}

/// Times in the form of the JSON output: RFC 3339, UTC, milliseconds.
enum Instant {
  static func isUTC(_ text: String) -> Bool {
    text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil && date(text) != nil
  }

  static func date(_ text: String) -> Date? {
    try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
