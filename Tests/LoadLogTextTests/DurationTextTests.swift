import LoadLogText
import Testing

@Suite struct DurationTextTests {
  @Test(
    arguments: [
      (0, "0 s"), (-5, "0 s"), (999_999, "<1 ms"), (1_000_000, "1 ms"), (45_400_000, "45 ms"),
      (99_600_000, "0.1 s"), (400_000_000, "0.4 s"), (1_249_999_999, "1.2 s"), (1_250_000_000, "1.3 s"),
      (30_000_000_000, "30.0 s"), (59_949_999_999, "59.9 s"), (59_950_000_000, "1 m 00 s"),
      (248_000_000_000, "4 m 08 s"), (3_599_600_000_000, "1 h 0 m"), (11_524_000_000_000, "3 h 12 m"),
      (86_399_000_000_000, "1 d 0 h"), (111_600_000_000_000, "1 d 7 h"), (Int64.max, "106752 d 0 h"),
    ] as [(Int64, String)])
  func measuredDurationsAreRounded(nanoseconds: Int64, text: String) {
    #expect(DurationText.measured(nanoseconds) == text)
  }

  @Test(
    arguments: [
      (2_999_999_999, "2 s"), (3_599_999_999_999, "59 m 59 s"), (11_579_999_999_999, "3 h 12 m"), (-1, "0 s"),
    ] as [(Int64, String)])
  func elapsedTimeIsRoundedDown(nanoseconds: Int64, text: String) {
    #expect(DurationText.elapsed(nanoseconds) == text)
  }
}
