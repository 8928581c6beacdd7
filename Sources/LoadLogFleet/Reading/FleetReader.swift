#if Fleet
  public import LoadLogCore
  import LoadLogSQLite
  import Synchronization

  /// Answers questions about many hosts from a fleet's database, with the rules by which a store answers.
  ///
  /// A question fetches what it needs, added up over the hosts by the names of feeds, in one read-only transaction. What
  /// is known of durations are histograms, so quantiles are estimates, and a window that cuts a UTC day counts the whole
  /// day. Busy time and peak depth of a fleet are unknown.
  ///
  /// May be used from any thread; questions are answered one after another. Each blocks the thread while the database works,
  /// 30 s for each statement at most, an export longer: ask on a thread of your own, not in Swift's cooperative pool.
  public final class FleetReader: LoadReading {
    private struct State {
      // Mutex takes care that one thread uses it at a time.
      nonisolated(unsafe) let database: FleetDatabase
    }

    private let options: FleetReaderOptions
    let clock: any LoadClock
    private let state: Mutex<State>

    /// Creates a reader, which connects with its first question.
    ///
    /// - Parameters:
    ///   - address: a PostgreSQL URL without a password; nil for `$LOADLOG_FLEET`, or the file `loadlog/fleet` in
    ///     `$XDG_CONFIG_HOME` or `~/.config`.
    ///   - hosts: names or patterns of hosts; empty for all that are not retired.
    ///   - byHost: whether feeds are named `HOST/FEED`. Otherwise feeds of the same name are one feed.
    /// - Throws: `invalidInput` or `fleetUnusable` if the address is malformed, missing, or not safe.
    public convenience init(
      at address: String? = nil, hosts: [FeedPattern] = [], byHost: Bool = false
    ) throws(LoadLogError) {
      self.init(try FleetAddress.find(address), FleetReaderOptions(hosts: hosts, byHost: byHost))
    }

    /// Makes a reader, which connects with its first question.
    package init(
      _ address: FleetAddress, _ options: FleetReaderOptions = FleetReaderOptions(),
      clock: any LoadClock = BootClock()
    ) {
      self.options = options
      self.clock = clock
      let address = options.deadline.map { address.connecting(within: $0) } ?? address
      let advice = "Ask as the role that loadlog fleet init --reader ROLE has named."
      state = Mutex(State(database: FleetDatabase(address, withoutRights: advice)))
    }
  }

  extension FleetReaderOptions {
    /// How long the database may take from now on: the reads of one question share its time.
    fileprivate var patience: Patience {
      deadline.map { Patience(question: $0, left: QuestionDeadline.left) } ?? .usual
    }
  }

  // MARK: - Asking

  extension FleetReader {
    /// Connects, so that the next question has all of its time, however many hosts of the address are silent.
    ///
    /// - Throws: `fleetUnreachable`, `fleetUnusable` or `busy`.
    package func connect() throws(LoadLogError) {
      try transaction(.usual) { (_) throws(LoadLogError) in }
    }

    /// Asks the database, in one transaction.
    func ask<Value: Sendable>(
      byHost: Bool? = nil, _ patience: Patience? = nil, _ body: (FleetQuestion) throws(LoadLogError) -> Value
    ) throws(LoadLogError) -> Value {
      do throws(LoadLogError) {
        return try transaction(patience) { (connection) throws(LoadLogError) in
          let answer = try connection.run(
            """
            SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;
            \(Self.withoutCompiling);
            SELECT \(FleetHostRow.columns) FROM fleet_hosts
            """)
          var hosts = answer.rows.compactMap { FleetHostRow($0) }
          let shared = FleetHost.sharedNames(hosts.map(\.host))
          for index in hosts.indices { hosts[index].host.distinguish(shared) }
          hosts = try chosen(hosts)
          return try body(
            FleetQuestion(connection, hosts: hosts, byHost: byHost ?? options.byHost, clock: clock))
        }
      } catch {
        guard error.code == .damaged else { throw error }
        throw LoadLogError(
          .damaged, what: "the fleet's database", why: error.why, advice: "Sync its hosts again.",
          underlying: error.underlying)
      }
    }

    /// Keeps PostgreSQL from compiling the statements of a question, which takes longer than to run them. A related
    /// database may not know the setting.
    private static let withoutCompiling =
      "SELECT set_config('jit', 'off', TRUE) WHERE current_setting('jit', TRUE) IS NOT NULL"

    /// Asks the database, whatever hosts are chosen.
    func transaction<Value: Sendable>(
      _ given: Patience? = nil, _ body: (PostgresConnection) throws(LoadLogError) -> Value
    ) throws(LoadLogError) -> Value {
      try state.withLock { state throws(LoadLogError) in
        let wasConnected = state.database.isConnected
        do throws(LoadLogError) {
          return try state.database.transaction(given ?? options.patience, body)
        } catch {
          // A connection that was kept since an earlier question may have ended since.
          guard wasConnected, error.isLostConnection else { throw error }
          return try state.database.transaction(given ?? options.patience, body)
        }
      }
    }

    private func chosen(_ hosts: [FleetHostRow]) throws(LoadLogError) -> [FleetHostRow] {
      guard !options.hosts.isEmpty else { return hosts.filter { $0.host.state != .retired } }
      for pattern in options.hosts where !hosts.contains(where: { Self.chooses(pattern, $0.host) }) {
        throw LoadLogError(
          .notFound, what: "host", value: pattern.text,
          why: pattern.isGlob ? "no host in use matches this pattern" : "the fleet does not know it",
          advice: "List all: loadlog fleet hosts")
      }
      // A store that ships as a new host has the name of the one that was retired for it, and all of its loads.
      let retired = hosts.map(\.host).filter { $0.state == .retired }.sorted { $0.heard > $1.heard }
      return hosts.filter { row in
        let host = row.host
        guard options.hosts.contains(where: { Self.chooses($0, host) }) else { return false }
        return host.state != .retired
          || !hosts.contains { $0.host.name == host.name && $0.host.state != .retired }
            && retired.first { $0.name == host.name }?.id == host.id
      }
    }

    /// Whether a pattern may choose a host: a retired one must be named in full.
    private static func chooses(_ pattern: FeedPattern, _ host: FleetHost) -> Bool {
      host.isNamed(by: pattern) && (!pattern.isGlob || host.state != .retired)
    }
  }

  extension LoadFilter {
    /// The filter for an image, which holds only feeds that this one lets through.
    var ofImage: LoadFilter {
      var filter = self
      if !feeds.isEmpty { filter.feeds = ["*"] }
      return filter
    }
  }

  // MARK: - Feeds and numbers

  extension FleetReader {
    /// All feeds of the chosen hosts, ordered by name.
    ///
    /// - Throws: `fleetUnreachable`, `fleetUnusable`, `busy` if the database did not answer in time, `damaged`, or `notFound`
    ///   if a pattern matches no host; so do the other questions.
    public func feeds() throws(LoadLogError) -> [Feed] {
      try ask { (question) throws(LoadLogError) in
        try question.addDates(LoadFilter())
        return try question.reader().feeds()
      }
    }

    /// The feeds that a pattern names, with or without a host.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func feeds(matching pattern: FeedPattern) throws(LoadLogError) -> [Feed] {
      try ask { (question) throws(LoadLogError) in
        try question.addDates(LoadFilter(feeds: [pattern]))
        return try question.reader().feeds()
      }
    }

    /// The greatest dates of a feed over the hosts; nil if no host knows it. The last failure and verdict are the newest.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func dates(of feed: Feed) throws(LoadLogError) -> FeedDates? {
      try ask { (question) throws(LoadLogError) in
        try question.addDates(LoadFilter(feeds: [FeedPattern(exactly: feed)]))
        return try question.reader().dates(of: feed)
      }
    }

    /// All expectations, ordered by pattern. Of several hosts' for one pattern, the one that was set last.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func expectations() throws(LoadLogError) -> [FeedExpectation] {
      try ask { (question) throws(LoadLogError) in
        try question.addExpectations()
        return try question.reader().expectations()
      }
    }

    /// The flips of the matching feeds, as the notifiers of the hosts noticed them in the window, in their order.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func flips(_ filter: LoadFilter) throws(LoadLogError) -> [FeedFlip] {
      try ask { (question) throws(LoadLogError) in
        try question.addFeeds(filter)
        try question.addFlips(filter)
        return try question.reader().flips(filter.ofImage)
      }
    }

    /// The dates and numbers of each feed and of all hosts together. Quantiles are estimates.
    ///
    /// With hosts in the names of feeds, a feed for which a success on any host is enough is there once more, by its own
    /// name: that one can be late.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func status(_ filter: LoadFilter, runningLimit: Int64?) throws(LoadLogError) -> StatusSummary {
      try status(filter, runningLimit) { (image) throws(LoadLogError) in
        try image.status(filter.ofImage, runningLimit: runningLimit)
      }
    }

    /// The status of each feed and of all hosts together, with the durations of chosen feeds.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func status(
      _ filter: LoadFilter, runningLimit: Int64?, durationsOf choose: (StatusSummary) -> Set<Feed>
    ) throws(LoadLogError) -> StatusSummary {
      try status(filter, runningLimit) { (image) throws(LoadLogError) in
        try image.status(filter.ofImage, runningLimit: runningLimit, durationsOf: choose)
      }
    }

    private func status(
      _ filter: LoadFilter, _ runningLimit: Int64?,
      _ answer: (SQLiteLoadReader) throws(LoadLogError) -> StatusSummary
    ) throws(LoadLogError) -> StatusSummary {
      try ask { (question) throws(LoadLogError) in
        var summary = try answer(imageForStatus(filter, question))
        try question.addUnseenRunning(to: &summary)
        question.nameHosts(of: &summary.feeds)
        try addExpectedAnywhere(to: &summary, filter, runningLimit: runningLimit, question)
        return summary
      }
    }

    /// An image of what the status of feeds needs.
    private func imageForStatus(
      _ filter: LoadFilter, _ question: FleetQuestion
    ) throws(LoadLogError) -> SQLiteLoadReader {
      let window = StatusWindow(filter.ofWholeDays)
      try question.addFeeds(filter)
      try question.addExpectations()
      var days = FleetQuestion.Days()
      if !window.isAllTime { days.days = [window.days] }
      try question.addSites(days)
      if question.feedsOfHosts > DurationTrend.mostFeeds {
        days.together = window.days
      } else {
        let now = clock.now().wall
        days.days.append(
          DurationTrend.earlier(at: now).lowerBound.number..<DurationTrend.recent(at: now).upperBound.number)
      }
      try question.addSummaries(days)
      try question.addCurrentLoads()
      try question.addNewestImbalances(window.bounds)
      return try question.reader()
    }

    /// Adds the feeds for which a success on any host is enough, if all others are those of single hosts.
    private func addExpectedAnywhere(
      to summary: inout StatusSummary, _ filter: LoadFilter, runningLimit: Int64?, _ question: FleetQuestion
    ) throws(LoadLogError) {
      guard question.byHost, question.expectsAnywhere else { return }
      summary.feeds += try expectedAnywhere(filter, runningLimit: runningLimit, question)
      summary.feeds.sort { $0.feed < $1.feed }
    }

    /// The feeds for which a success on any host is enough: their dates over all hosts, and whether they are late. Their
    /// loads, and what else is wrong with them, are those of the hosts.
    private func expectedAnywhere(
      _ filter: LoadFilter, runningLimit: Int64?, _ question: FleetQuestion
    ) throws(LoadLogError) -> [FeedStatus] {
      let question = try FleetQuestion(
        question.connection, hosts: Array(question.hosts.values), byHost: false, clock: clock)
      let filter = LoadFilter(feeds: filter.feeds)
      try question.addFeeds(filter, where: question.mayBeExpectedAnywhere)
      try question.addExpectations()
      try question.addSummaries(FleetQuestion.Days())
      try question.addSessions(FleetQuestion.Choice(condition: "s.state = \(FleetQuestion.running)"))
      let feeds = try question.reader().status(filter.ofImage, runningLimit: runningLimit).feeds
      return feeds.filter { $0.expectation?.expectation.anywhere == true }.map { feed in
        var feed = feed
        feed.problems.removeAll { $0 != .late }
        feed.numbers = LoadNumbers()
        (feed.oldestRunning, feed.lostLoad) = (nil, nil)
        return feed
      }
    }

    /// The feeds of single hosts, named `HOST/FEED`, of which something may be wrong. Those of which nothing can be are
    /// left out, which makes this much faster than ``status(_:runningLimit:)`` of all.
    ///
    /// - Throws: what ``feeds()`` throws.
    package func suspects(_ feeds: [FeedPattern]) throws(LoadLogError) -> [FeedStatus] {
      try ask(byHost: true) { (question) throws(LoadLogError) in
        let filter = LoadFilter(feeds: feeds)
        try question.addFeeds(filter, where: question.isSuspect)
        try question.addExpectations()
        try question.addSummaries(FleetQuestion.Days())
        try question.addCurrentLoads()
        return try question.reader().status(filter.ofImage, runningLimit: nil).feeds
      }
    }

    /// The numbers of each UTC day with loads: those of all matching feeds together, then those of single feeds.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func days(_ filter: LoadFilter, listing feeds: Set<Feed>) throws(LoadLogError) -> [DayNumbers] {
      try ask { (question) throws(LoadLogError) in
        try question.addFeeds(filter)
        let window = StatusWindow(filter)
        let days = window.isAllTime ? 0..<Int64.max : window.days
        try question.addSummaries(FleetQuestion.Days(allTime: false, days: [days]))
        return try question.reader().days(filter.ofImage, listing: feeds)
      }
    }

    /// `BusySummary.unknown`: hosts do not ship when their feeds were busy.
    public func busy(
      _ filter: LoadFilter, progress: (_ done: Int64, _ total: Int64) -> Void
    ) throws(LoadLogError) -> BusySummary { .unknown }
  }
#endif
