import LoadLogCore

/// The page's short table of the feeds that are not shown in full, grouped by status.
///
/// A store may have ten thousand of them: a row has only what a reader needs to find a feed and to see whether it
/// needs attention.
struct OthersSection {
  /// All rows of the page's feeds, in the order of `status`.
  let rows: [FeedRow]
  let contents: ReportContents
  let page: PageStyle

  /// The section's contents; nil if all feeds are shown in full.
  var model: PageModel.Others? {
    let full = Set(contents.full.map(\.status.feed))
    let rows = rows.filter { !full.contains($0.status.feed) }
    guard !rows.isEmpty else { return nil }
    let table = StatusTable(rows: rows, summary: contents.summary)
    return PageModel.Others(
      heading: "The other \(Words.count(rows.count, "feed"))", heads: Self.columns.dropFirst().map(\.title),
      groups: rows.grouped { $0.word }.map { rows in
        PageModel.Others.Group(
          badge: rows[rows.startIndex].badge(rows.count, page.glyphs),
          rows: rows.map { row in
            let texts = table.cells(row, page).map(\.text)
            let shown = Self.columns.map { texts[$0.rawValue] }
            // Thousands of zeros in the last column would only hide the others.
            return shown.last == "0" ? shown.dropLast() : shown
          })
      })
  }

  private static let columns: [FeedsSection.Column] = [.feed, .updated, .loads, .failed]
}

extension [FeedRow] {
  /// Divides the rows where a text about them changes.
  func grouped(_ text: (FeedRow) -> String) -> [ArraySlice<FeedRow>] {
    var groups: [ArraySlice<FeedRow>] = []
    for index in indices {
      if let last = groups.last, text(last[last.startIndex]) == text(self[index]) {
        groups[groups.count - 1] = self[last.startIndex...index]
      } else {
        groups.append(self[index...index])
      }
    }
    return groups
  }
}
