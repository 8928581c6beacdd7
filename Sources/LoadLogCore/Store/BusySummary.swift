/// The answer to `busy`: busy time and peak depth of feeds over a window.
public struct BusySummary: Sendable, Hashable {
  /// The busy time of each feed that was busy in the window.
  public var feeds: [Feed: BusyTime]
  /// The busy time of the whole store; nil if the filter selects feeds.
  public var store: BusyTime?

  /// Whether busy time and peak depth are known; if not, the numbers of a status stay without them.
  public var isKnown = true

  /// The answer of a store that does not know when loads were open.
  public static let unknown: BusySummary = {
    var summary = BusySummary()
    summary.isKnown = false
    return summary
  }()

  /// Creates a summary from its parts.
  public init(feeds: [Feed: BusyTime] = [:], store: BusyTime? = nil) {
    self.feeds = feeds
    self.store = store
  }
}

extension StatusSummary {
  /// Adds busy time and peak depth, which `status` leaves out.
  public mutating func add(_ busy: BusySummary) {
    guard busy.isKnown else { return }
    for index in feeds.indices { feeds[index].numbers.add(busy.feeds[feeds[index].feed] ?? BusyTime()) }
    if let store = busy.store { totals.add(store) }
  }
}

extension LoadNumbers {
  /// Adds busy time and peak depth.
  package mutating func add(_ time: BusyTime) {
    busy = time.busy
    peakDepth = time.peakDepth
    isApproximate = isApproximate || time.isApproximate
  }
}
