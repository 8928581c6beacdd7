/// Reads recorded loads.
///
/// Each call except ``busy(_:progress:)`` is one short, consistent read. Calls block: make them on a thread
/// of your own, or use ``LoadingController``, which does so for you. All methods may be called from any
/// thread.
public protocol LoadReading: Sendable {
  /// Returns all feeds, ordered by name.
  func feeds() throws(LoadLogError) -> [Feed]
  /// Returns the feeds that a pattern names, ordered by name; by default those whose names it matches.
  func feeds(matching pattern: FeedPattern) throws(LoadLogError) -> [Feed]
  /// Returns the dates of a feed; nil if the record does not contain the feed.
  func dates(of feed: Feed) throws(LoadLogError) -> FeedDates?
  /// Returns all expectations, ordered by pattern.
  func expectations() throws(LoadLogError) -> [FeedExpectation]
  /// Returns the flips of the feeds that match a filter, noticed in its window, in their order. A store that keeps none
  /// returns an empty list, which is the default.
  func flips(_ filter: LoadFilter) throws(LoadLogError) -> [FeedFlip]
  /// Returns the numbers of the feeds that match a filter.
  ///
  /// - Parameters:
  ///   - filter: the feeds, and the window in which loads must have started.
  ///   - runningLimit: the duration in nanoseconds after which a running load is overrunning; nil for the limit that
  ///     each feed's expectation has, or else for the one learned from its durations.
  func status(_ filter: LoadFilter, runningLimit: Int64?) throws(LoadLogError) -> StatusSummary
  /// Returns the numbers of the feeds that match a filter, with the durations of some of them: a store of thousands of
  /// feeds need not read those that are not shown. By default all have them.
  ///
  /// - Parameters:
  ///   - filter: the feeds, and the window in which loads must have started.
  ///   - runningLimit: the duration after which a running load is overrunning, as above.
  ///   - choose: returns the feeds whose durations are wanted, given the numbers without durations. It may be called more
  ///     than once, and must not use the reader, which is locked meanwhile.
  func status(
    _ filter: LoadFilter, runningLimit: Int64?, durationsOf choose: (StatusSummary) -> Set<Feed>
  ) throws(LoadLogError) -> StatusSummary
  /// Returns the numbers of each UTC day on which loads of the matching feeds started: first those of all matching
  /// feeds together, with a feed of nil, then those of single feeds, ordered by feed and day. Leaves out days that the
  /// window contains only in part, busy time, peak depth, and statistics of durations.
  ///
  /// - Parameters:
  ///   - filter: the feeds and the window.
  ///   - feeds: the matching feeds whose days are listed.
  func days(_ filter: LoadFilter, listing feeds: Set<Feed>) throws(LoadLogError) -> [DayNumbers]
  /// Returns the numbers of each hour in which loads of the matching feeds started, ordered by feed and hour.
  /// Pruned loads are missing, because only rows know hours.
  ///
  /// - Parameter filter: the feeds, and the window in which loads must have started.
  func hours(_ filter: LoadFilter) throws(LoadLogError) -> [HourNumbers]
  /// Computes busy time and peak depth from the rows of the filter's window, one UTC day after another.
  ///
  /// Unlike the other calls this one can take seconds: it reads every load of the window, in many short
  /// reads, and has no deadline.
  ///
  /// - Parameters:
  ///   - filter: the feeds and the window. Loads are clipped to the window.
  ///   - progress: called after each day with the number of days done and the number of all days. It may use the
  ///     reader.
  func busy(_ filter: LoadFilter, progress: (_ done: Int64, _ total: Int64) -> Void) throws(LoadLogError)
    -> BusySummary
  /// Returns the loads that match a filter and overlap its window, newest first.
  func history(_ filter: LoadFilter) throws(LoadLogError) -> LoadPage
  /// Returns the loads whose ids end in the given hexadecimal digits.
  func loads(endingIn tail: String) throws(LoadLogError) -> [LoadingSession]
  /// Returns the imbalances that overlap the filter's window, newest first.
  func unbalanced(_ filter: LoadFilter) throws(LoadLogError) -> [Imbalance]
  /// Returns the number of loads of each feed that pruning would drop.
  ///
  /// LoadLog does not ask other stores than its own. A store that prunes answers it for `LoadStoreContract`, which compares
  /// the answer with what ``LoadStore/prune(before:limit:)`` drops.
  ///
  /// - Parameter cutoff: pruning drops only loads that finished before this time, in microseconds since 1970.
  func prunable(before cutoff: Int64) throws(LoadLogError) -> [Feed: Int]
  /// Returns the end of what the command of a load wrote; nil if none of it was kept. A store that keeps none returns nil,
  /// which is the default.
  func output(of id: SessionID) throws(LoadLogError) -> KeptOutput?
  /// Returns the finish times of the last successes of feeds, each newest first, in microseconds since 1970. A feed without
  /// any has an empty list.
  ///
  /// - Parameters:
  ///   - feeds: the feeds.
  ///   - limit: the maximum number of times of a feed.
  func successes(of feeds: [Feed], limit: Int) throws(LoadLogError) -> [Feed: [Int64]]
}

/// Records loads.
///
/// The controller's commit queue calls `begin`, then `commit` or `abort`, never from two threads at once. A
/// store knows nothing of callers, deadlines and threads; the queue knows nothing of databases.
public protocol LoadStore: Sendable {
  /// The type that answers questions about the record.
  associatedtype Reader: LoadReading
  /// Answers questions about everything committed so far, from any thread. A question can run while the store is being
  /// closed, or come later: the reader then answers it or throws.
  var reader: Reader { get }
  /// Acquires the exclusive right to write, in this process and across processes.
  ///
  /// - Parameter waiting: whether to wait for another writer, however long. The callers of the queue get their answers
  ///   meanwhile.
  /// - Returns: whether the right was acquired; false if another writer still holds it.
  /// - Throws: if the store cannot be written to. The right is not held then.
  func begin(waiting: Bool) throws(LoadLogError) -> Bool
  /// Commits events in their order in one transaction, and releases the right to write.
  ///
  /// An event whose number is not greater than that of the owner's last committed event is already in the
  /// record. It gets the receipt `repeated`.
  ///
  /// - Parameters:
  ///   - events: the events to commit.
  ///   - dropped: the number of events that the queue has dropped since the last commit.
  /// - Returns: a receipt for each event.
  /// - Throws: if it is unknown whether the events are durable. The store must be closed and reopened then.
  func commit(_ events: [NumberedEvent], dropped: Int) throws(LoadLogError) -> [Receipt]
  /// Releases the right to write without writing.
  func abort()
  /// The number of loads, by state, that got a durable verdict when the store was opened, because their
  /// owners are dead.
  var verdictsAtOpen: [SessionState: Int] { get }
  /// Whether ``maintain(closing:)`` has work to do, and how urgent it is. Cheap to read.
  var maintenance: MaintenanceNeed { get }
  /// Performs work that can wait until callers have their receipts, such as a checkpoint.
  ///
  /// - Parameter closing: whether the store is about to be closed. If so, also does the work that would make
  ///   the next opening slow.
  func maintain(closing: Bool)
  /// Drops loads that finished before a time, in one or more transactions; waits for the right to write. Keeps running
  /// and unbalanced loads, the last load, success and failure of each feed, and all counts.
  ///
  /// The queue does not call it: a store that has a limit prunes in ``maintain(closing:)``. `LoadStoreContract` calls it, if
  /// the store is said to prune.
  ///
  /// - Parameters:
  ///   - cutoff: drops only loads that finished before this time, in microseconds since 1970.
  ///   - limit: the maximum number of loads to drop.
  /// - Returns: the number of dropped loads; if it is less than the limit, there are no more to drop.
  func prune(before cutoff: Int64, limit: Int) throws(LoadLogError) -> Int
  /// Whether commits survive a power cut only after ``synchronize()``, which the queue then calls 5 s after a commit, and
  /// before it closes the store. A store that wraps another one passes on what that says.
  var needsSynchronization: Bool { get }
  /// Makes everything committed so far survive a power cut, for stores whose commits alone do not.
  func synchronize() throws(LoadLogError)
  /// Closes the store.
  ///
  /// - Parameter finally: whether the owner's `close` event was committed, so that its lock is released, too.
  ///   If not, the store will be reopened for the same owner.
  func close(finally: Bool)
}

/// How urgently a store needs maintenance.
public enum MaintenanceNeed: Sendable {
  /// There is nothing to do.
  case none
  /// Maintenance can wait until there is nothing to commit.
  case whenIdle
  /// Maintenance should run before the next commit.
  case soon
}

/// The failures that a committed event survives.
public enum Durability: Sendable, Hashable {
  /// A crash of the process or the kernel and a power cut: each commit reaches the disk before it is
  /// acknowledged.
  case power
  /// A crash of the process. A power cut can lose the commits of the last 10 s.
  case process
}
