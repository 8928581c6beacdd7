public import LoadLogCore

/// Writer of flips as CSV (RFC 4180): a header, then one line per flip.
///
/// The columns have the names of the view `flip`. Times, durations, unknown values and texts are written as in the CSV of
/// loads.
public enum FlipTable {
  private static let columns = [
    "feed", "at", "from", "to", "since", "reason", "call_site", "down", "missed",
  ]

  /// Appends the header.
  public static func begin(into bytes: inout [UInt8]) { CSVLine.append(columns, to: &bytes) }

  /// Appends a flip.
  public static func add(_ flip: FeedFlip, into bytes: inout [UInt8]) {
    CSVLine.append(
      [
        CSVLine.text(flip.feed.name), UTCTime.text(flip.at), flip.from.rawValue, flip.to.rawValue,
        UTCTime.text(flip.since), CSVLine.text(flip.reason), CSVLine.text(flip.callSite),
        CSVLine.seconds(flip.down), flip.missed.map(String.init) ?? "",
      ], to: &bytes)
  }
}
