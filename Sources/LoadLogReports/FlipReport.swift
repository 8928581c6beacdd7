public import LoadLogCore
import LoadLogText

/// Report of `loadlog history --flips`: how feeds changed between fine and problems, and how long they were down.
public struct FlipReport: Sendable {
  /// The outages of a feed in a calendar month.
  struct Month: Sendable, Hashable {
    let feed: Feed
    /// The first day of the month, as a wall time in microseconds.
    let start: Int64
    var outages = 0
    /// Nanoseconds.
    var down: Int64 = 0
    /// Whether the last outage goes on.
    var isOpen = false
  }

  private let flips: [FeedFlip]
  private let limit: Int?
  private let head: JSONHead
  private let zone: LocalZone

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - flips: all flips of the feeds, in their order, because an outage may begin before the window of the head. The
  ///     flips in the window are listed, and the outages of the months that it touches.
  ///   - limit: the maximum number of flips to list, the newest ones; nil for all.
  ///   - head: the generation time, store and window of the report.
  ///   - zone: the zone in which months begin.
  public init(_ flips: [FeedFlip], limit: Int? = nil, head: JSONHead, zone: LocalZone = .current) {
    self.flips = flips
    self.limit = limit
    self.head = head
    self.zone = zone
  }

  /// Returns the report as text in the given style.
  public func text(_ page: PageStyle) -> String {
    let total = inWindow.count
    guard total > 0 else {
      let hint = page.hints("Record them with", [page.command("notify --on-change COMMAND")])
      return (["no flips"] + outages(page) + (page.hasHints && flips.isEmpty ? hint : []))
        .map { $0 + "\n" }.joined()
    }
    var table = Table([
      Table.Column(title: "NOTICED"), Table.Column(title: "FEED", shrinksTo: 8, cut: .middle),
      Table.Column(title: "FROM", sacrifice: 2), Table.Column(title: "TO"),
      Table.Column(title: "SINCE", sacrifice: 3),
      Table.Column(title: "WHY", shrinksTo: 24, stretches: true, sacrifice: 1),
    ])
    for flip in listed {
      table.add([
        Table.Cell(page.time.minute(flip.at, near: head.generated)),
        Table.Cell(VisibleText.line(flip.feed.name)),
        Table.Cell(flip.from.rawValue, .quiet),
        Table.Cell(flip.to.rawValue, flip.to.isOutage ? .bad : .quiet),
        Table.Cell(page.time.minute(flip.since, near: head.generated)),
        Table.Cell(VisibleText.line(flip.why)),
      ])
    }
    let count = "\(Words.count(listed.count)) of \(Words.count(total, "flip")), newest first."
    let foot = listed.count < total ? ["", count] : []
    return (table.lines(page) + foot + outages(page)).map { $0 + "\n" }.joined()
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    head.objectWithWindow.appending([
      "total": .count(inWindow.count), "flips": .array(listed.map(\.json)),
      "outages": .array(
        months.map { month in
          [
            "feed": .string(month.feed.name), "month": .string(name(ofMonth: month.start)),
            "outages": .count(month.outages), "down": .seconds(month.down), "open": .bool(month.isOpen),
          ]
        }),
      "incomplete": .array(
        incomplete.map { ["feed": .string($0.key.name), "before": .string(name(ofMonth: $0.value))] }),
    ])
  }

  /// The month, the number of outages, and how long they lasted together: "2026-11", "2", "3 h 10 m".
  func cells(_ month: Month, _ page: PageStyle) -> [String] {
    [
      name(ofMonth: month.start), Words.count(month.outages),
      DurationText.measured(month.down) + (month.isOpen ? " \(page.glyphs.growing)" : ""),
    ]
  }

  private var listed: [FeedFlip] { Array(inWindow.suffix(limit ?? flips.count).reversed()) }

  private var inWindow: [FeedFlip] {
    flips.filter { $0.at >= head.since ?? .min && $0.at < head.until ?? .max }
  }

  private func outages(_ page: PageStyle) -> [String] {
    let months = months
    let missing = missing.map { [""] + page.folded($0) } ?? []
    guard !months.isEmpty else { return missing }
    var table = Table([
      Table.Column(title: "MONTH"), Table.Column(title: "FEED", shrinksTo: 8, cut: .middle),
      Table.Column(title: "OUTAGES", alignment: .right), Table.Column(title: "DOWN", alignment: .right),
    ])
    for month in months {
      let cells = cells(month, page).map { Table.Cell($0) }
      table.add([cells[0], Table.Cell(VisibleText.line(month.feed.name))] + cells[1...])
    }
    return [""] + table.lines(page) + missing
  }

  /// The outages of the months that the window touches, newest month first, then by feed. An outage counts in each month
  /// that it touches; a month counts as a whole. A month of which flips of the feed were deleted is left out. No
  /// moment counts twice: a problem that returns after a change of its expectation keeps its old beginning.
  var months: [Month] {
    var months: [[String]: Month] = [:]
    var began: [Feed: Int64] = [:]
    var ended: [Feed: Int64] = [:]
    let known = known
    func add(_ feed: Feed, from start: Int64, to end: Int64, isOpen: Bool) {
      // A damaged store may hold any time, and an outage of more nanoseconds than 64 bits hold.
      var start = max(start, 0)
      let end = min(end, start.addingClamping(.max / 1000))
      while true {
        let (begin, next) = month(of: start)
        let border = max(start.addingClamping(1), next)
        if begin < head.until ?? .max, border > head.since ?? .min, begin >= known[feed] ?? .min {
          let key = [name(ofMonth: begin), feed.name]
          var month = months[key] ?? Month(feed: feed, start: begin)
          month.outages += 1
          month.down = month.down.addingClamping(
            min(end, border).subtractingClamping(start).multipliedClamping(by: 1000))
          month.isOpen = month.isOpen || isOpen && end <= border
          months[key] = month
        }
        guard border < end else { return }
        start = border
      }
    }
    for flip in flips {
      if flip.to.isOutage {
        guard began[flip.feed] == nil else { continue }
        began[flip.feed] = max(flip.since, ended[flip.feed] ?? .min)
      } else {
        ended[flip.feed] = flip.since
        guard let start = began.removeValue(forKey: flip.feed) else { continue }
        let end = max(start, flip.down.map { start.addingClamping($0 / 1000) } ?? flip.at)
        add(flip.feed, from: start, to: end, isOpen: false)
      }
    }
    for (feed, start) in began { add(feed, from: start, to: max(start, head.generated), isOpen: true) }
    return months.values.sorted { $0.start == $1.start ? $0.feed < $1.feed : $0.start > $1.start }
  }

  /// Says that outages may be missing in months that the window touches; nil if none can be.
  var missing: String? {
    let incomplete = incomplete
    guard let border = incomplete.map(\.value).max() else { return nil }
    let feeds = Words.first(of: incomplete.map { VisibleText.line($0.key.name) })
    return "Outages before \(name(ofMonth: border)) may be missing: changes of \(feeds) were deleted."
  }

  /// The feeds with months that the window touches and of which flips were deleted, and the first month that is known as a
  /// whole.
  private var incomplete: [(key: Feed, value: Int64)] {
    known.filter { $0.value > head.since ?? .min }.sorted { $0.key < $1.key }
  }

  /// The start of the first month of which all flips are known, of each feed of which earlier ones were deleted: a feed is
  /// fine before its first flip, so others came before one from another state.
  private var known: [Feed: Int64] {
    let first = Dictionary(flips.lazy.map { ($0.feed, $0) }) { first, _ in first }
    return first.compactMapValues { $0.from == .fine ? nil : month(of: $0.at).next }
  }

  /// The start of the month of a time, and that of the next one, as wall times in microseconds.
  private func month(of time: Int64) -> (start: Int64, next: Int64) {
    var first = zone.civil(at: max(time, 0) / 1_000_000)
    (first.day, first.hour, first.minute, first.second) = (1, 0, 0, 0)
    var next = first
    (next.year, next.month) = first.month == 12 ? (first.year + 1, 1) : (first.year, first.month + 1)
    return (
      zone.seconds(of: first).multipliedClamping(by: 1_000_000),
      zone.seconds(of: next).multipliedClamping(by: 1_000_000)
    )
  }

  /// The name of the month that begins at a time: "2026-11".
  private func name(ofMonth start: Int64) -> String {
    let civil = zone.civil(at: start / 1_000_000)
    return "\(civil.year)-\(TwoDigits.text(civil.month))"
  }
}

extension FeedFlip {
  /// How long the outage was that the flip ends, and the reason without the state, which has its own column.
  fileprivate var why: String {
    let state = "\(to.rawValue): "
    let reason = reason.map { $0.hasPrefix(state) ? String($0.dropFirst(state.count)) : $0 }
    return [outage.map { "down for \($0)" }, reason].compactMap(\.self).joined(separator: "; ")
  }
}
