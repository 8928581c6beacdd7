/// When an indicator appears and disappears. All times are zero unless they are set: a delay that nobody knows of
/// reads as a fault.
public struct VisibilityTiming: Sendable, Hashable {
  /// Shown only if still loading after so long.
  public var graceTime: Duration
  /// Once shown, it stays at least so long, counted from when it became visible.
  public var minimumShowTime: Duration
  /// It stays so long after the last stop, so that back-to-back loads do not flicker.
  public var completionDelay: Duration
  /// How long it takes to fade in.
  public var fadeInTime: Duration
  /// How long it takes to fade out.
  public var fadeOutTime: Duration

  /// Makes a timing of its parts.
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
  /// For what is mostly quick: 1 s of grace, and 0.17 s of staying on.
  public static let smoothed = Self(graceTime: .seconds(1), completionDelay: .milliseconds(170))
  /// A veil's: fades of 0.25 s each way.
  public static let veil = Self(fadeInTime: .milliseconds(250), fadeOutTime: .milliseconds(250))
}
