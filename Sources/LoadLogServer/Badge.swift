import Foundation
import LoadLog
import LoadLogCore
import LoadLogReports

/// A small picture of a feed's state, for other pages.
enum Badge {
  /// The badge of a feed.
  ///
  /// - Throws: `notFound` if the record does not know the feed; what reading the store throws.
  static func answer(_ name: String, _ reader: any LoadReading) throws(LoadLogError) -> ServerResponse {
    let pattern = FeedPattern(exactly: try Feed(name).validated())
    try reader.expectFeeds([pattern])
    let summary = try reader.status(LoadFilter(feeds: [pattern]), runningLimit: nil)
    var answer = ServerResponse(
      200, "image/svg+xml; charset=utf-8", Array(StatusBadge(summary, feed: name).svg.utf8))
    answer.fields["cross-origin-resource-policy"] = "cross-origin"
    return answer
  }
}
