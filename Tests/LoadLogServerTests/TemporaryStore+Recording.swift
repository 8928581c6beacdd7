import LoadLog
import LoadLogTestSupport

extension TemporaryStore {
  /// Records one load of a feed.
  func record(_ feed: Feed) throws {
    let loads = try LoadingController(storeAt: url)
    loads.push(feed)
    loads.pop(feed)
    try loads.close()
  }
}
