/// `{"event":"feed","feed":…,"last_updated":…,…}`: what a store keeps of a feed beyond its loads, because the loads that
/// it came from may have been pruned, or because the date was adopted.
public struct FeedLine: Sendable, Hashable {
  /// The feed.
  public var feed: Feed
  /// Its dates.
  public var dates = FeedDates()
  /// The last update was taken over from elsewhere. Key: `adopted`.
  public var isAdopted = false
  /// How many pops a reset made superfluous, without their times: only in files that were written before the first
  /// release. Newer files have a line for each.
  public var popsAfterReset: Int64 = 0

  /// Makes a line for a feed of which nothing is known.
  public init(feed: Feed) { self.feed = feed }
}
