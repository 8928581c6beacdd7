public import LoadLogCore

extension SQLiteLoadReader {
  /// The flips of the feeds that match a filter, noticed in its window, in their order; the rest of the filter is ignored.
  ///
  /// - Throws: `busy` if the answer takes longer than the deadline; `damaged`, `io`, or what opening the
  ///   store throws.
  public func flips(_ filter: LoadFilter) throws(LoadLogError) -> [FeedFlip] {
    try read { try FlipRows($0.database).all(filter) }
  }
}
