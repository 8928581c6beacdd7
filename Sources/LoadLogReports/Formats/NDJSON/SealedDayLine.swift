public import LoadLogCore

/// `{"event":"sealed_day","feed":…,"day":…,…}`: numbers that cannot be counted again, because rows were pruned.
public struct SealedDayLine: Sendable, Hashable {
  /// The feed; nil for the store as a whole.
  public var feed: Feed?
  /// The UTC day, `YYYY-MM-DD`; nil for all time.
  public var day: String?
  /// Loads that started then.
  public var loads: Int64 = 0
  /// Of these, by verdict; keys: the words. A verdict that nobody has is left out.
  public var verdicts: [SessionState: Int64] = [:]
  /// Unmatched finishes of then, by kind; keys: the words.
  public var unmatched: [UnmatchedKind: Int64] = [:]
  /// Pops that a reset had made superfluous.
  public var popsAfterReset: Int64 = 0
  /// How long at least one load was open, in nanoseconds. Key: `busy_ns`.
  public var busy: Int64 = 0
  /// The most loads open at one instant.
  public var peakDepth: Int64 = 0
  /// Busy and peak are approximate.
  public var isApproximate = false
  /// The durations of all that finished. Keys: `count`, `sum_ns`, `min_ns`, `max_ns`, `zeros`, `buckets`.
  public var durations = SealedDurations()
  /// The durations of the succeeded and unchanged ones. The same keys, with `succeeded_` in front.
  public var succeededDurations = SealedDurations()

  /// Makes a line of zeros.
  public init(feed: Feed?, day: String?) {
    self.feed = feed
    self.day = day
  }
}

/// Durations as a sealed day keeps them: OpenTelemetry's exponential histogram at scale 5, and what is exact.
public struct SealedDurations: Sendable, Hashable {
  /// A bucket of the histogram and how many durations are in it.
  public struct Bucket: Sendable, Hashable {
    /// Its index; see ``LoadLogCore/DurationHistogram``.
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
