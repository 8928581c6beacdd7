/// The distances and durations of a ``PullToRefresh``. Distances are points.
public struct PullToRefreshOptions: Sendable, Hashable {
  /// Distance of a pull that arms the list.
  public var threshold: Double
  /// Whether a pull of exactly ``threshold`` arms the list.
  public var isThresholdInclusive: Bool
  /// Height of the free space above the list during a load.
  public var inset: Double
  /// Duration of the arrow's rotation.
  public var flipTime: Duration
  /// Duration of the animation that opens the space above the list.
  public var insetInTime: Duration
  /// Duration of the animation that closes the space above the list.
  public var insetOutTime: Duration

  /// Creates options.
  public init(
    threshold: Double = 65, isThresholdInclusive: Bool = true, inset: Double = 60,
    flipTime: Duration = .milliseconds(180), insetInTime: Duration = .milliseconds(200),
    insetOutTime: Duration = .milliseconds(300)
  ) {
    self.threshold = threshold
    self.isThresholdInclusive = isThresholdInclusive
    self.inset = inset
    self.flipTime = flipTime
    self.insetInTime = insetInTime
    self.insetOutTime = insetOutTime
  }
}

/// The status texts of a ``PullToRefresh``. Pass your own to translate them.
public struct PullToRefreshTexts: Sendable, Hashable {
  /// Shown while a release would not start a load.
  public var pulling: String
  /// Shown while a release would start a load.
  public var armed: String
  /// Shown during a load.
  public var loading: String

  /// Creates texts.
  public init(
    pulling: String = "Pull down to refresh…", armed: String = "Release to refresh…",
    loading: String = "Loading…"
  ) {
    self.pulling = pulling
    self.armed = armed
    self.loading = loading
  }
}
