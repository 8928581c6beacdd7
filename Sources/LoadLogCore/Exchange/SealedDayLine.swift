/// The ndjson line `{"event":"sealed_day","feed":…,"day":…,…}`: the numbers of loads that were pruned, by
/// day.
///
/// The numbers of a day are the sum of its remaining loads and of this line. The first start is that of the
/// whole day. Busy time and depth are those of all its loads, remaining or not, before ``busyUntil``.
public struct SealedDayLine: Sendable, Hashable {
  /// The feed; nil for the whole store, which has only busy time and depth.
  public var feed: Feed?
  /// The day, in UTC. Key: `day`, as `YYYY-MM-DD`.
  public var day: UTCDay
  /// The number of loads that started on this day and were not pruned.
  public var rows: Int64 = 0
  /// The first start of the day, in microseconds since 1970.
  public var firstStart: Int64?
  /// The number of loads that started on this day and were pruned.
  public var loads: Int64 = 0
  /// The number of pruned loads by verdict. The keys are the words of the verdicts; counts of 0 are omitted.
  public var verdicts: [SessionState: Int64] = [:]
  /// The time during which at least one load was open, in nanoseconds. Key: `busy_ns`.
  public var busy: Int64 = 0
  /// The maximum number of loads open at the same time.
  public var peakDepth: Int64 = 0
  /// The time before which ``busy`` and ``peakDepth`` are counted, in microseconds since 1970; nil for the end
  /// of the day.
  public var busyUntil: Int64?
  /// The durations of pruned loads that succeeded or were unchanged. Keys: `succeeded_count`,
  /// `succeeded_sum_ns`, `succeeded_min_ns`, `succeeded_max_ns`, `succeeded_zeros`, `succeeded_buckets`. The
  /// shortest and the longest duration are those of the whole day.
  public var succeededDurations = DurationTally()
  /// The durations of all other pruned loads that finished. The same keys with the prefix `other_`.
  public var otherDurations = DurationTally()

  /// Creates a line of zeros.
  package init(feed: Feed?, day: UTCDay) {
    self.feed = feed
    self.day = day
  }
}
