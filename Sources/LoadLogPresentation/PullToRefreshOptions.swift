/// The constants of pulling to refresh. Lengths are points.
public struct PullToRefreshOptions: Sendable, Hashable {
  /// So far a pull must go.
  public var threshold: Double
  /// A pull of exactly the threshold is far enough.
  public var isThresholdInclusive: Bool
  /// So much the list keeps free above its top while it loads.
  public var inset: Double
  /// How long the arrow takes to turn.
  public var flipTime: Duration
  /// How long the list takes to make room.
  public var insetInTime: Duration
  /// How long the list takes to close again.
  public var insetOutTime: Duration

  /// Makes options of their parts.
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

/// What pulling to refresh says; give your own words to translate it.
public struct PullToRefreshTexts: Sendable, Hashable {
  /// While the pull is not far enough.
  public var pulling: String
  /// While a release would load.
  public var armed: String
  /// While it loads.
  public var loading: String

  /// Makes texts of their parts.
  public init(
    pulling: String = "Pull down to refresh…", armed: String = "Release to refresh…",
    loading: String = "Loading…"
  ) {
    self.pulling = pulling
    self.armed = armed
    self.loading = loading
  }
}
