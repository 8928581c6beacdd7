public import LoadLogCore

/// What `notify` passes to its command: flips, each with the status of its feed.
public struct AlarmReport: Sendable {
  private let flips: [FeedFlip]
  private let summary: StatusSummary
  private let store: String

  /// Creates a report of flips.
  ///
  /// - Parameters:
  ///   - flips: the flips, at most one for each feed.
  ///   - summary: the status of their feeds.
  ///   - store: the store's path.
  public init(_ flips: [FeedFlip], summary: StatusSummary, store: String) {
    self.flips = flips
    self.summary = summary
    self.store = store
  }

  /// The greatest number of feeds that the line names, and the greatest length of the text in bytes: a system limits the
  /// length of an environment variable.
  private static let named = 20, longest = 1 << 15

  /// The report on one line: "backup/db: late: due 02:10, 1 h of grace; never succeeded", "images: fine again after
  /// 12 m 00 s", or "3 feeds: backup/db late, images fine again, sync failing".
  public var line: String {
    guard let first = flips.first, flips.count == 1 else {
      var words = flips.prefix(Self.named).map { "\(VisibleText.line($0.feed.name)) \($0.word)" }
        .joined(separator: ", ")
      if flips.count > Self.named { words += " and \(Words.count(flips.count - Self.named)) more" }
      return "\(Words.count(flips.count, "feed")): \(words)"
    }
    return first.sentence
  }

  /// The report as text with a line for each flip, such as "backup/db: late: due 02:10, 1 h of grace; never succeeded".
  public var text: String {
    var (lines, length) = ([String](), 0)
    for flip in flips {
      let line = flip.sentence
      length += line.utf8.count + 1
      guard length <= Self.longest else {
        lines.append("and \(Words.count(flips.count - lines.count)) more")
        break
      }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    let statuses = Dictionary(summary.feeds.map { ($0.feed, $0) }) { first, _ in first }
    return JSONHead(generated: summary.generated, store: store).object.appending([
      "flips": .array(
        flips.map { $0.json.appending(["status": statuses[$0.feed]?.json ?? .null]) })
    ])
  }

  /// Finds the state of each feed in a summary, and why.
  ///
  /// - Parameters:
  ///   - summary: the status of all feeds.
  ///   - gap: the last time in which nothing was checked; the reason of what became late in it says so.
  ///   - lastCheck: the check of the feeds before this one; nil if it is unknown.
  ///   - zone: the zone of times in the reasons.
  package static func found(
    in summary: StatusSummary, gap: CheckGap?, lastCheck: EarlierCheck? = nil, zone: LocalZone
  ) -> [FoundState] {
    let time = LocalTime(zone: zone)
    return summary.feeds.map { status in
      let problem = status.isPaused ? nil : status.problems.first
      let reason = problem.map { StatusCheck.finding($0, status, summary, time).reason }
      var found = FoundState(status, in: summary, reason: reason, lastCheck: lastCheck)
      if problem == .late, let gap, gap.contains(found.since), let reason {
        let times = [gap.from, gap.until].map { time.minute($0, near: summary.generated) }
        found.reason = "\(reason); nothing was checked from \(times[0]) to \(times[1])"
      }
      return found
    }
  }
}

extension FeedFlip {
  /// The flip on a line of its own.
  fileprivate var sentence: String { "\(VisibleText.line(feed.name)): \(words)" }

  /// "late: due 02:10, …", "fine again after 2 h 10 m, 1 due time missed", "no longer late after 2 h 10 m; 1
  /// unbalanced, …", or "no longer checked; it was down for 2 h 10 m".
  fileprivate var words: String {
    let after = outage.map { " after \($0)" } ?? ""
    if to == .fine { return word + (reason == nil ? after : outage.map { "; it was down for \($0)" } ?? "") }
    // An alarm in an app knows only the reason of a load.
    let reason = VisibleText.line(reason ?? word)
    guard to == .unbalanced else { return reason.hasPrefix(word) ? reason : "\(word): \(reason)" }
    return from.isOutage ? "no longer \(from.rawValue)\(after); \(reason)" : reason
  }

  /// How long the outage was that the flip ends: "2 h 10 m, 1 due time missed"; nil if it ends none.
  var outage: String? {
    down.map { down in
      let missed = missed.map { $0 > 0 ? ", \(Words.count($0, "due time")) missed" : "" } ?? ""
      return "\(DurationText.measured(down))\(missed)"
    }
  }

  /// "late", "fine", "fine again" or, if a reason says why nothing is known to be wrong, "no longer checked".
  fileprivate var word: String {
    guard to == .fine else { return to.rawValue }
    return reason.map(VisibleText.line) ?? (from != .fine && from != .paused ? "fine again" : to.rawValue)
  }

  /// The flip as JSON.
  package var json: JSONValue {
    [
      "feed": .string(feed.name), "at": .moment(at), "from": .string(from.rawValue),
      "to": .string(to.rawValue),
      "since": .moment(since), "reason": .text(reason), "call_site": .text(callSite), "down": .seconds(down),
      "missed": .count(missed),
    ]
  }
}
