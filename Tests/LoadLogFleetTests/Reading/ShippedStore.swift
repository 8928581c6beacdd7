#if Fleet
  import LoadLogCore
  import LoadLogFleet

  /// A store that ships to a fleet's database before each question, and answers from there.
  final class ShippedStore: LoadStore {
    let reader: ShippedReader
    private let base: any LoadStore

    init(_ base: any LoadStore, _ reader: ShippedReader) {
      self.base = base
      self.reader = reader
    }

    func begin(waiting: Bool) throws(LoadLogError) -> Bool { try base.begin(waiting: waiting) }
    func abort() { base.abort() }
    func commit(_ events: [NumberedEvent], dropped: Int) throws(LoadLogError) -> [Receipt] {
      try base.commit(events, dropped: dropped)
    }
    var verdictsAtOpen: [SessionState: Int] { base.verdictsAtOpen }
    var maintenance: MaintenanceNeed { base.maintenance }
    func maintain(closing: Bool) { base.maintain(closing: closing) }
    func prune(before cutoff: Int64, limit: Int) throws(LoadLogError) -> Int {
      try base.prune(before: cutoff, limit: limit)
    }
    var needsSynchronization: Bool { base.needsSynchronization }
    func synchronize() throws(LoadLogError) { try base.synchronize() }
    func close(finally: Bool) { base.close(finally: finally) }
  }

  /// The reader of a ``ShippedStore``.
  struct ShippedReader: LoadReading {
    let sync: FleetSync
    let fleet: FleetReader

    private func shipped() throws(LoadLogError) -> FleetReader {
      try sync.round()
      return fleet
    }

    func feeds() throws(LoadLogError) -> [Feed] { try shipped().feeds() }
    func dates(of feed: Feed) throws(LoadLogError) -> FeedDates? { try shipped().dates(of: feed) }
    func expectations() throws(LoadLogError) -> [FeedExpectation] { try shipped().expectations() }
    func flips(_ filter: LoadFilter) throws(LoadLogError) -> [FeedFlip] { try shipped().flips(filter) }
    func status(_ filter: LoadFilter, runningLimit: Int64?) throws(LoadLogError) -> StatusSummary {
      try shipped().status(filter, runningLimit: runningLimit)
    }
    func status(
      _ filter: LoadFilter, runningLimit: Int64?, durationsOf choose: (StatusSummary) -> Set<Feed>
    ) throws(LoadLogError) -> StatusSummary {
      try shipped().status(filter, runningLimit: runningLimit, durationsOf: choose)
    }
    func days(_ filter: LoadFilter, listing feeds: Set<Feed>) throws(LoadLogError) -> [DayNumbers] {
      try shipped().days(filter, listing: feeds)
    }
    func hours(_ filter: LoadFilter) throws(LoadLogError) -> [HourNumbers] { try shipped().hours(filter) }
    func busy(
      _ filter: LoadFilter, progress: (_ done: Int64, _ total: Int64) -> Void
    ) throws(LoadLogError) -> BusySummary { try fleet.busy(filter, progress: progress) }
    func history(_ filter: LoadFilter) throws(LoadLogError) -> LoadPage { try shipped().history(filter) }
    func loads(endingIn tail: String) throws(LoadLogError) -> [LoadingSession] {
      try shipped().loads(endingIn: tail)
    }
    func unbalanced(_ filter: LoadFilter) throws(LoadLogError) -> [Imbalance] {
      try shipped().unbalanced(filter)
    }
    func successes(of feeds: [Feed], limit: Int) throws(LoadLogError) -> [Feed: [Int64]] {
      try shipped().successes(of: feeds, limit: limit)
    }
  }
#endif
