/// The questions that a record answers.
///
/// Every call is one short, consistent read. Calls block; make them from a thread of your own, or ask
/// a ``LoadingController``, which does that for you. All may be made from any thread.
public protocol LoadReading: Sendable {
  /// All feeds, by name.
  func feeds() throws(LoadLogError) -> [Feed]
  /// The dates of a feed; nil if the record does not know it.
  func dates(of feed: Feed) throws(LoadLogError) -> FeedDates?
  /// The numbers of the feeds that the filter lets through.
  ///
  /// - Parameters:
  ///   - filter: which feeds, and which window of starts.
  ///   - overdueLimit: longer than this is overdue, in nanoseconds; by default each feed's own.
  func status(_ filter: LoadFilter, overdueLimit: Int64?) throws(LoadLogError) -> StatusSummary
  /// The numbers of each day, in UTC, on which loads of the filter's feeds started, one feed after
  /// another and its days in order. Days that the window cuts are left out, and so are busy time and peak depth.
  ///
  /// - Parameter filter: which feeds, and which window; without any feed named, the store as a whole comes
  ///   first, with a feed of nil.
  func days(_ filter: LoadFilter) throws(LoadLogError) -> [DayNumbers]
  /// Computes busy time and peak depth from the rows of the filter's window, one UTC day after another.
  ///
  /// Unlike the other questions this one may take seconds: it reads every load of the window, in many short reads,
  /// and has no deadline.
  ///
  /// - Parameters:
  ///   - filter: which feeds, and which window. Intervals are clipped to the window.
  ///   - progress: called after each day with the number of days done and of all days.
  func busy(_ filter: LoadFilter, progress: (_ done: Int64, _ total: Int64) -> Void) throws(LoadLogError)
    -> BusySummary
  /// The loads that the filter lets through, newest first; a load that overlaps the window is in it.
  func history(_ filter: LoadFilter) throws(LoadLogError) -> LoadPage
  /// The loads whose id ends in the given hexadecimal digits; the whole id finds one.
  func loads(endingIn tail: String) throws(LoadLogError) -> [LoadingSession]
  /// Everything unbalanced that overlaps the filter's window, newest first.
  func unbalanced(_ filter: LoadFilter) throws(LoadLogError) -> [Imbalance]
  /// How many loads of each feed pruning would drop.
  ///
  /// - Parameter cutoff: only what finished before goes; wall time in microseconds.
  func prunable(before cutoff: Int64) throws(LoadLogError) -> [Feed: Int]
  /// The finish times of the last successes of a feed, newest first; wall times in microseconds.
  func successes(of feed: Feed, limit: Int) throws(LoadLogError) -> [Int64]
}

/// A place where loads are recorded.
///
/// One writer at a time uses it: the controller's commit queue calls `begin`, then `commit` or `abort`, never from two
/// threads at once. A store knows no callers, deadlines or threads; a queue knows no database.
public protocol LoadStore: LoadReading {
  /// Gets the sole right to write, in this process and beyond.
  ///
  /// - Parameter waiting: false to come back at once with false if somebody else has it.
  /// - Throws: when the store cannot be written to; the right is not held then.
  func begin(waiting: Bool) throws(LoadLogError) -> Bool
  /// Makes the events durable in one transaction, in their order, and lets go of the right to write.
  ///
  /// Events whose number is not above the owner's last committed number are in the record already and
  /// get the receipt `repeated`.
  ///
  /// - Parameters:
  ///   - events: what to commit.
  ///   - dropped: how many events the queue has dropped since the last commit.
  /// - Returns: a receipt for each event.
  /// - Throws: when nothing is known to be durable. The store must be closed and opened again then.
  func commit(_ events: [NumberedEvent], dropped: Int) throws(LoadLogError) -> [Receipt]
  /// Lets go of the right to write without writing.
  func abort()
  /// How many sessions of dead owners got a durable verdict when the store was opened, by state.
  var verdictsAtOpen: [SessionState: Int] { get }
  /// Makes the verdict on every owner that is proven dead durable; once done, doing it again changes nothing.
  ///
  /// - Returns: how many sessions got a verdict, by state.
  func judgeDeadOwners() throws(LoadLogError) -> [SessionState: Int]
  /// Whether there is work for ``maintain(closing:)``, and whether it can wait. Cheap to ask.
  var maintenance: MaintenanceNeed { get }
  /// Work that can wait until callers have their answers, such as a checkpoint.
  ///
  /// - Parameter closing: the store will be closed: what would make it slow to open is done too.
  func maintain(closing: Bool)
  /// Drops loads that finished before a wall time in microseconds, in one transaction; waits for the right to
  /// write. What runs, what is unbalanced, each feed's last load, success and failure and all numbers stay.
  ///
  /// - Parameters:
  ///   - cutoff: only what finished before goes; wall time in microseconds.
  ///   - limit: at most so many.
  /// - Returns: how many were dropped; fewer than the limit if no more may go.
  func prune(before cutoff: Int64, limit: Int) throws(LoadLogError) -> Int
  /// Makes everything committed so far survive a power cut, where commits alone do not.
  func synchronize() throws(LoadLogError)
  /// Ends the use of the store.
  ///
  /// - Parameter finally: the owner's `close` event was committed, so its lock is let go too. Otherwise the
  ///   store will be opened again for the same owner.
  func close(finally: Bool)
}

/// How much a store needs work that nobody waits for.
public enum MaintenanceNeed: Int, Sendable, Comparable {
  /// Not at all.
  case none
  /// When there is nothing to commit.
  case whenIdle
  /// Before the next commit.
  case soon

  /// By urgency.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// What an acknowledged event survives.
public enum Durability: Sendable, Hashable {
  /// The process, the kernel and the power: each commit reaches the disk before it is acknowledged.
  case power
  /// The process. A power cut may take what was committed in the last 10 s.
  case process
}
