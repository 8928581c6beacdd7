/// The answer to `show`: a load and the loads around it.
public struct LoadContext: Sendable, Hashable {
  /// The load.
  public var load: LoadingSession
  /// The median duration of the feed over all time, in nanoseconds; nil if no load has finished.
  public var usual: Double?
  /// The status of the load's feed over all time.
  public var feed: FeedStatus?
  /// The newest of the feed's other loads that were open while this one was, at most
  /// ``LoadContext/meanwhileLimit``.
  public var meanwhile: [LoadingSession]
  /// The number of other loads that were open while this one was.
  public var meanwhileCount: Int
  /// Other call sites that may have caused an unfinished push: those of the owner's other pushes of the feed
  /// that were open while this one was, because a pop may have closed the wrong one. Empty for a load with a
  /// token, whose call site is proven.
  public var candidates: [String]
  /// The load of the feed that started before this one.
  public var before: LoadingSession?
  /// The feed's first success among the loads that were open after this one ended.
  public var nextSuccess: LoadingSession?
  /// Whether ``meanwhile``, ``before`` or ``nextSuccess`` may lack loads that have no row: a store has pruned them, or a
  /// fleet has only counted them.
  public var hasLoadsWithoutRows = false
  /// The hosts of a fleet that do not ship every load as a row, if ``hasLoadsWithoutRows``. Always empty in the answer of a
  /// store.
  public var hostsWithoutRows: [String] = []
  /// Whether the feed's newest success is the load, or another one that was open meanwhile.
  package var lastSuccessHasRow = false

  /// The maximum number of loads in ``meanwhile``.
  public static let meanwhileLimit = 5
  /// The maximum number of concurrent loads that are searched for ``candidates`` and the newest success, newest first.
  static let candidateLimit = 500

  /// Creates a context from its parts.
  public init(
    load: LoadingSession, usual: Double? = nil, feed: FeedStatus? = nil, meanwhile: [LoadingSession] = [],
    meanwhileCount: Int = 0,
    candidates: [String] = [], before: LoadingSession? = nil, nextSuccess: LoadingSession? = nil
  ) {
    self.load = load
    self.usual = usual
    self.feed = feed
    self.meanwhile = meanwhile
    self.meanwhileCount = meanwhileCount
    self.candidates = candidates
    self.before = before
    self.nextSuccess = nextSuccess
  }
}

extension LoadContext {
  fileprivate static func candidates(for load: LoadingSession, among open: [LoadingSession]) -> [String] {
    guard load.isAnonymous, load.state.isUnfinishedStart else { return [] }
    let sites = open.lazy
      .filter { $0.isAnonymous && $0.owner.sharesCount(with: load.owner) && $0.callSite != load.callSite }
      .compactMap(\.callSite)
    return Set(sites).sorted()
  }
}

extension OwnerRecord {
  /// Whether a pop of one owner can close a push of the other. A library owner closes only its own pushes;
  /// the command-line owners close each other's.
  fileprivate func sharesCount(with other: OwnerRecord) -> Bool {
    guard other.owner.kind == .library else { return owner.kind != .library }
    return owner == other.owner && opened == other.opened
  }
}

extension LoadReading {
  /// Returns the load with an id, and the loads around it.
  ///
  /// - Throws: `notFound` or `ambiguousID`, or an error of the store.
  public func context(of tail: IDTail) throws(LoadLogError) -> LoadContext {
    let load = try load(matching: tail)
    let feeds = [FeedPattern(exactly: load.feed)]
    let start = load.started.wall
    let length = max(load.duration ?? load.openAtLeast, 0) / 1000
    // A load without length was open at its instant.
    let end = start.addingClamping(max(length, 1))

    let open = try history(
      LoadFilter(feeds: feeds, since: start, until: end, limit: LoadContext.candidateLimit))
    // Of those that started in the same microsecond, which came first is known, too.
    let sameStart = open.loads.drop { $0.id != load.id }.dropFirst().first { $0.started.wall == start }
    var before = LoadFilter(feeds: feeds, until: start, limit: 1)
    before.wantsTotal = false
    let earlier = try history(before)
    var later = LoadFilter(feeds: feeds, since: end, states: [.succeeded, .unchanged], limit: 1)
    (later.oldestFirst, later.wantsTotal) = (true, false)
    let next = try history(later)
    let status = try status(LoadFilter(feeds: feeds), runningLimit: nil).feeds.first
    var context = LoadContext(
      load: load, usual: status?.numbers.typicalDuration?.p50, feed: status,
      meanwhile: Array(open.loads.filter { $0.id != load.id }.prefix(LoadContext.meanwhileLimit)),
      meanwhileCount: open.total - 1,
      candidates: LoadContext.candidates(for: load, among: open.loads),
      before: sameStart ?? earlier.loads.first,
      nextSuccess: next.loads.first)
    context.lastSuccessHasRow = open.loads.contains { $0.started.wall == status?.dates.lastSuccessStarted }
    let lacksEarlier = sameStart == nil ? try lacksLoads(of: feeds, before: earlier) : false
    context.hasLoadsWithoutRows = lacksEarlier || open.pruned > 0 || next.pruned > 0
    if context.hasLoadsWithoutRows { context.hostsWithoutRows = open.hostsWithoutRows }
    return context
  }

  /// Whether loads without a row may have come before a load, and after the one before it, which a page has if there is one.
  private func lacksLoads(of feeds: [FeedPattern], before page: LoadPage) throws(LoadLogError) -> Bool {
    guard let last = page.loads.first else {
      // Of the days that were pruned in a fleet's database, only what is counted over all time is left.
      return try history(LoadFilter(feeds: feeds, limit: 1)).pruned > 0
    }
    guard let days = page.prunedDays else { return false }
    return days.upperBound >= UTCDay(of: last.started.wall)
  }
}
