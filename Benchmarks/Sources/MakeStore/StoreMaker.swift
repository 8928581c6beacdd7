import Foundation
import LoadLog

/// Writes starts and finishes in the order in which they happened.
struct StoreMaker {
  private static let files = (0..<20).map { "App/Screen\($0).swift" }
  /// Microseconds.
  private static let year: Int64 = 365 * UTCDay.length
  /// 1 November 2025, midnight in UTC; microseconds.
  private static let beginning: Int64 = 1_761_955_200_000_000
  private static let batch = 4000

  private let store: any LoadStore
  private let loads: Int
  private let feeds: [Feed]
  private let hasFailures: Bool
  private var random = RepeatableRandom(state: 42)
  private var events: [NumberedEvent] = []
  private var number: Int64 = 0
  /// Running loads, ordered by the time of their finish.
  private var open = FinishQueue()

  init(path: String, loads: Int, feeds: Int, hasFailures: Bool) throws {
    self.loads = loads
    self.feeds = (0..<feeds).map { Feed("feeds/\($0)") }
    self.hasFailures = hasFailures
    let owner = Owner(
      kind: .library, process: SystemProcessTable().current, host: "bench", app: "make-store")
    let opened = LoadInstant(wall: Self.beginning, boot: 0)
    let provider = LoadStoreProvider.sqlite(at: URL(fileURLWithPath: path), durability: .process)
    store = try provider.opener(owner, opened)()
  }

  mutating func run() throws {
    events.reserveCapacity(Self.batch)
    for number in 0..<loads {
      let wall = Self.beginning + Int64(Double(Self.year) * Double(number) / Double(loads))
      while let next = open.popFirst(before: wall) { try add(next.kind, at: next.wall) }
      try start(number, at: wall)
    }
    while let next = open.popFirst(before: .max) { try add(next.kind, at: next.wall) }
    try add(.close, at: Self.beginning + Self.year)
    try commit()
    store.maintain(closing: true)
    store.close(finally: true)
  }

  private mutating func start(_ number: Int, at wall: Int64) throws {
    // Busy and quiet feeds: of 100 feeds, the first is loaded about twenty times as often as the last. The first loads
    // take the feeds in turn, so that every feed has one.
    let share = random.fraction()
    let index = number < feeds.count ? number : Int(Double(feeds.count) * share * share)
    let feed = feeds[index]
    let site = CallSite("\(Self.files[index % Self.files.count]):\(10 + index)")
    let id = SessionID(milliseconds: wall / 1000)
    try add(.start(id, feed, message: "Loading…", tag: nil), at: wall, site)
    let fate = random.fraction()
    // Log-normal; the median differs from feed to feed.
    let seconds = 0.2 * Double(1 + index % 10) * exp(0.8 * random.normal())
    let end = wall + Int64(seconds * 1_000_000)
    switch fate {
    case ..<0.002: open.add(.abandon(id, .dropped), at: end)
    case ..<0.03 where hasFailures: open.add(.finish(id, .failed("HTTP \(500 + index % 4)")), at: end)
    case 0.03..<0.1: open.add(.finish(id, .unchanged), at: end)
    default: open.add(.finish(id, .succeeded), at: end)
    }
    if fate > 0.9995 { try add(.pop(feed, .ended), at: wall, site) }
  }

  private mutating func add(_ kind: LoadEvent.Kind, at wall: Int64, _ site: CallSite? = nil) throws {
    number += 1
    let at = LoadInstant(wall: wall, boot: (wall - Self.beginning) * 1000)
    events.append(NumberedEvent(number: number, event: LoadEvent(kind, at: at, callSite: site)))
    if events.count == Self.batch { try commit() }
  }

  private mutating func commit() throws {
    guard !events.isEmpty else { return }
    while try !store.begin(waiting: true) {}
    _ = try store.commit(events, dropped: 0)
    events.removeAll(keepingCapacity: true)
    if store.maintenance != .none { store.maintain(closing: false) }
  }
}

/// Coming finishes, soonest first: a binary heap.
struct FinishQueue {
  struct Item {
    let wall: Int64
    let kind: LoadEvent.Kind
  }

  private var items: [Item] = []

  mutating func add(_ kind: LoadEvent.Kind, at wall: Int64) {
    items.append(Item(wall: wall, kind: kind))
    var child = items.count - 1
    while child > 0, items[child].wall < items[(child - 1) / 2].wall {
      items.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func popFirst(before wall: Int64) -> Item? {
    guard let first = items.first, first.wall < wall else { return nil }
    items.swapAt(0, items.count - 1)
    items.removeLast()
    var parent = 0
    while true {
      let children = (2 * parent + 1..<2 * parent + 3).filter { $0 < items.count }
      guard let least = children.min(by: { items[$0].wall < items[$1].wall }),
        items[least].wall < items[parent].wall
      else { return first }
      items.swapAt(least, parent)
      parent = least
    }
  }
}

/// Random numbers that are the same in every run: SplitMix64.
struct RepeatableRandom {
  var state: UInt64

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// At least 0 and below 1.
  mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

  /// Normally distributed, by the Box–Muller transform.
  mutating func normal() -> Double {
    (-2 * log(1 - fraction())).squareRoot() * cos(2 * .pi * fraction())
  }
}
