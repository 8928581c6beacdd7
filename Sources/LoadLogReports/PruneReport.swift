public import LoadLogCore

/// Report of `loadlog prune`: the loads that were deleted, or would be.
public struct PruneReport: Sendable {
  /// Number of deleted loads of each feed.
  public let loads: [Feed: Int]
  /// Loads that finished at this time or later are kept; wall time in microseconds.
  public let cutoff: Int64
  /// Whether this is a dry run: nothing was deleted.
  public let isForecast: Bool
  /// Generation time and store of the report.
  public let head: JSONHead

  /// Creates a report of the numbers of loads by feed.
  public init(loads: [Feed: Int], cutoff: Int64, isForecast: Bool, head: JSONHead) {
    self.loads = loads
    self.cutoff = cutoff
    self.isForecast = isForecast
    self.head = head
  }

  private var feeds: [(feed: Feed, loads: Int)] {
    loads.sorted { $0.key < $1.key }.map { (feed: $0.key, loads: $0.value) }
  }

  private static let kept = """
    Counts, dates and histograms are kept, and so are each feed's last load, success and failure,
    and everything that is unbalanced.

    """

  private var total: Int { loads.values.reduce(0, +) }

  /// Returns the report as text in the given style.
  public func text(_ page: PageStyle, zone: LocalZone) -> String {
    let until = LocalTime(zone: zone).full(cutoff)
    guard total > 0 else { return "No loads to delete that ended before \(until).\n\(Self.kept)" }
    let width = feeds.map { Words.count($0.loads).count }.max() ?? 0
    let rows = feeds.map { row in
      let count = Words.count(row.loads)
      return "  " + String(repeating: " ", count: width - count.count) + count
        + "  \(VisibleText.line(row.feed.name))\n"
    }
    let verb = isForecast ? "would be deleted" : total == 1 ? "was deleted" : "were deleted"
    return "\(Words.count(total, "load")) that ended before \(until) \(verb):\n"
      + rows.joined() + Self.kept
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    let rows = feeds.map { row -> JSONValue in
      ["feed": .string(row.feed.name), "loads": .integer(Int64(row.loads))]
    }
    return head.object.appending([
      "before": .moment(cutoff), "dry_run": .bool(isForecast), "loads": .integer(Int64(total)),
      "feeds": .array(rows),
    ])
  }
}
