public import LoadLogCore

/// Report of `loadlog show`: one load, and the loads of its feed around it.
public struct LoadReport: Sendable {
  private let context: LoadContext
  private let output: KeptOutput?
  private let head: JSONHead

  private var load: LoadingSession { context.load }

  /// Creates a report of a load and its context, and of the end of what the command wrote, if it was kept.
  public init(_ context: LoadContext, output: KeptOutput? = nil, head: JSONHead) {
    self.context = context
    self.output = output
    self.head = head
  }

  /// Returns the report as text in the given style.
  public func text(_ page: PageStyle) -> String {
    let rows: [(label: String, text: String?)] = [
      ("pushed at", callSite(page)),
      ("or at", candidates),
      ("message", load.message.map(VisibleText.line)),
      ("tag", load.tag.map(VisibleText.line)),
      ("why", why),
      ("attempt", attempt),
      ("used", load.run?.used),
      ("seen", load.acknowledgement.map { acknowledged($0, in: page) }),
      ("shown", shown),
      ("clock", load.clockJump.map(clockJump)),
      ("host", load.fleetHost.map(VisibleText.line)),
      ("owner", owner(page)),
      ("meanwhile", meanwhile(page)),
      ("then", then(page)),
      ("rows", Words.withoutRows(context.hostsWithoutRows)),
      (
        "expected",
        context.feed.flatMap { ExpectationText.line($0, at: head.generated, page.time) }
      ),
      ("id", load.id.description),
    ]
    let lines = rows.flatMap { row in
      let label = DisplayWidth.padded(row.label, to: 10)
      let indent = page.isNarrow ? 4 : 14
      var lines = row.text.map { page.folded($0, after: "  \(label)  ", indent: indent) } ?? []
      if let first = lines.first {
        lines[0] = "  \(page.inked(row.label, .quiet))" + first.dropFirst(2 + row.label.count)
      }
      return lines
    }
    return (page.folded(title(page), indent: 2) + lines + output(page)).map { $0 + "\n" }.joined()
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    head.object.appending([
      "load": load.json.appending([
        "evidence": .text(load.evidence), "open_at_least": .seconds(load.openAtLeast),
        "acknowledged": load.acknowledgement?.json ?? .null,
        "visible_time": .seconds(load.visibleTime),
        "suppressed_shows": load.suppressedShows.map { .count($0) } ?? .null, "output": output?.json ?? .null,
      ]),
      "candidates": .array(context.candidates.map { .string($0) }),
      "usual": context.usual.map { .seconds($0) } ?? .null,
      "meanwhile": .array(context.meanwhile.map(\.json)),
      "meanwhile_count": .count(context.meanwhileCount),
      "before": context.before?.json ?? .null,
      "next_success": context.nextSuccess?.json ?? .null,
      "has_loads_without_rows": .bool(context.hasLoadsWithoutRows),
      "expectation": context.feed?.expectationJSON ?? .null,
    ]).appending(.hosts("without_rows", context.hostsWithoutRows))
  }

  /// Nil for a named load without a call site: commands have none.
  private func callSite(_ page: PageStyle) -> String? {
    guard load.isAnonymous || load.callSite != nil else { return nil }
    return page.callSite(load.callSite, isLikely: load.isAnonymous && load.state.isUnfinishedStart)
  }

  private func title(_ page: PageStyle) -> String {
    page.joined([
      VisibleText.line(load.feed.name),
      load.shownState.rawValue + (load.isFinishedAfterVerdict ? ", after verdict" : ""),
      "started \(page.time.full(load.started.wall))", took,
    ])
  }

  private var candidates: String? {
    guard !context.candidates.isEmpty else { return nil }
    return context.candidates.map(VisibleText.line).joined(separator: ", ")
      + ": also pushed meanwhile; a pop may have closed the wrong push"
  }

  /// How long the load took, and how long the feed's loads usually take.
  private var took: String {
    let median = context.before == nil ? nil : context.usual
    let usual = median.map { ", usually \(DurationText.measured($0))" } ?? ""
    if let duration = load.duration {
      return "took \(DurationText.measured(duration))\(load.durationSource?.remark ?? "")\(usual)"
    }
    if load.shownState == .running {
      return "running for \(DurationText.elapsed(load.openAtLeast))\(usual)"
    }
    guard load.openAtLeast > 0 else {
      return load.state.isFinished ? "took an unknown time" : "open for an unknown time"
    }
    return "open at least \(DurationText.measured(load.openAtLeast))\(usual)"
  }

  private var why: String? {
    guard let why = load.evidence ?? load.reason else { return nil }
    let isOpen = load.state.isUnfinishedStart
    return VisibleText.line(why) + (isOpen ? "; no finish was recorded after that" : "")
  }

  private func acknowledged(_ acknowledgement: Acknowledgement, in page: PageStyle) -> String {
    let note = acknowledgement.note.map { ": \(VisibleText.line($0))" } ?? ""
    let when = page.time.clock(acknowledgement.at, near: load.started.wall)
    return "acknowledged by \(VisibleText.line(acknowledgement.by)), \(when)\(note)"
  }

  private var attempt: String? {
    guard let run = load.run, run.attempt > 1 || run.isRetried else { return nil }
    return "\(run.attempt)" + (run.isRetried ? ", to be retried" : "")
  }

  /// Number of lines of the kept output that the report shows, and of bytes in them.
  private static let outputLines = 5, outputBytes = 2000

  /// The last lines of the command's output, below a line that states how much there is.
  private func output(_ page: PageStyle) -> [String] {
    guard let output else { return [] }
    let tail = output.tail(lines: Self.outputLines, limit: Self.outputBytes).shownLines
    let more = page.command("output \(load.id.tail)")
    let head =
      output.total == 0 ? "nothing" : "\(ByteText.text(output.total)); \(more) prints \(output.extent)"
    return page.folded(head, after: "  \(page.inked("output", .quiet))      ", indent: page.isNarrow ? 4 : 14)
      + tail.map { page.fitted((page.isNarrow ? "    " : "              ") + $0) }
  }

  /// How long an indicator was visible: "1.20 s of 1.40 s", "never; 1 show suppressed by the grace time".
  private var shown: String? {
    guard let visible = load.visibleTime, let suppressed = load.suppressedShows else { return nil }
    let open = load.duration ?? load.openAtLeast
    let seen = "\(DurationText.measured(visible)) of \(DurationText.measured(open))"
    let unseen = "\(Words.count(suppressed, "show")) suppressed by the grace time"
    switch (visible, suppressed) {
    case (_, 0): return seen
    case (0, _): return "never; \(unseen)"
    default: return "\(seen); \(unseen)"
    }
  }

  private func clockJump(_ microseconds: Int64) -> String {
    let jump = Int64(clamping: microseconds.magnitude).multipliedClamping(by: 1000)
    return
      "set \(microseconds < 0 ? "back" : "forward") by \(DurationText.measured(jump)) while the load was open"
  }

  private func owner(_ page: PageStyle) -> String {
    let record = load.owner
    let start = load.started.wall
    var parts = [VisibleText.line(record.owner.shownName)]
    if record.owner.kind == .library {
      parts.append("opened \(page.time.clock(record.opened.wall, near: start))")
      if let closed = record.closed { parts.append("closed cleanly \(page.time.clock(closed, near: start))") }
    }
    if record.dropped > 0 { parts.append("\(Words.count(record.dropped, "event")) dropped") }
    return parts.joined(separator: ", ")
  }

  private func meanwhile(_ page: PageStyle) -> String {
    let feed = VisibleText.line(load.feed.name)
    let others =
      context.meanwhileCount == 0
      ? "no other load of \(feed)\(withRow) was open"
      : Words.count(context.meanwhileCount, "other load")
        + " of \(feed)\(withRow) \(context.meanwhileCount == 1 ? "was" : "were") open: "
        + context.meanwhile.map(\.id.tail).joined(separator: ", ")
        + (context.meanwhileCount > context.meanwhile.count ? ", " + page.glyphs.ellipsis : "")
    guard let before = context.before else { return "\(others); it was the first\(withRow)" }
    let last = context.hasLoadsWithoutRows ? "the last one before it\(withRow)" : "the one before it"
    return "\(others); \(last) \(fate(of: before, page))"
  }

  /// Which of the other loads are known; nothing if all are.
  private var withRow: String {
    guard context.hasLoadsWithoutRows else { return "" }
    return context.hostsWithoutRows.isEmpty ? " that is kept" : " with a row"
  }

  /// Outcome of another load of the feed: "failed at 14:05:06", "was abandoned", "is still running".
  private func fate(of other: LoadingSession, _ page: PageStyle) -> String {
    let at = other.finished.map { " at \(page.time.clock($0, near: load.started.wall))" } ?? ""
    switch other.shownState {
    case .running: return "is still running"
    case .unknown: return "may still be running (unknown)"
    case .succeeded, .failed, .ended, .crashed: return other.shownState.rawValue + at
    case .unchanged, .cancelled, .abandoned: return "was \(other.shownState.rawValue)\(at)"
    case .rebooted: return "was interrupted by a reboot"
    }
  }

  private func then(_ page: PageStyle) -> String? {
    let start = load.started.wall
    guard let next = context.nextSuccess, let finished = next.finished else {
      guard load.state.isFinished || load.state.isUnfinishedStart else { return nil }
      let end = load.finished ?? start.addingClamping(load.openAtLeast / 1000)
      // The date of a success may be later than its end: it is when the finish was recorded.
      guard let last = context.feed?.dates.lastUpdated, last > end, !context.lastSuccessHasRow else {
        return "no success since"
      }
      return "last success \(page.time.clock(last, near: start)), of which there is no row"
    }
    let later = DurationText.elapsed((finished - start).multipliedClamping(by: 1000))
    let how = next.state == .unchanged ? " (unchanged)" : ""
    return "next success\(withRow) \(page.time.clock(finished, near: start)), \(later) later\(how)"
  }
}

extension DurationSource {
  /// Suffix of a duration that LoadLog did not measure.
  fileprivate var remark: String {
    switch self {
    case .boot: ""
    case .wall: " by the wall clock"
    case .imported: " according to the imported file"
    }
  }
}
