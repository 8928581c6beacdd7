/// `{"event":"sealed_day","feed":…,"day":…,…}`: what loads have left behind on a day whose rows were pruned.
///
/// The day's numbers are those of its rows and of this line together; busy time, depth and the first start are those of
/// the whole day.
public struct SealedDayLine: Sendable, Hashable {
  /// The feed; nil for the store as a whole, of which only busy time and depth are told.
  public var feed: Feed?
  /// The day, in UTC. Key: `day`, as `YYYY-MM-DD`.
  public var day: UTCDay
  /// How many loads that started then still have rows.
  public var rows: Int64 = 0
  /// When the first load of the day started, wall time in microseconds.
  public var firstStart: Int64?
  /// How many loads that started then have none any more.
  public var loads: Int64 = 0
  /// Of these, by verdict; keys: the words. A verdict that nobody has is left out.
  public var verdicts: [SessionState: Int64] = [:]
  /// How long at least one load was open, in nanoseconds. Key: `busy_ns`.
  public var busy: Int64 = 0
  /// The most loads open at one instant.
  public var peakDepth: Int64 = 0
  /// The durations of the succeeded and unchanged ones. Keys: `succeeded_count`, `succeeded_sum_ns`,
  /// `succeeded_min_ns`, `succeeded_max_ns`, `succeeded_zeros`, `succeeded_buckets`; the shortest and the longest are
  /// those of the whole day.
  public var succeededDurations = SealedDurations()
  /// The durations of all others that finished. The same keys, with `other_` in front.
  public var otherDurations = SealedDurations()

  /// Makes a line of zeros.
  public init(feed: Feed?, day: UTCDay) {
    self.feed = feed
    self.day = day
  }
}

/// Durations as a sealed day keeps them: OpenTelemetry's exponential histogram at scale 5, and what is exact.
public struct SealedDurations: Sendable, Hashable {
  /// A bucket of the histogram and how many durations are in it.
  public struct Bucket: Sendable, Hashable {
    /// Its index; see ``DurationHistogram``.
    public var index: Int64
    /// How many.
    public var count: Int64

    /// Makes a bucket.
    public init(index: Int64, count: Int64) {
      self.index = index
      self.count = count
    }
  }

  /// How many there are.
  public var count: Int64 = 0
  /// Their sum, in nanoseconds.
  public var sum: Int64 = 0
  /// The shortest and the longest, in nanoseconds; nil if there is none.
  public var min: Int64?, max: Int64?
  /// How many are 0.
  public var zeroCount: Int64 = 0
  /// The buckets that hold any, by index.
  public var buckets: [Bucket] = []

  /// No durations.
  public init() {}
}
