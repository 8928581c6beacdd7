#if Fleet
  public import LoadLogCore
  import LoadLogSQLite

  /// Questions about single loads, of which a fleet's database has what hosts ship as rows.
  extension FleetReader {
    /// The numbers of each feed for each hour with loads; empty unless all hosts ship all loads as rows.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func hours(_ filter: LoadFilter) throws(LoadLogError) -> [HourNumbers] {
      try ask { (question) throws(LoadLogError) in
        // Of single loads only the unusual ones may be there, which say nothing of an hour.
        guard question.hasAllLoads else { return [] }
        try question.addFeeds(filter)
        try question.addAllSessions(StatusWindow(filter).bounds)
        return try question.reader().hours(filter.ofImage)
      }
    }

    /// The loads that match a filter and are shipped as rows. Those that only counters know are reported as pruned.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func history(_ filter: LoadFilter) throws(LoadLogError) -> LoadPage {
      try ask { (question) throws(LoadLogError) in
        try question.addFeeds(filter)
        try question.addSummaries(FleetQuestion.Days(withHistograms: false))
        var choice = try question.choice(filter)
        let direction = filter.oldestFirst ? "ASC" : "DESC"
        choice.order = ["started_at", "host", "seq"].map { "s.\($0) \(direction)" }.joined(separator: ", ")
        choice.order = "ORDER BY \(choice.order) LIMIT \(filter.limit.map { 2 * $0 } ?? .max)"
        // A copied store ships its loads twice, and an image holds each id once.
        try question.addSessions(choice)
        var page = try question.reader().history(filter.ofImage)
        question.nameHosts(of: &page.loads)
        let hasEveryRow = try question.hasEveryRow()
        if filter.wantsTotal { page.total = try question.total(filter, hasEveryRow) }
        (page.pruned, page.prunedDays) = try question.rowless(filter, hasEveryRow)
        page.hostsWithoutRows = try question.hostsWithoutRows()
        if filter.text != nil { page.hostsWithoutMessages = try question.hostsWithoutMessages() }
        return page
      }
    }

    /// The loads whose ids end in the given digits; at most 10. Reads all loads unless the digits are a whole id.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func loads(endingIn tail: String) throws(LoadLogError) -> [LoadingSession] {
      guard let digits = IDTail.digits(of: tail) else { return [] }
      return try ask { (question) throws(LoadLogError) in
        try question.addFeeds(LoadFilter())
        let isWhole = digits.count == 32
        try question.addSessions(
          FleetQuestion.Choice(
            condition: isWhole ? "s.id = $3::UUID" : "replace(CAST(s.id AS TEXT), '-', '') LIKE $3",
            values: [isWhole ? digits : "%\(digits)"], order: "LIMIT 10"))
        var loads = try question.reader().loads(endingIn: tail)
        question.nameHosts(of: &loads)
        return loads
      }
    }

    /// The unfinished starts and unmatched finishes that match a filter and are shipped as rows, newest first.
    ///
    /// - Throws: what ``feeds()`` throws.
    public func unbalanced(_ filter: LoadFilter) throws(LoadLogError) -> [Imbalance] {
      try ask { (question) throws(LoadLogError) in
        try question.addFeeds(filter)
        let limit = "LIMIT \(filter.limit ?? .max)"
        var window = LoadFilter(since: filter.since, until: filter.until)
        window.states = [.crashed, .rebooted, .abandoned]
        var choice = try question.choice(window)
        choice.order = "ORDER BY s.started_at DESC, s.id DESC \(limit)"
        try question.addSessions(choice)
        try question.addUnmatched(
          FleetQuestion.Choice(
            condition: "u.kind <= 2 AND u.at >= $3::BIGINT AND u.at < $4::BIGINT",
            values: [String(filter.since ?? .min), String(filter.until ?? .max)],
            order: "ORDER BY u.at DESC, u.id DESC \(limit)"))
        var imbalances = try question.reader().unbalanced(filter.ofImage)
        question.nameHosts(of: &imbalances)
        return imbalances
      }
    }

    /// The finish times of the last successes of feeds that are shipped as rows, each newest first; wall times in
    /// microseconds since 1970.
    ///
    /// - Parameters:
    ///   - feeds: the feeds.
    ///   - limit: the maximum number of times of a feed.
    /// - Throws: what ``feeds()`` throws.
    public func successes(of feeds: [Feed], limit: Int) throws(LoadLogError) -> [Feed: [Int64]] {
      try ask { (question) throws(LoadLogError) in
        var found: [Feed: [Int64]] = [:]
        // Many feeds at once, so that a database far away does not take a way there and back for each.
        for start in stride(from: 0, to: feeds.count, by: Self.feedsAtOnce) {
          let part = feeds[start..<min(start + Self.feedsAtOnce, feeds.count)]
          let times = try question.successes(of: part, limit: limit)
          for (feed, times) in zip(part, times) { found[feed] = times }
        }
        return found
      }
    }

    /// The number of feeds whose successes are held at once as rows.
    private static let feedsAtOnce = 25
  }

  extension FleetReader: CountedReading {
    /// The number of imbalances of feeds, over all time, of which no host has shipped a row.
    package func imbalancesWithoutRows(_ feeds: [FeedPattern]) throws(LoadLogError) -> Int {
      try ask { (question) throws(LoadLogError) in
        try question.addFeeds(LoadFilter(feeds: feeds))
        return try question.countRowlessImbalances()
      }
    }
  }
#endif
