public import LoadLogCore

/// Report of `loadlog unbalanced`: every push never popped and every pop never pushed, with the evidence.
public struct UnbalancedReport: Sendable {
  private let summary: ImbalanceSummary
  private let store: String
  private let kindWidth: Int

  /// Creates a report of the imbalances of a store.
  public init(_ summary: ImbalanceSummary, store: String) {
    self.summary = summary
    kindWidth = max(9, summary.imbalances.map { $0.kind.shown.count }.max() ?? 0)
    self.store = store
  }

  /// Returns the report as text in the given style.
  public func text(_ page: PageStyle) -> String {
    var sections = [header(page), onlyCounted(page), overrunning(in: page)]
    var worst: Int?
    for (title, _, _) in Self.sections {
      let open = places { $0.acknowledgement == nil && $0.kind.summary == title }
      sections.append(section(title.uppercased(), of: open, in: page))
      worst = worst ?? open.first?.indexes.first
    }
    sections.append(section("ACKNOWLEDGED", of: places { $0.acknowledgement != nil }, in: page))
    // An imbalance is acknowledged on its host.
    if page.hasHints, page.fleetOptions == nil, let worst {
      let command = page.command("unbalanced --ack \(summary.imbalances[worst].id.tail)")
      sections.append(
        page.hints("Fixed? This stops the alarm and keeps the record:", [command + " -m \"fixed in 2.3\""]))
    }
    return sections.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    let head = JSONHead(
      generated: summary.generated, store: store, since: summary.since, until: summary.until)
    return head.objectWithWindow.appending([
      "missing": .count(summary.missing), "unbalanced": .array(summary.imbalances.map(\.json)),
      "missing_overrunning": .count(summary.missingOverrunning),
      "overrunning": .array(summary.overrunning.map(\.load.json)),
    ]).appending(summary.onlyCounted > 0 ? ["only_counted": .count(summary.onlyCounted)] : [:])
  }

  /// Section titles, with the singular and plural for the summary line.
  private static let sections: [(title: String, one: String, several: String)] = [
    (Imbalance.Kind.unfinishedStart(.crashed), "push never popped", "pushes never popped"),
    (.unmatchedFinish(.extraPop), "pop never pushed", "pops never pushed"),
    (.unmatchedFinish(.orphanFinish), "finish never started", "finishes never started"),
    (.unmatchedFinish(.duplicateFinish), "finished twice", "finished twice"),
  ].map { (title: $0.summary, one: $1, several: $2) }

  private func counts(_ page: PageStyle) -> String {
    let all = summary.imbalances
    guard !all.isEmpty else { return summary.onlyCounted > 0 ? "no imbalances" : "nothing is unbalanced" }
    let parts = Self.sections.compactMap { title, one, several -> String? in
      let count = all.count { $0.kind.summary == title }
      return count == 0 ? nil : "\(Words.count(count)) \(count == 1 ? one : several)"
    }
    let acknowledged = all.count { $0.acknowledgement != nil }
    let total = Words.count(all.count + summary.missing)
    let shown = summary.missing == 0 ? total : "the newest \(Words.count(all.count)) of \(total)"
    let counts = "\(shown) unbalanced (\(parts.joined(separator: ", ")))"
    guard acknowledged == 0 else {
      return page.joined([counts, "\(Words.count(acknowledged)) acknowledged"])
    }
    guard summary.missing == 0 else { return counts }
    // On a narrow page, a missing number of acknowledgements already means none.
    let whole = page.joined([counts, "none acknowledged"])
    return fits(whole, page) ? whole : counts
  }

  private func onlyCounted(_ page: PageStyle) -> [String] {
    guard summary.onlyCounted > 0 else { return [] }
    let others = summary.imbalances.isEmpty ? "imbalance" : "more imbalance"
    let window = summary.since == nil && summary.until == nil ? "" : " of all time"
    let were = summary.onlyCounted == 1 ? "was" : "were"
    return page.folded("\(Words.count(summary.onlyCounted, others))\(window) \(were) only counted.")
  }

  private func header(_ page: PageStyle) -> [String] {
    let counts = counts(page)
    return fits(counts, page)
      ? [page.spread(counts, window(page))] : page.folded(counts, indent: 2) + [window(page)]
  }

  /// Whether the counts and the window fit into one line.
  private func fits(_ counts: String, _ page: PageStyle) -> Bool {
    !page.isFitted || DisplayWidth.of(counts) + 2 + DisplayWidth.of(window(page)) <= page.width
  }

  private func window(_ page: PageStyle) -> String {
    let zone = page.time.abbreviations(moments.isEmpty ? [summary.generated] : moments)
    let since = summary.since.map { "since \(page.time.minute($0, near: summary.generated))" }
    let until = summary.until.map { "until \(page.time.minute($0, near: summary.generated))" }
    let words = [since, until].compactMap(\.self).joined(separator: " ")
    return "\(words.isEmpty ? "all time" : words), \(zone)"
  }

  /// Moments of which the report shows the time.
  private var moments: [Int64] {
    summary.imbalances.flatMap { [$0.at] + ($0.acknowledgement.map { [$0.at] } ?? []) }
      + summary.overrunning.map(\.load.started.wall) + [summary.since, summary.until].compactMap(\.self)
  }

  private func overrunning(in page: PageStyle) -> [String] {
    guard !summary.overrunning.isEmpty else { return [] }
    let isLearned = summary.overrunning.allSatisfy { $0.usualMaximum != nil }
    let title = "STILL RUNNING, \(isLearned ? "FAR BEYOND USUAL" : "BEYOND THE LIMIT")"
    let note = "(not counted: the process is alive, so there is no verdict)"
    let fits = !page.isFitted || title.count + 1 + note.count <= page.width
    var lines = [page.inked(title, .heading) + (fits ? " \(note)" : "")]
    if !fits { lines += page.folded(note, after: "  ", indent: 2) }
    if summary.missingOverrunning > 0 {
      let shown = Words.count(summary.overrunning.count)
      lines.append(
        "  the newest \(shown) of \(Words.count(summary.overrunning.count + summary.missingOverrunning))")
    }
    for entry in summary.overrunning {
      let load = entry.load
      let usual = Words.usual(maximum: entry.usualMaximum, limit: entry.limit)
      let open = ["for \(DurationText.elapsed(load.openAtLeast))", usual].compactMap(\.self)
      let owner = [load.owner.owner.shownName, load.fleetHost].compactMap(\.self).joined(separator: " on ")
      let evidence = "\(open.joined(separator: ", ")); \(VisibleText.line(owner))"
      lines += [
        heading(load.callSite, isLikely: load.isAnonymous, feed: page.feed(load.feed), in: page)
      ]
      lines += row(
        at: load.started.wall, kind: "running", ink: .active, evidence: evidence, id: load.id, in: page)
    }
    return lines
  }

  /// One place in the code, and the indexes of its imbalances in the summary.
  private typealias Group = (place: Place, indexes: [Int])

  /// Groups the wanted imbalances by place: most frequent first; of equally frequent places, the most recent
  /// first.
  private func places(_ isWanted: (Imbalance) -> Bool) -> [Group] {
    var groups: [Group] = []
    var known: [Place: Int] = [:]
    for (index, imbalance) in summary.imbalances.enumerated() where isWanted(imbalance) {
      let place = Place(imbalance)
      if let group = known[place] {
        groups[group].indexes.append(index)
      } else {
        known[place] = groups.count
        groups.append((place, [index]))
      }
    }
    return groups.enumerated().sorted {
      ($1.element.indexes.count, $0.offset) < ($0.element.indexes.count, $1.offset)
    }.map(\.element)
  }

  private func section(_ title: String, of groups: [Group], in page: PageStyle) -> [String] {
    guard !groups.isEmpty else { return [] }
    return [page.inked(title, .heading)] + groups.flatMap { lines(of: $0, in: page) }
  }

  private func lines(of group: Group, in page: PageStyle) -> [String] {
    let place = group.place
    let count = "\(Words.count(group.indexes.count)) \(page.glyphs.times) \(page.feed(place.feed))"
    return [heading(place.callSite, isLikely: place.isLikely, feed: count, in: page)]
      + group.indexes.flatMap { index in
        let imbalance = summary.imbalances[index]
        let note = imbalance.acknowledgement.map { acknowledged($0, in: page) }
        let host = imbalance.fleetHost.map { "on \($0): " } ?? ""
        let evidence = [VisibleText.line(host + imbalance.evidence), note].compactMap(\.self)
          .joined(separator: "; ")
        return row(
          at: imbalance.at, kind: imbalance.kind.shown, ink: .alarm, evidence: evidence, id: imbalance.id,
          in: page)
      }
  }

  private func acknowledged(_ acknowledgement: Acknowledgement, in page: PageStyle) -> String {
    let when = page.time.dayMinute(acknowledgement.at, near: summary.generated)
    let who = "\(VisibleText.line(acknowledgement.by)), \(when)"
    return acknowledgement.note.map { "\(VisibleText.line($0)) (\(who))" } ?? "acknowledged by \(who)"
  }

  private func heading(
    _ callSite: String?, isLikely: Bool, feed: String, in page: PageStyle
  ) -> String {
    let shownFeed = page.fitted(feed, to: page.width / 3, .middle)
    let room = page.width - DisplayWidth.of(shownFeed) - 4
    let place = page.fitted(page.callSite(callSite, isLikely: isLikely), to: room, .start)
    return page.spread("  " + place, shownFeed)
  }

  /// The line of an imbalance; on a narrow page the evidence has lines of its own.
  private func row(
    at time: Int64, kind: String, ink: Ink, evidence: String, id: SessionID, in page: PageStyle
  ) -> [String] {
    let when = page.time.dayClock(time, near: summary.generated)
    if page.isNarrow {
      return [page.spread("  \(when)  \(kind)", id.tail)] + page.folded(evidence, after: "    ", indent: 4)
    }
    let head = "    \(when)  "
    let word = DisplayWidth.padded(kind, to: kindWidth)
    let taken = DisplayWidth.of(head) + kindWidth + 2
    let text = page.spread(evidence, id.tail, to: page.width - taken)
    return [head + page.inked(word, ink) + "  " + text]
  }

  private struct Place: Hashable {
    let callSite: String?
    let isLikely: Bool
    let feed: Feed?

    init(_ imbalance: Imbalance) {
      callSite = imbalance.callSite
      isLikely = imbalance.isLikely
      feed = imbalance.feed
    }
  }
}

extension Owner {
  /// Name for people: "Reader, pid 4711", without the parts that are unknown.
  var shownName: String {
    if kind == .remote { return "reported by \([host, app].filter { !$0.isEmpty }.joined(separator: ", "))" }
    let process = process.pid == 0 ? "detached" : "pid \(process.pid)"
    let words = [app, process, kind == .inferred ? "inferred" : ""]
    return words.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
