public import LoadLogCore

/// `prune`: what was dropped, or would be.
public struct PruneReport: Sendable {
  /// How many loads of each feed.
  public let loads: [Feed: Int]
  /// Only what finished before this goes; wall time in microseconds.
  public let cutoff: Int64
  /// Nothing was done yet.
  public let isForecast: Bool
  /// When it was asked, and of which store.
  public let head: JSONHead

  /// Makes a report of its parts.
  public init(loads: [Feed: Int], cutoff: Int64, isForecast: Bool, head: JSONHead) {
    self.loads = loads
    self.cutoff = cutoff
    self.isForecast = isForecast
    self.head = head
  }

  private var feeds: [(feed: Feed, loads: Int)] {
    loads.sorted { $0.key < $1.key }.map { (feed: $0.key, loads: $0.value) }
  }

  /// Whatever goes.
  private static let stays = """
    Counts, dates and histograms stay; so do each feed's last load, success and failure,
    and all that is unbalanced.

    """

  private var total: Int { loads.values.reduce(0, +) }

  /// The report for people.
  public func text(_ page: PageStyle, zone: LocalZone) -> String {
    let until = LocalTime(zone: zone).full(cutoff)
    guard total > 0 else { return "Nothing to drop that ended before \(until).\n\(Self.stays)" }
    let width = feeds.map { Words.count($0.loads).count }.max() ?? 0
    let rows = feeds.map { row in
      let count = Words.count(row.loads)
      return "  " + String(repeating: " ", count: width - count.count) + count
        + "  \(VisibleText.line(row.feed.name))\n"
    }
    let verb = isForecast ? "would go" : total == 1 ? "is gone" : "are gone"
    return "\(Words.count(total, "load")) that ended before \(until) \(verb):\n"
      + rows.joined() + Self.stays
  }

  /// The report for programs.
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
