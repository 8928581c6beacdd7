/// The ndjson line `{"event":"feed","feed":…,"last_updated":…,…}`: what a store knows of a feed apart from
/// its loads. The loads behind the dates may have been pruned, and a date may have been adopted.
public struct FeedLine: Sendable, Hashable {
  /// The feed.
  public var feed: Feed
  /// The dates of the feed.
  public var dates = FeedDates()
  /// Whether the last update is an adopted date. Key: `adopted`.
  public var isAdopted = false
  /// The number of pops after resets, without their times: only in files from before the first release. Newer
  /// files have a line for each pop.
  public var popsAfterReset: Int64 = 0

  /// Creates a line without dates.
  package init(feed: Feed) { self.feed = feed }
}
