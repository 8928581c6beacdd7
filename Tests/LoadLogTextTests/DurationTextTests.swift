import LoadLogText
import Testing

@Suite struct DurationTextTests {
  @Test(
    arguments: [
      (0, "0 s"), (-5, "0 s"), (1, "<0.01 ms"), (9_999, "<0.01 ms"), (10_000, "0.010 ms"),
      (52_400, "0.052 ms"), (99_499, "0.099 ms"), (99_500, "0.10 ms"), (420_000, "0.42 ms"),
      (999_999, "1.00 ms"), (1_900_000, "1.90 ms"), (9_994_999, "9.99 ms"), (9_995_000, "10.0 ms"),
      (12_340_000, "12.3 ms"), (99_950_000, "100 ms"), (104_000_000, "104 ms"), (999_499_999, "999 ms"),
      (999_500_000, "1.00 s"), (1_904_999_999, "1.90 s"), (1_905_000_000, "1.91 s"),
      (2_050_000_000, "2.05 s"), (9_995_000_000, "10.0 s"), (30_000_000_000, "30.0 s"),
      (59_949_999_999, "59.9 s"), (59_950_000_000, "1 m 00 s"), (248_000_000_000, "4 m 08 s"),
      (3_599_499_999_999, "59 m 59 s"), (3_599_600_000_000, "1 h 0 m"), (4_020_000_000_000, "1 h 7 m"),
      (11_524_000_000_000, "3 h 12 m"), (86_399_000_000_000, "1 d 0 h"), (111_600_000_000_000, "1 d 7 h"),
      (Int64.max, "106752 d 0 h"),
    ] as [(Int64, String)])
  func measuredDurationsAreRounded(nanoseconds: Int64, text: String) {
    #expect(DurationText.measured(nanoseconds) == text)
  }

  @Test func durationsBelowAMinuteHaveTwoOrThreeDigitsThatCount() {
    var nanoseconds: Int64 = 10_000
    while nanoseconds < 59_950_000_000 {
      let text = DurationText.measured(nanoseconds)
      let digits = text.filter(\.isNumber).drop { $0 == "0" }
      #expect((2...3).contains(digits.count), "\(nanoseconds) ns: \(text)")
      nanoseconds += nanoseconds / 37
    }
  }

  @Test(
    arguments: [
      (2_999_999_999, "2 s"), (3_599_999_999_999, "59 m 59 s"), (11_579_999_999_999, "3 h 12 m"), (-1, "0 s"),
    ] as [(Int64, String)])
  func elapsedTimeIsRoundedDown(nanoseconds: Int64, text: String) {
    #expect(DurationText.elapsed(nanoseconds) == text)
  }

  @Test(
    arguments: [
      (1_500, "1.50 s"), (30_000, "30 s"), (90_000, "90 s"), (300_000, "5 m"), (600_000, "10 m"),
      (86_400_000, "1 d"), (90_000_000, "25 h"), (604_800_000, "7 d"), (363_600_000, "4 d 5 h"), (0, "0 s"),
      (34_560_000_000, "400 d"), (26_400, "26.4 s"),
      (91_800_000, "1 d 1 h 30 m"), (6_030_000, "1 h 40 m 30 s"), (61_500, "1 m 01.5 s"),
      (125_000, "2 m 05 s"), (86_401_000, "1 d 01 s"), (59_960, "59.96 s"), (1_234, "1.234 s"),
      (3_600_050, "1 h 00.05 s"),
    ] as [(Int64, String)])
  func limitsAreExactAndHaveOneUnitWhereThatIsShort(milliseconds: Int64, text: String) {
    #expect(DurationText.limit(milliseconds * 1_000_000) == text)
  }

  @Test func learnedLimitsAreRounded() {
    #expect(
      [3_600_000, 1_800_000, 308_123].map { DurationText.learned($0 * 1_000_000) } == [
        "1 h", "30 m", "5 m 08 s",
      ])
  }
}
