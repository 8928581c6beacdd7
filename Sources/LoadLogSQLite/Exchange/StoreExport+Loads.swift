import GRDB
public import LoadLogCore

/// A row of the record, for formats that have loads but no owners.
public enum ExportedRow: Sendable {
  /// A load. If its owner is dead, it has the inferred state, which may not be stored yet.
  case load(LoadingSession)
  /// A finish or pop without an open start.
  case unmatched(Imbalance)
}

extension StoreExport {
  /// Returns the next loads in the order of their commits, then unmatched finishes; nil at the end. Blocks
  /// the thread.
  ///
  /// - Throws: what reading the store throws.
  public func nextRows() throws(LoadLogError) -> [ExportedRow]? {
    while true {
      switch stage {
      case .feeds, .expectations: next(.sessions)
      case .sessions:
        guard let loads = try page({ try self.loads($0) }) else { next(.unmatched); continue }
        if !loads.isEmpty { return loads }
      case .unmatched:
        guard let finishes = try page({ try self.unmatched($0) }) else { next(.end); continue }
        if !finishes.isEmpty { return finishes }
      case .sealedDays, .flips, .end: return nil
      }
    }
  }

  private func loads(_ query: RecordQuery) throws -> [ExportedRow]? {
    guard let page = try nextPage(in: query.database) else { return nil }
    let rows = try RawStatement(
      query.database,
      """
      SELECT \(StoredSession.columns), \(SessionTexts.columns) FROM session \(SessionTexts.joins)
      WHERE session.seq BETWEEN ? AND ? \(condition(feed: "session.feed", at: "session.started_at"))
      ORDER BY session.seq
      """, page.lowerBound, page.upperBound)
    return try rows.map { .load(try query.session(StoredSession($0), SessionTexts($0))) }
  }

  private func unmatched(_ query: RecordQuery) throws -> [ExportedRow]? {
    guard let page = try nextPage(in: query.database) else { return nil }
    return try query.unmatchedFinishes(filter, rows: page).map { .unmatched($0) }
  }
}
