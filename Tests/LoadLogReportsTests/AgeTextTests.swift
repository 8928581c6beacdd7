@testable import LoadLogReports
import Testing

@Suite struct AgeTextTests {
  @Test(
    arguments: [
      (0, "0 s ago"), (59, "59 s ago"), (60, "1 m ago"), (3599, "59 m ago"), (36_000, "10 h ago"),
      (111_600, "1 d 7 h ago"), (864_000, "10 d ago"), (-1, "0 s ago !"),
    ] as [(Int64, String)])
  func agesAreRoundedDown(seconds: Int64, text: String) {
    #expect(AgeText.text(of: Screens.now - seconds * 1_000_000, at: Screens.now) == text)
  }

  @Test func extremeDatesDoNotTrap() {
    #expect(AgeText.text(of: .min, at: .max).hasSuffix(" d ago"))
    #expect(AgeText.text(of: .max, at: .min) == "0 s ago !")
  }
}
