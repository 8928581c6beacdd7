import LoadLogCore

/// How long ago a moment was.
struct Age {
  /// In microseconds; negative for a moment in the future.
  let microseconds: Int64

  /// The age at `now` of a moment, both in wall microseconds.
  init(of moment: Int64, at now: Int64) { microseconds = now.subtractingClamping(moment) }

  /// Whether it is more than so many nanoseconds.
  func exceeds(_ nanoseconds: Int64) -> Bool { microseconds.multipliedClamping(by: 1000) > nanoseconds }
}
