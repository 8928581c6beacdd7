extension Expectation {
  /// The shortest and the longest interval, in nanoseconds: one second and ten years.
  package static let intervals: ClosedRange<Int64> = 1_000_000_000...315_576_000_000_000_000

  /// Checks that each value is possible.
  ///
  /// - Throws: `invalidInput` with the value that is not.
  @discardableResult
  package func validated() throws(LoadLogError) -> Expectation {
    if case .interval(let interval) = schedule { try Self.check(interval, "interval") }
    if let grace, grace < 0 || grace > Self.intervals.upperBound {
      throw LoadLogError(.invalidInput, what: "grace", why: "it is not between 0 and ten years")
    }
    if let maxRunning { try Self.check(maxRunning, "maximum running time") }
    if let maxFailures, !(1...1_000_000).contains(maxFailures) {
      throw LoadLogError(
        .invalidInput, what: "number of failures", value: "\(maxFailures)",
        why: "it is not between 1 and 1,000,000")
    }
    _ = try TextLimit.checked(note, field: "note", limit: TextLimit.message)
    return self
  }

  private static func check(_ duration: Int64, _ what: String) throws(LoadLogError) {
    guard duration < intervals.lowerBound || duration > intervals.upperBound else { return }
    throw LoadLogError(
      .invalidInput, what: what,
      why: duration < intervals.lowerBound ? "it is shorter than one second" : "it is longer than ten years")
  }
}

extension FeedPattern {
  /// Checks that the pattern can name a feed.
  ///
  /// - Throws: `invalidInput`.
  package func validated() throws(LoadLogError) { try Feed(text).validated() }
}
