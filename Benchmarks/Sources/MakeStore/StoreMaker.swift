import Foundation
import LoadLog

/// Writes loads in the order in which their starts and finishes happen.
struct StoreMaker {
  private static let feeds = (0..<100).map { Feed("feeds/\($0)") }
  private static let files = (0..<20).map { "App/Screen\($0).swift" }
  /// Microseconds.
  private static let year: Int64 = 365 * UTCDay.length
  /// 1 November 2025, midnight in UTC; microseconds.
  private static let beginning: Int64 = 1_761_955_200_000_000
  private static let batch = 4000

  private let store: SQLiteLoadStore
  private let sessions: Int
  private var random = RepeatableRandom(state: 42)
  private var events: [NumberedEvent] = []
  private var number: Int64 = 0
  /// Loads that run, by the time at which they will finish.
  private var open = FinishQueue()

  init(path: String, sessions: Int) throws {
    self.sessions = sessions
    let owner = Owner(
      kind: .library, process: SystemProcessTable().current, host: "bench", app: "make-store")
    let opened = LoadInstant(wall: Self.beginning, boot: 0)
    store = try SQLiteLoadStore(
      at: URL(fileURLWithPath: path), owner: StoreOwner(owner, opened: opened), durability: .process)
  }

  mutating func run() throws {
    events.reserveCapacity(Self.batch)
    for index in 0..<sessions {
      let wall = Self.beginning + Int64(Double(Self.year) * Double(index) / Double(sessions))
      while let next = open.popFirst(before: wall) { try add(next.kind, at: next.wall) }
      try start(at: wall)
    }
    while let next = open.popFirst(before: .max) { try add(next.kind, at: next.wall) }
    try add(.close, at: Self.beginning + Self.year)
    try commit()
    store.maintain(closing: true)
    store.close(finally: true)
  }

  private mutating func start(at wall: Int64) throws {
    // Busy feeds and quiet ones: the first is loaded some forty times as often as the last.
    let share = random.fraction()
    let index = Int(Double(Self.feeds.count) * share * share)
    let feed = Self.feeds[index]
    let site = CallSite("\(Self.files[index % Self.files.count]):\(10 + index)")
    let id = SessionID(milliseconds: wall / 1000)
    try add(.start(id, feed, message: "Loading…", tag: nil), at: wall, site)
    let fate = random.fraction()
    // Log-normal around a median of the feed's own.
    let seconds = 0.2 * Double(1 + index % 10) * exp(0.8 * random.normal())
    let end = wall + Int64(seconds * 1_000_000)
    switch fate {
    case ..<0.002: open.add(.abandon(id, .dropped), at: end)
    case ..<0.03: open.add(.finish(id, .failed("HTTP \(500 + index % 4)")), at: end)
    case ..<0.1: open.add(.finish(id, .unchanged), at: end)
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

/// What will happen, soonest first: a binary heap.
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

/// Random numbers that are the same each time: SplitMix64.
struct RepeatableRandom {
  var state: UInt64

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// From 0 up to 1, itself not included.
  mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

  /// Normally distributed: Box and Muller.
  mutating func normal() -> Double {
    (-2 * log(1 - fraction())).squareRoot() * cos(2 * .pi * fraction())
  }
}
