/// Delays and fade durations of an indicator. Each is zero by default, because users take an unexplained delay
/// for a fault.
public struct VisibilityTiming: Sendable, Hashable {
  /// Delay before the indicator appears. It does not appear if nothing is loading by then.
  public var graceTime: Duration
  /// Minimum time for which the indicator stays visible, counted from when it became visible.
  public var minimumShowTime: Duration
  /// Time for which the indicator stays visible after the last stop, so that it does not flicker between
  /// consecutive loads.
  public var completionDelay: Duration
  /// Duration of the fade-in.
  public var fadeInTime: Duration
  /// Duration of the fade-out.
  public var fadeOutTime: Duration

  /// Creates a timing.
  public init(
    graceTime: Duration = .zero, minimumShowTime: Duration = .zero, completionDelay: Duration = .zero,
    fadeInTime: Duration = .zero, fadeOutTime: Duration = .zero
  ) {
    self.graceTime = graceTime
    self.minimumShowTime = minimumShowTime
    self.completionDelay = completionDelay
    self.fadeInTime = fadeInTime
    self.fadeOutTime = fadeOutTime
  }

  /// No delays and no fades.
  public static let immediate = Self()
  /// A timing for loads that are usually short: a grace time of 1 s and a completion delay of 0.17 s.
  public static let smoothed = Self(graceTime: .seconds(1), completionDelay: .milliseconds(170))
  /// The default timing of a ``Veil``: fades of 0.25 s.
  public static let veil = Self(fadeInTime: .milliseconds(250), fadeOutTime: .milliseconds(250))
}
