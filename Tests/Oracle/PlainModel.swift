/// Computes the expected record in the simplest way: with arrays that are searched from end to end, and one
/// rule after another. It shares no code with the library, so that both agree only if both are right.
struct PlainModel: Sendable {
  enum State: String, Sendable, CaseIterable {
    case running, unknown, succeeded, unchanged, failed, cancelled, ended, crashed, rebooted, abandoned

    var isSuccess: Bool { self == .succeeded || self == .unchanged }
    var isFinished: Bool { isSuccess || self == .failed || self == .cancelled || self == .ended }
    var isUnfinishedStart: Bool { self == .crashed || self == .rebooted || self == .abandoned }
  }
  struct Owner: Sendable {
    enum Kind: String, Sendable { case library, given, inferred, detached, remote }
    enum Lock: Sendable { case none, held, free, replaced }
    var kind: Kind, place: Place, process: Int, lock: Lock
    var lastNumber: Int64 = 0, lastCommit = Moment(wall: 0, boot: 0)
  }
  enum Fate: Sendable { case alive, gone, zombie, reused }
  struct Session: Sendable {
    var feed: String, owner: Int, start: Moment, site: String?, id: Int?  // no id: a push
    var state = State.running
    var span: Int64?  // of a finished load, or up to the event that abandoned it
    var isAcknowledged = false
  }
  /// An unbalanced push or pop, identified by what a reader can see of it.
  struct Trouble: Hashable, Sendable {
    var kind: String, feed: String?, id: Int?, at: Int64, site: String?, isLikely = false
  }
  struct End: Sendable {
    var state: State, reason: String?, at: Moment, place: Place
  }

  var owners: [Int: Owner] = [:], fates: [Int: Fate] = [:], sessions: [Session] = []
  var unmatched: [(trouble: Trouble, end: End, isAcknowledged: Bool)] = []
  var credits: [(owner: Int, feed: String)] = []  // one for each push that a reset took away
  var arrivals: [Int] = []  // owners in the order of their first commits
  var dates: [String: [String: Figure]] = [:]  // its keys are the feeds that the record knows
  var lastTold: [String: State] = [:], lastSuccess: [String: Int64] = [:]  // of each feed, by commit order
  var popsAfterReset: [(feed: String, at: Int64)] = []

  /// Returns the state of an owner's running sessions, as a process at `here` can prove it.
  func judge(_ owner: Owner, from here: Place) -> State {
    if owner.kind == .remote { return .running }
    if owner.place.boot != here.boot {
      if owner.lock == .held { return .running }
      return !here.machine.isEmpty && owner.place.machine == here.machine ? .rebooted : .unknown
    }
    if owner.kind == .detached { return .unknown }
    let fate = fates[owner.process] ?? .alive, canSee = owner.place.pids == here.pids
    let canCompareTicks = owner.place.times == here.times
    if canSee, fate == .gone || fate == .zombie || (fate == .reused && canCompareTicks) { return .crashed }
    let isAlive = canSee && canCompareTicks
    if owner.lock == .free { return isAlive ? .abandoned : .crashed }
    return isAlive || owner.lock == .held ? .running : .unknown
  }

  /// Returns all sessions in commit order. Running ones have the state that a reader at `here` reports.
  func seen(from here: Place) -> [Session] {
    sessions.map { session in
      guard let owner = owners[session.owner], session.state == .running else { return session }
      var seen = session
      seen.state = judge(owner, from: here)
      // An unknown load that cannot be compared with this clock may have ended elsewhere.
      let isElsewhere = owner.place.boot != here.boot || owner.place.times != here.times
      if seen.state.isUnfinishedStart || seen.state == .unknown && isElsewhere {
        seen.span = owner.kind == .detached ? 0 : span(of: seen, to: owner.lastCommit, at: owner.place)
      }
      return seen
    }
  }

  /// Records the verdicts of dead owners; the owner that asks is alive.
  mutating func judgeDeadOwners(by who: Int) {
    guard let here = owners[who]?.place else { return }
    sessions = zip(sessions, seen(from: here)).map { stored, seen in
      seen.state.isUnfinishedStart && seen.owner != who ? seen : stored
    }
  }

  /// Opens the store for an owner. A library owner records the verdicts of dead owners.
  mutating func open(_ who: Int, _ owner: Owner) {
    owners[who] = owners[who] ?? owner
    if owner.kind == .library { judgeDeadOwners(by: who) }
  }

  /// Commits a batch and returns the outcome of each event.
  mutating func commit(_ events: [Happening], by who: Int) -> [String] {
    guard let owner = owners[who] else { return [] }
    if !arrivals.contains(who) { arrivals.append(who) }
    let outcomes = events.map { event in
      if owner.kind == .library, event.number <= owners[who]?.lastNumber ?? 0 { return "repeated" }
      owners[who]?.lastNumber = event.number
      return apply(event, owner, who)
    }
    if let last = events.last { owners[who]?.lastCommit = last.at }
    return outcomes
  }

  private mutating func apply(_ event: Happening, _ owner: Owner, _ who: Int) -> String {
    let end = { End(state: $0, reason: $1, at: event.at, place: owner.place) }
    let isMine = { (other: Int) in owner.kind != .library || other == who }  // a command acts for everyone
    switch event.act {
    case .start(let id, let feed):
      guard !sessions.contains(where: { $0.id == id }) else { return "known" }
      begin(Session(feed: feed, owner: who, start: event.at, site: event.site, id: id))
      guard let first = unmatched.firstIndex(where: { $0.trouble.id == id }) else { return "recorded" }
      finish(sessions.count - 1, unmatched.remove(at: first).end)
      for i in unmatched.indices where unmatched[i].trouble.id == id {
        (unmatched[i].trouble.kind, unmatched[i].trouble.feed) = ("duplicate_finish", feed)
      }
      return "joined"
    case .heard(let id, let feed, let verdict, let reason):
      guard !sessions.contains(where: { $0.id == id }) else { return "known" }
      begin(Session(feed: feed, owner: who, start: event.at, site: event.site, id: id))
      finish(sessions.count - 1, end(verdict, reason))
      sessions[sessions.count - 1].span = nil
      for i in unmatched.indices where unmatched[i].trouble.id == id {
        (unmatched[i].trouble.kind, unmatched[i].trouble.feed) = ("duplicate_finish", feed)
      }
      return verdict.rawValue
    case .push(let feed):
      begin(Session(feed: feed, owner: who, start: event.at, site: event.site, id: nil))
      return "recorded"
    case .finish(let id, let verdict, let reason):
      guard let i = sessions.firstIndex(where: { $0.id == id }) else {
        return keep("orphan_finish", nil, id, end(verdict, reason), at: event.site)
      }
      let before = sessions[i].state
      guard !before.isFinished else {
        return keep("duplicate_finish", sessions[i].feed, id, end(verdict, reason), at: event.site)
      }
      finish(i, end(verdict, reason))
      return before == .running ? verdict.rawValue : "late \(verdict.rawValue)"
    case .pop(let feed, let verdict, let reason):
      dates[feed] = dates[feed] ?? [:]
      let open = sessions.indices.filter {
        let session = sessions[$0]
        return session.id == nil && session.feed == feed && session.state == .running && isMine(session.owner)
      }
      if let i = open.last(where: { file(sessions[$0].site) == file(event.site) }) ?? open.last {
        finish(i, end(verdict, reason))
        return verdict.rawValue
      }
      let credit = ([who] + arrivals).filter(isMine).compactMap { other in
        credits.firstIndex { $0.owner == other && $0.feed == feed }
      }.first
      guard let credit else {
        return keep("extra_pop", feed, nil, end(verdict, reason), at: event.site)
      }
      popsAfterReset.append((credits.remove(at: credit).feed, event.at.wall))
      return "after reset"
    case .reset(let names):
      for i in sessions.indices where sessions[i].id == nil && sessions[i].state == .running {
        guard isMine(sessions[i].owner), names?.contains(sessions[i].feed) ?? true else { continue }
        finish(i, end(.abandoned, nil))
        credits.append((sessions[i].owner, sessions[i].feed))
      }
    case .abandon(let id):
      guard let i = sessions.firstIndex(where: { $0.id == id && $0.state == .running }) else { break }
      finish(i, end(.abandoned, nil))
    case .update: break
    case .adopt(let feed, let date):
      let hasSuccess = sessions.contains { $0.feed == feed && $0.state.isSuccess }
      if !hasSuccess { dates[feed, default: [:]]["last_updated"] = .whole(date) }
    case .acknowledge(let chosen):
      judgeDeadOwners(by: who)
      let isChosen = { (trouble: Trouble) in chosen?.contains(trouble) ?? true }
      for i in sessions.indices where trouble(sessions[i]).map(isChosen) ?? false {
        sessions[i].isAcknowledged = true
      }
      for i in unmatched.indices where isChosen(unmatched[i].trouble) { unmatched[i].isAcknowledged = true }
    case .close:
      for i in sessions.indices where sessions[i].owner == who && sessions[i].state == .running {
        finish(i, end(.cancelled, "quit"))
      }
    }
    return "done"
  }

  private mutating func begin(_ session: Session) {
    sessions.append(session)
    dates[session.feed, default: [:]]["last_attempted"] = .whole(session.start.wall)
  }

  private mutating func finish(_ i: Int, _ end: End) {
    let feed = sessions[i].feed, date = Figure.whole(end.at.wall)
    sessions[i].state = end.state
    sessions[i].span = span(of: sessions[i], to: end.at, at: end.place) ?? (end.state == .abandoned ? 0 : nil)
    if end.state.isSuccess { dates[feed]?["last_updated"] = date }
    if end.state.isSuccess {
      let start = sessions[i].start.wall, last = lastSuccess[feed] ?? start
      lastSuccess[feed] = last <= end.at.wall ? max(start, last) : start
    }
    if end.state.isSuccess || end.state == .failed { lastTold[feed] = end.state }
    if end.state == .succeeded { dates[feed]?["last_changed"] = date }
    if end.state == .failed {
      dates[feed]?["last_failed"] = date
      dates[feed]?["last_failure"] = end.reason.map(Figure.text) ?? .null
    }
  }

  mutating func keep(_ kind: String, _ feed: String?, _ id: Int?, _ end: End, at site: String?) -> String {
    unmatched.append((Trouble(kind: kind, feed: feed, id: id, at: end.at.wall, site: site), end, false))
    return kind
  }

  private func file(_ site: String?) -> String? {
    guard let site, let colon = site.lastIndex(of: ":") else { return site }
    return Int(site[colon...].dropFirst()) == nil ? site : String(site[..<colon])
  }

  /// Returns the nanoseconds to a moment at another place: by the boot clock if both places share it,
  /// otherwise by the wall clock; nil if that is negative or overflows.
  private func span(of session: Session, to end: Moment, at there: Place) -> Int64? {
    guard let here = owners[session.owner]?.place else { return nil }
    if here.boot == there.boot && here.times == there.times { return max(0, end.boot - session.start.boot) }
    return end.wall < session.start.wall ? nil : (end.wall - session.start.wall) * 1000
  }

  private func trouble(_ seen: Session) -> Trouble? {
    guard seen.state.isUnfinishedStart else { return nil }
    return Trouble(
      kind: seen.state.rawValue, feed: seen.feed, id: seen.id, at: seen.start.wall, site: seen.site,
      isLikely: seen.id == nil)
  }

  /// Returns all imbalances and whether they are acknowledged.
  func troubles(from here: Place) -> [(trouble: Trouble, isAcknowledged: Bool)] {
    seen(from: here).compactMap { seen in trouble(seen).map { ($0, seen.isAcknowledged) } }
      + unmatched.map { ($0.trouble, $0.isAcknowledged) }
  }

  func status(_ question: Question) -> [String: Figure] {
    let names = dates.keys.filter { question.feeds.isEmpty || question.feeds.contains($0) }
    let named: [String?] = question.feeds.isEmpty ? names + [nil] : names  // nil: the feed of an orphan
    var answer: [String: Figure] = [:]
    for name in names {
      for (key, figure) in numbers([name], question) { answer["feeds/\(name)/\(key)"] = figure }
      for date in ["last_updated", "last_changed", "last_attempted", "last_failed", "last_failure"] {
        answer["feeds/\(name)/\(date)"] = dates[name]?[date] ?? .null
      }
      answer["feeds/\(name)/failures"] = Figure(failures(name, question))
    }
    for (key, figure) in numbers(named, question) {
      let isLeftOut = !question.feeds.isEmpty && ["busy", "peak_depth"].contains(key)
      answer["totals/\(key)"] = isLeftOut ? Figure.null : figure
    }
    let open = troubles(from: question.place).filter { !$0.isAcknowledged }.map(\.trouble)
      .filter { question.contains($0.at) && named.contains($0.feed) }
    let alike = Dictionary(grouping: open) {
      "call_sites/\($0.feed ?? "-")/\($0.site ?? "-")/\($0.isLikely ? "likely " : "")\($0.kind)"
    }
    for (key, troubles) in alike {
      answer["\(key)/count"] = Figure(troubles.count)
      answer["\(key)/last"] = Figure(troubles.map(\.at).max())
    }
    return answer
  }

  private func numbers(_ names: [String?], _ question: Question) -> [String: Figure] {
    let all = seen(from: question.place).filter { names.contains($0.feed) }
    let inside = all.filter { question.contains($0.start.wall) }
    let rows = unmatched.filter { names.contains($0.trouble.feed) && question.contains($0.trouble.at) }
    var figures = ["loads": Figure(inside.count), "approximate": .text("false")]
    let kinds = inside.map(\.state.rawValue) + rows.map(\.trouble.kind)
    for kind in State.allCases.map(\.rawValue) + ["orphan_finish", "duplicate_finish", "extra_pop"] {
      figures[kind] = Figure(kinds.filter { $0 == kind }.count)
    }
    for state in [State.running, .unknown] {  // of now, whatever the window is
      figures[state.rawValue] = Figure(all.filter { $0.state == state }.count)
    }
    let unfinished = inside.filter(\.state.isUnfinishedStart)
    let acknowledged = unfinished.map(\.isAcknowledged) + rows.map(\.isAcknowledged)
    figures["total"] = Figure(acknowledged.count)
    figures["unacknowledged"] = Figure(acknowledged.filter { !$0 }.count)
    figures["pops_after_reset"] = Figure(
      popsAfterReset.filter { names.contains($0.feed) && question.contains($0.at) }.count)
    figures["running_since"] = Figure(all.filter { $0.state == .running }.map(\.start.wall).min())
    let late = names.compactMap { $0.flatMap { overrunning($0, question) } }
    figures["overrunning"] = late.isEmpty ? Figure.null : Figure(late.reduce(0, +))
    let finished = inside.filter(\.state.isFinished), good = inside.filter(\.state.isSuccess)
    figures.merge(statistics("duration", finished)) { $1 }
    figures.merge(statistics("duration_succeeded", good)) { $1 }
    let (low, high) = ((question.since ?? -1 << 52) * 1000, (question.until ?? 1 << 52) * 1000)
    let intervals = all.map { session in
      let start = session.start.wall * 1000
      let isOpen = session.state == .running || session.state == .unknown && session.span == nil
      let end = isOpen ? question.at.wall * 1000 : start + (session.span ?? 0)
      return (from: max(start, low), to: min(end, high))
    }.filter { $0.from < $0.to }
    let depths = intervals.map { one in intervals.filter { $0.from <= one.from && one.from < $0.to }.count }
    figures["peak_depth"] = Figure(depths.max() ?? 0)
    let edges = Set(intervals.flatMap { [$0.from, $0.to] }).sorted()
    let spans = zip(edges, edges.dropFirst()).filter { here, _ in
      intervals.contains { $0.from <= here && here < $0.to }
    }
    figures["busy"] = Figure(spans.map { $1 - $0 }.reduce(0, +))
    return figures
  }

  /// Counts the failures after the last success. A failure that was committed after a success of a younger load counts,
  /// too; those that were committed before it do not.
  private func failures(_ feed: String, _ question: Question) -> Int {
    let recent = seen(from: question.place).filter { session in
      session.feed == feed && lastSuccess[feed].map { session.start.wall > $0 } ?? true
    }
    let lost = recent.filter { $0.state.isUnfinishedStart && !$0.isAcknowledged }.count
    guard lastTold[feed] == .failed else { return lost }
    return max(1, recent.filter { $0.state == .failed }.count + lost)
  }

  private func overrunning(_ feed: String, _ question: Question) -> Int64? {
    let mine = seen(from: question.place).filter { $0.feed == feed }
    let finished = mine.filter(\.state.isFinished), all = finished.compactMap(\.span)
    let good = finished.filter(\.state.isSuccess).compactMap(\.span)
    let usual = all.count < 20 ? nil : quantile(0.99, good.isEmpty ? all : good).map { 3 * $0 }
    guard let limit = question.limit.map(Double.init) ?? usual else { return nil }
    let spans = mine.filter { $0.state == .running }.map { span(of: $0, to: question.at, at: question.place) }
    return Int64(spans.filter { Double($0 ?? 0) > limit }.count)
  }

  private func statistics(_ key: String, _ loads: [Session]) -> [String: Figure] {
    let spans = loads.compactMap(\.span)
    guard let least = spans.min(), let most = spans.max() else { return [key: .null] }
    var figures = ["\(key).count": Figure(spans.count), "\(key).sum": Figure(spans.reduce(0, +))]
    (figures["\(key).min"], figures["\(key).max"]) = (Figure(least), Figure(most))
    for percent in [50, 90, 95, 99] {
      figures["\(key).p\(percent)"] = quantile(Double(percent) / 100, spans).map(Figure.real)
    }
    return figures
  }

  /// Computes a quantile by Hyndman and Fan's type 7.
  private func quantile(_ p: Double, _ spans: [Int64]) -> Double? {
    guard let last = spans.indices.last else { return nil }
    let sorted = spans.sorted(), rank = p * Double(last), low = Int(rank)
    let (a, b) = (Double(sorted[low]), Double(sorted[min(low + 1, last)]))
    return a + (rank - Double(low)) * (b - a)
  }
}
