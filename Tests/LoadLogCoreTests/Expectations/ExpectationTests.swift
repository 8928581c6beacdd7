import LoadLogCore
import Testing

@Suite struct ExpectationTests {
  @Test func timesMayBeGivenAsDurations() {
    #expect(
      Expectation(
        .every(.seconds(3600)), grace: .seconds(60), maxRunning: .milliseconds(5), maxFailures: 2,
        anywhere: true, note: "ask Ann")
        == Expectation(
          .every(3_600_000_000_000), grace: 60_000_000_000, maxRunning: 5_000_000, maxFailures: 2,
          anywhere: true, note: "ask Ann"))
    #expect(Expectation(.every(.seconds(60))) == Expectation(.every(60_000_000_000)))
  }
}
