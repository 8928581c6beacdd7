import LoadLogCore

/// Numbers and words that several reports say alike.
enum Words {
  /// "24,110".
  static func count(_ count: Int) -> String {
    let digits = String(count.magnitude).utf8
    var text: [UInt8] = count < 0 ? [0x2D] : []
    for (left, digit) in zip((0..<digits.count).reversed(), digits) {
      text.append(digit)
      if left > 0, left % 3 == 0 { text.append(0x2C) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// "1 load", "24,110 loads".
  static func count(_ count: Int, _ noun: String) -> String {
    "\(Self.count(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// "1.1 s to 1.4 s", or "always 1.2 s"; in nanoseconds.
  static func range(_ least: Double, _ greatest: Double) -> String {
    let (low, high) = (DurationText.measured(least), DurationText.measured(greatest))
    return low == high ? "always \(low)" : "\(low) to \(high)"
  }

  /// "99 % take under 8.8 s", or which limit the load is over.
  static func usual(maximum: Int64?, limit: Int64?) -> String? {
    if let maximum { return "99 % take under \(DurationText.measured(maximum))" }
    return limit.map { "more than \(DurationText.limit($0))" }
  }
}

extension DurationStatistics {
  /// A quantile, with a sign in front if it comes from a histogram; "<1 ms" is no less true of one.
  func shown(_ quantile: KeyPath<DurationStatistics, Double>, _ glyphs: Glyphs) -> String {
    let text = DurationText.measured(self[keyPath: quantile])
    return quantiles == .sketch && !text.hasPrefix("<") ? glyphs.about + text : text
  }
}

extension Imbalance.Kind {
  /// "extra pop", "abandoned".
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

  /// "pushed, never popped", "popped, never pushed" and their likes.
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
  /// The sign in front of the state's word.
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

  /// The ink of the state's word.
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
  /// A call site, or that there is none, with "(likely)" where it is not proven.
  func callSite(_ callSite: String?, isLikely: Bool = false) -> String {
    guard let callSite else { return "(call site unknown)" }
    return VisibleText.line(callSite) + (isLikely ? " (likely)" : "")
  }

  /// A feed's name, or that it is unknown.
  func feed(_ feed: Feed?) -> String { feed.map { VisibleText.line($0.name) } ?? "(feed unknown)" }
}
