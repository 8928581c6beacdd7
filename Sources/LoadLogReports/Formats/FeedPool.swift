import LoadLogCore
import LoadLogJSON

/// Cache of the feeds in a file, so that each name is validated once; it is emptied at 4,096 names.
struct FeedPool: Sendable {
  private var feeds: [String: Feed] = [:]

  /// Returns the feed with a name.
  ///
  /// - Throws: a fault at the position of the record if the name is not allowed.
  mutating func feed(_ name: String, of record: JSONRecord) throws(ImportFault) -> Feed {
    if let feed = feeds[name] { return feed }
    let feed = Feed(name)
    do {
      try feed.validated()
    } catch {
      throw record.fault("\(error.what) \(VisibleText.quoted(name)): \(error.why)")
    }
    if feeds.count >= 4096 { feeds.removeAll(keepingCapacity: true) }
    feeds[name] = feed
    return feed
  }
}
