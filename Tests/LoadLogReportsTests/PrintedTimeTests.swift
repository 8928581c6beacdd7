import Foundation
import LoadLogReports
import LoadLogTestSupport
import LoadLogText
import Testing

/// Every time and duration that a screen prints is valid input.
@Suite struct PrintedTimeTests {
  private static let second: Int64 = 1_000_000
  /// Moments from a second to three years before the time of the screens, in microseconds.
  private static let moments: [Int64] = (0..<200).map { step in
    Screens.now - (Int64(1) << (step / 8)) * second - Int64(step % 8) * 7_919 * second
  }

  /// Reads a text, in the zone of the screens, at their time.
  private func read(_ text: String, zone: LocalZone = Screens.cet) throws -> Int64 {
    try TimeExpression(now: Screens.now, zone: zone).microseconds(text)
  }

  @Test func momentsAreReadBack() throws {
    let (time, now) = (LocalTime(zone: Screens.cet), Screens.now)
    for moment in Self.moments {
      let minute = moment - moment % (60 * Self.second)
      #expect(try read(time.full(moment)) == moment)
      #expect(try read(time.dayClock(moment, near: now)) == moment)
      #expect(try read(time.clock(moment, near: now)) == moment)
      #expect(try read(time.dayMinute(moment, near: now)) == minute)
      #expect(try read(time.minute(moment, near: now)) == minute)
      #expect(try read(time.day(moment) + ", " + time.abbreviation(moment)) == read(time.date(moment)))
      #expect(try time.isSameDay(read(time.day(moment)), moment))
      #expect(try read("\(moment / Self.second)") == moment)
      #expect(try read(UTCTime.text(moment)) == moment)
    }
  }

  @Test func agesAreReadBackToTheirPrecision() throws {
    for moment in Self.moments {
      let text = AgeText.text(of: moment, at: Screens.now)
      let read = try read(text)
      #expect(AgeText.text(of: read, at: Screens.now) == text)
      #expect(read >= moment)
    }
  }

  @Test func anAgeOfTheFutureIsNow() throws {
    #expect(try read(AgeText.text(of: Screens.now + 1, at: Screens.now)) == Screens.now)
  }

  @Test func durationsAreReadBack() throws {
    var nanoseconds: Int64 = 10_000
    while nanoseconds < 100_000_000_000_000_000 {
      for text in [
        DurationText.measured(nanoseconds), DurationText.elapsed(nanoseconds),
        DurationText.limit(nanoseconds),
      ] {
        let read = try DurationExpression.nanoseconds(text)
        #expect(
          [DurationText.measured(read), DurationText.elapsed(read), DurationText.limit(read)].contains(text))
      }
      let shown = DurationText.measured(nanoseconds)
      let read = try DurationExpression.nanoseconds(shown)
      for glyphs in [Glyphs.unicode, .ascii] {
        for text in [glyphs.about + shown, "\(glyphs.atLeast) \(shown)", "\(shown) \(glyphs.growing)"] {
          #expect(try DurationExpression.nanoseconds(text) == read, "\(text)")
          #expect(try self.read(text) == Screens.now - read / 1000, "\(text)")
        }
      }
      // What is at least as long as the screens say includes the load that they say it of.
      let least = DurationText.least(shownLike: read)
      #expect(least <= nanoseconds && DurationText.measured(least) == shown)
      #expect(DurationText.measured(least - 1) != shown)
      nanoseconds += nanoseconds / 13
    }
  }

  @Test func theShortestDurationIsReadBack() throws {
    let read = try DurationExpression.nanoseconds(DurationText.measured(Int64(9_999)))
    #expect(DurationText.least(shownLike: read) == 1)
  }

  /// Many zones have no other name.
  @Test func aZoneMayHaveANumberAsItsName() throws {
    let zone = LocalZone.fixed(hours: -3, "-03")
    #expect(try read(LocalTime(zone: zone).full(Screens.now), zone: zone) == Screens.now)
  }

  @Test(arguments: [
    ("14:05", 60 * second), ("14:05:30", second), ("14:05:30.5", 1), ("13 Oct 22:01", 60 * second),
  ])
  func aTimeIsAsLongAsItsLastPart(text: String, length: Int64) throws {
    let span = try TimeExpression(now: Screens.now, zone: Screens.cet).span(text)
    #expect(span.upperBound - span.lowerBound == length)
  }

  /// An hour that occurs twice, at the end of summer time.
  @Test func theNamedZoneDecidesWhichOfTwoTimesIsMeant() throws {
    let change: Int64 = 1_792_890_000
    let zone = LocalZone { seconds in
      .init(seconds: seconds < change ? 7200 : 3600, abbreviation: seconds < change ? "CEST" : "CET")
    }
    for seconds in [change - 1800, change + 1800] {
      let text = LocalTime(zone: zone).full(seconds * Self.second)
      #expect(try read(text, zone: zone) == seconds * Self.second, "\(text)")
    }
  }

  @Test func whatTheGoldenScreensShowIsInput() throws {
    let folder = Snapshot("show.txt").file.deletingLastPathComponent()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".txt")
    }
    let screens = try names.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
      .joined()
    let clock = #"\d\d:\d\d(:\d\d)?"#
    let times = screens.matches(
      of: try Regex(
        #"((Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?\d\d [A-Z][a-z][a-z]( 20\d\d)?(,? \#(clock))?(,? CET)?|\#(clock)"#)
    )
    let durations = screens.matches(
      of: try Regex(#"\b\d+(\.\d+)? (ms|s|m|h|d)( \d+ [smh])?( ago)?(?![a-z])"#))
    #expect(times.count > 50 && durations.count > 100)
    for match in times { _ = try read(String(screens[match.range])) }
    for match in durations { _ = try DurationExpression.nanoseconds(String(screens[match.range])) }
  }
}
