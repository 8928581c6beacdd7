import LoadLogCore

/// Age of a moment.
struct Age {
  /// Age in microseconds; negative for a moment in the future.
  let microseconds: Int64

  /// Creates the age at `now` of a moment; both are wall times in microseconds.
  init(of moment: Int64, at now: Int64) { microseconds = now.subtractingClamping(moment) }

  /// Whether the age is greater than a duration in nanoseconds.
  func exceeds(_ nanoseconds: Int64) -> Bool { microseconds.multipliedClamping(by: 1000) > nanoseconds }
}
