import LoadLogCore

/// Wording of numbers that several reports share.
package enum Words {
  /// Number with thousands separators: "24,110".
  static func count(_ count: Int) -> String {
    let digits = String(count.magnitude).utf8
    var text: [UInt8] = count < 0 ? [0x2D] : []
    for (left, digit) in zip((0..<digits.count).reversed(), digits) {
      text.append(digit)
      if left > 0, left % 3 == 0 { text.append(0x2C) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Number with its noun: "1 load", "24,110 loads".
  package static func count(_ count: Int, _ noun: String, plural: String? = nil) -> String {
    "\(Self.count(count)) \(count == 1 ? noun : plural ?? noun + "s")"
  }

  /// Enumeration: "a", "a and b", "a, b and c".
  static func list(_ parts: [String]) -> String {
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  /// The first names, and how many more there are: "a, b, c and 2 more".
  static func first(_ most: Int = 3, of names: [String]) -> String {
    let more = names.count - most
    return list(names.prefix(most) + (more > 0 ? ["\(count(more)) more"] : []))
  }

  /// "web-1 and web-2 do not ship every load as a row"; nil without hosts.
  static func withoutRows(_ hosts: [String]) -> String? {
    guard !hosts.isEmpty else { return nil }
    let names = first(of: hosts.map(VisibleText.line))
    return "\(names) \(hosts.count == 1 ? "does" : "do") not ship every load as a row"
  }

  /// "web-1 ships no messages"; nil without hosts.
  static func withoutMessages(_ hosts: [String]) -> String? {
    guard !hosts.isEmpty else { return nil }
    return "\(first(of: hosts.map(VisibleText.line))) \(hosts.count == 1 ? "ships" : "ship") no messages"
  }

  /// UTC days: "12 Oct", "12 and 13 Oct", "30 Sep and 12 Oct"; with the year if it is not that of `now`, a wall time.
  static func days(_ days: [UTCDay], near now: Int64) -> String {
    let time = LocalTime(zone: .fixed(hours: 0, "UTC"))
    let names = days.map { time.date($0.start, near: now) }
    guard names.count == 2, names[0].dropFirst(2) == names[1].dropFirst(2) else { return list(names) }
    return "\(names[0].prefix(2)) and \(names[1])"
  }

  /// UTC days that follow each other: "on 12 Oct", "on 12 and 13 Oct", "from 12 Oct to 30 Nov".
  static func days(from first: UTCDay, to last: UTCDay, near now: Int64) -> String {
    if first == last { return "on \(days([last], near: now))" }
    if first.next == last { return "on \(days([first, last], near: now))" }
    return "from \(days([first], near: now)) to \(days([last], near: now))"
  }

  /// Share as a percentage: "98.7 %". Never rounds to 0 % or 100 % what is not: "<0.1 %", "99.9 %".
  static func percent(_ share: Double) -> String {
    let tenths = min((share * 1000).rounded(), share < 1 ? 999 : 1000)
    if share > 0, tenths < 1 { return "<0.1 %" }
    return tenths >= 1000 ? "100 %" : "\(DrawnPath.number(tenths / 10)) %"
  }

  /// Range of durations in nanoseconds: "1.10 s to 1.40 s", or "always 1.20 s".
  static func range(from least: Double, to greatest: Double) -> String {
    let (low, high) = (DurationText.measured(least), DurationText.measured(greatest))
    return low == high ? "always \(low)" : "\(low) to \(high)"
  }

  /// Comparison for an overrunning load, from nanoseconds: "99 % take under 8.80 s", or "the limit is 1 h" if that was
  /// given.
  static func usual(maximum: Int64?, limit: Int64?) -> String? {
    if let maximum { return "99 % take under \(DurationText.measured(maximum))" }
    return limit.map { "the limit is \(DurationText.limit($0))" }
  }
}

extension LoadNumbers {
  /// Count as text, marked as approximate if it is that of whole days. 0 is exact also of a part of them.
  func shown(_ count: Int, _ glyphs: Glyphs) -> String {
    (countsWholeDays && count != 0 ? glyphs.about : "") + Words.count(count)
  }
}

extension DurationStatistics {
  /// Quantile as text, marked as approximate if it comes from a histogram. "<0.01 ms" is true of both kinds and
  /// stays unmarked.
  func shown(_ quantile: KeyPath<DurationStatistics, Double>, _ glyphs: Glyphs) -> String {
    let text = DurationText.measured(self[keyPath: quantile])
    return quantiles == .sketch && !text.hasPrefix("<") ? glyphs.about + text : text
  }
}

extension Imbalance.Kind {
  /// Kind in the rows of `unbalanced`: "extra pop", "abandoned".
  var shown: String {
    switch self {
    case .unfinishedStart(let state): state.rawValue
    case .unmatchedFinish(.orphanFinish): "orphan finish"
    case .unmatchedFinish(.duplicateFinish): "duplicate finish"
    case .unmatchedFinish(.extraPop): "extra pop"
    case .unmatchedFinish(.popAfterReset): "pop after reset"
    case .unmatchedFinish(.withdrawn): "withdrawn"
    }
  }

  /// Kind in headings and in `status`: "pushed, never popped".
  var summary: String {
    switch self {
    case .unfinishedStart: "pushed, never popped"
    case .unmatchedFinish(.duplicateFinish): "finished twice"
    case .unmatchedFinish(.orphanFinish): "finished, never started"
    case .unmatchedFinish(.extraPop): "popped, never pushed"
    case .unmatchedFinish(.popAfterReset): "popped after a reset"
    case .unmatchedFinish(.withdrawn): "finished before its start"
    }
  }
}

extension ShownState {
  /// Symbol in front of the state's name.
  func glyph(_ glyphs: Glyphs) -> String {
    switch self {
    case .running: glyphs.running
    case .unknown: "?"
    case .succeeded: glyphs.good
    case .unchanged, .ended: glyphs.same
    case .failed: glyphs.bad
    case .cancelled: glyphs.none
    case .crashed, .rebooted, .abandoned: glyphs.alarm
    }
  }

  /// Ink of the state's name.
  var ink: Ink {
    switch self {
    case .running: .active
    case .succeeded: .good
    case .failed: .bad
    case .crashed, .rebooted, .abandoned: .alarm
    case .unknown, .unchanged, .ended, .cancelled: .plain
    }
  }
}

extension PageStyle {
  /// Call site as text, followed by "(likely)" if it is not proven; "(call site unknown)" if there is none.
  func callSite(_ callSite: String?, isLikely: Bool = false) -> String {
    guard let callSite else { return "(call site unknown)" }
    return VisibleText.line(callSite) + (isLikely ? " (likely)" : "")
  }

  /// Name of the feed as text, or "(feed unknown)".
  func feed(_ feed: Feed?) -> String { feed.map { VisibleText.line($0.name) } ?? "(feed unknown)" }
}
