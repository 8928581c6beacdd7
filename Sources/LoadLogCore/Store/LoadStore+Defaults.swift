/// What only a store on a disk, or one that several processes share, has to do. A store without a default of
/// its own needs no maintenance, finds no dead owners and keeps every load.
extension LoadStore {
  /// True: no other process or thread writes to the store.
  public func begin(waiting: Bool) throws(LoadLogError) -> Bool { true }

  /// Does nothing: there is no right to write to give back.
  public func abort() {}

  /// None: no owner outlives its store.
  public var verdictsAtOpen: [SessionState: Int] { [:] }

  /// None.
  public var maintenance: MaintenanceNeed { .none }

  /// Does nothing.
  public func maintain(closing: Bool) {}

  /// Drops nothing: the store keeps every load.
  public func prune(before cutoff: Int64, limit: Int) throws(LoadLogError) -> Int { 0 }

  /// False: a commit survives whatever the store survives.
  public var needsSynchronization: Bool { false }

  /// Does nothing, because nothing is needed.
  public func synchronize() throws(LoadLogError) {}

  /// Does nothing.
  public func close(finally: Bool) {}
}

extension LoadStore where Self: LoadReading {
  /// The store itself.
  public var reader: Self { self }
}

/// A store that keeps every load need not answer what pruning would drop, and
/// ``LoadReading/history(_:)`` finds loads by the ends of their ids.
extension LoadReading {
  /// Those whose names it matches.
  public func feeds(matching pattern: FeedPattern) throws(LoadLogError) -> [Feed] {
    try feeds().filter { pattern.matches($0) }
  }

  /// None: the store keeps every load.
  public func prunable(before cutoff: Int64) throws(LoadLogError) -> [Feed: Int] { [:] }

  /// The loads whose id ends in the given hexadecimal digits. Reads the whole history.
  public func loads(endingIn tail: String) throws(LoadLogError) -> [LoadingSession] {
    guard let digits = IDTail.digits(of: tail) else { return [] }
    return try history(LoadFilter()).loads.filter { IDTail.ends($0.id, in: digits) }
  }
}

extension LoadReading {
  /// The numbers with the durations of all feeds.
  public func status(
    _ filter: LoadFilter, runningLimit: Int64?, durationsOf choose: (StatusSummary) -> Set<Feed>
  ) throws(LoadLogError) -> StatusSummary { try status(filter, runningLimit: runningLimit) }

  /// Nil: the store keeps no output.
  public func output(of id: SessionID) throws(LoadLogError) -> KeptOutput? { nil }

  /// None: the store keeps no flips.
  public func flips(_ filter: LoadFilter) throws(LoadLogError) -> [FeedFlip] { [] }
}
