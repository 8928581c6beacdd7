import LoadLogCore

/// Feeds by the names that a file gives them, each checked once; the newest few thousand.
struct FeedPool: Sendable {
  private var feeds: [String: Feed] = [:]

  /// The feed of a name.
  ///
  /// - Throws: if the name is not allowed; the fault is the record's.
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
