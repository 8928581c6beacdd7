/// The ndjson line `{"event":"feed","feed":…,"last_updated":…,…}`: what a store knows of a feed apart from
/// its loads. The loads behind the dates may have been pruned, and a date may have been adopted.
public struct FeedLine: Sendable, Hashable {
  /// The feed.
  public var feed: Feed
  /// The dates of the feed.
  public var dates = FeedDates()
  /// Whether the last update is an adopted date. Key: `adopted`.
  public var isAdopted = false
  /// The number of failed loads in a row that were pruned. Key: `pruned_failures`.
  public var prunedFailures: Int64 = 0
  /// The number of pops after resets, without their times: only in files from before the first release. Newer
  /// files have a line for each pop.
  public var popsAfterReset: Int64 = 0
  /// The number of commands that did not run because a load was running. Key: `overlaps`.
  public var overlaps: Int64 = 0

  /// Creates a line without dates.
  package init(feed: Feed) { self.feed = feed }

  /// Whether the line only names the feed.
  package var isEmpty: Bool { self == FeedLine(feed: feed) }
}
