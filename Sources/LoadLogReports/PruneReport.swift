public import LoadLogCore

/// Report of `loadlog prune`: the loads that were deleted, or would be.
public struct PruneReport: Sendable {
  private let loads: [Feed: Int]
  private let cutoff: Int64
  private let isForecast: Bool
  private let kept: StoreRetention?
  private let head: JSONHead

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - loads: the number of deleted loads of each feed.
  ///   - cutoff: loads that finished at this time or later are kept; wall time in microseconds.
  ///   - isForecast: whether it was a dry run, so nothing was deleted.
  ///   - kept: how long the store keeps loads from now on; nil if that has not changed.
  ///   - head: the members that every JSON answer begins with.
  public init(
    loads: [Feed: Int], cutoff: Int64, isForecast: Bool, kept: StoreRetention? = nil, head: JSONHead
  ) {
    self.loads = loads
    self.cutoff = cutoff
    self.isForecast = isForecast
    self.kept = kept
    self.head = head
  }

  private var feeds: [(feed: Feed, loads: Int)] {
    loads.sorted { $0.key < $1.key }.map { (feed: $0.key, loads: $0.value) }
  }

  private static let rest = """
    Counts, dates and histograms are kept, and so are each feed's last load, success and failure,
    and everything that is unbalanced.

    """

  private var total: Int { loads.values.reduce(0, +) }

  /// Returns the report as text in the given style.
  public func text(_ page: PageStyle) -> String {
    let until = page.time.full(cutoff)
    switch kept {
    case .all?:
      return isForecast
        ? "The store would keep all loads until you prune them.\n"
        : "From now on the store keeps all loads until you prune them.\n"
    case .microseconds?, nil: return deleted(until) + (setting ?? "")
    }
  }

  private var setting: String? {
    kept.map {
      "\(isForecast ? "The store would delete" : "From now on the store deletes") loads older than \($0), "
        + "unless an app sets a limit of its own.\n"
    }
  }

  private func deleted(_ until: String) -> String {
    guard total > 0 else { return "No loads to delete that ended before \(until).\n\(Self.rest)" }
    let width = feeds.map { Words.count($0.loads).count }.max() ?? 0
    let rows = feeds.map { row in
      let count = DisplayWidth.padded(Words.count(row.loads), to: width, alignment: .right)
      return "  \(count)  \(VisibleText.line(row.feed.name))\n"
    }
    let verb = isForecast ? "would be deleted" : total == 1 ? "was deleted" : "were deleted"
    return "\(Words.count(total, "load")) that ended before \(until) \(verb):\n"
      + rows.joined() + Self.rest
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    let rows = feeds.map { row -> JSONValue in
      ["feed": .string(row.feed.name), "loads": .integer(Int64(row.loads))]
    }
    return head.object.appending([
      "before": kept == .all ? .null : .moment(cutoff), "dry_run": .bool(isForecast),
      "keep": kept.map { $0.age.map { .seconds($0.multipliedClamping(by: 1000)) } ?? "all" } ?? .null,
      "loads": .integer(Int64(total)),
      "feeds": .array(rows),
    ])
  }
}
