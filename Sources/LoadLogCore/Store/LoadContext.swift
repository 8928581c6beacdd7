/// A load and what went on around it: the answer to `show`.
public struct LoadContext: Sendable, Hashable {
  /// The load.
  public var load: LoadingSession
  /// Half of its feed's loads take no longer, in nanoseconds; over all time, nil if none finished.
  public var usual: Double?
  /// Other loads of the feed that were open at some time while this one was; at most
  /// ``LoadContext/meanwhileLimit``, the newest.
  public var meanwhile: [LoadingSession]
  /// How many there were.
  public var meanwhileCount: Int
  /// Where else the push may have been made that was never popped: the call sites of its owner's other pushes
  /// of the feed that were open at some time while this one was. A pop may have closed the wrong one of them.
  /// Empty for a load with a token, whose call site is proven.
  public var candidates: [String]
  /// The load of the feed that started before it.
  public var before: LoadingSession?
  /// The first success of the feed among the loads that were open or started after it.
  public var nextSuccess: LoadingSession?

  /// The most loads that ``meanwhile`` holds.
  public static let meanwhileLimit = 5
  /// So many of the loads that were open are looked through for ``candidates``, the newest.
  static let candidateLimit = 500

  /// Makes a context of its parts.
  public init(
    load: LoadingSession, usual: Double? = nil, meanwhile: [LoadingSession] = [], meanwhileCount: Int = 0,
    candidates: [String] = [], before: LoadingSession? = nil, nextSuccess: LoadingSession? = nil
  ) {
    self.load = load
    self.usual = usual
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
  /// Whether a pop of one may close a push of the other: a library owner counts for itself, the command line
  /// for all its owners together.
  fileprivate func sharesCount(with other: OwnerRecord) -> Bool {
    guard other.owner.kind == .library else { return owner.kind != .library }
    return owner == other.owner && opened == other.opened
  }
}

extension LoadReading {
  /// The load that was meant, and what went on around it.
  ///
  /// - Throws: `notFound` or `ambiguousID`, or what the store throws.
  public func context(of tail: IDTail) throws(LoadLogError) -> LoadContext {
    let load = try load(matching: tail)
    let feeds = [FeedPattern(exactly: load.feed)]
    let start = load.started.wall
    let end = start + max(load.duration ?? load.openAtLeast, 0) / 1000

    let open = try history(
      LoadFilter(feeds: feeds, since: start, until: end + 1, limit: LoadContext.candidateLimit))
    let earlier = try history(LoadFilter(feeds: feeds, until: start, limit: 1))
    var later = LoadFilter(feeds: feeds, since: end + 1, states: [.succeeded, .unchanged], limit: 1)
    later.oldestFirst = true
    return LoadContext(
      load: load,
      usual: try status(LoadFilter(feeds: feeds), overdueLimit: nil).feeds.first?.numbers.typicalDuration?
        .p50,
      meanwhile: Array(open.loads.filter { $0.id != load.id }.prefix(LoadContext.meanwhileLimit)),
      meanwhileCount: open.total - 1,
      candidates: LoadContext.candidates(for: load, among: open.loads),
      before: earlier.loads.first,
      nextSuccess: try history(later).loads.first)
  }
}
