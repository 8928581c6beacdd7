#if Fleet
  import LoadLogCore
  import LoadLogSQLite

  /// What does not grow with the loads: feeds, expectations, counters and flips.
  extension FleetQuestion {
    /// Adds the feeds that a filter lets through, with their dates over all hosts. With hosts in the names of feeds a filter
    /// may leave them out.
    ///
    /// - Parameters:
    ///   - filter: the feeds.
    ///   - condition: which feeds of hosts are added, in SQL; nil for all.
    func addFeeds(_ filter: LoadFilter, where condition: String? = nil) throws(LoadLogError) {
      feeds = filter.exactNames
      let isNamed =
        "$2::TEXT[] IS NULL OR f.name = ANY ($2::TEXT[])\(byHost ? " OR \(shownName) = ANY ($2::TEXT[])" : "")"
      let rows = try rows(
        """
        SELECT min(f.name), count(*), \(Self.feedColumns(shownName)) FROM feed AS f \(byHost ? "JOIN host AS h ON h.id = f.host" : "")
        LEFT JOIN text_value AS failure ON failure.host = f.host AND failure.id = f.last_failure
        WHERE f.host = ANY ($1::UUID[]) AND (\(isNamed)) \(condition.map { "AND (\($0))" } ?? "") GROUP BY \(shownName)
        """)
      let verdict = ShippedTable.feed.columns.firstIndex { $0.name == "last_verdict" } ?? 0
      let isExpected = ShippedTable.feed.columns.firstIndex { $0.name == "is_expected" } ?? 0
      var found: [[ShippedValue]] = []
      var names: [String] = []
      for row in rows {
        let values = try Self.values(row, of: .feed, from: 2)
        guard case .text(let shown) = values[1] else { throw .unreadableFleet }
        guard filter.admits(Feed(shown)) || row[0].map({ filter.admits(Feed($0)) }) ?? false else { continue }
        feedsOfHosts += Int(try Self.number(row[1]))
        names.append(shown)
        if values[verdict] == .integer(SessionState.failed.code) { failingFeeds.insert(shown) }
        if values[isExpected] == .integer(1) { hasOnlyExpected = true }
        found.append(values)
      }
      feeds = filter.feeds.isEmpty && condition == nil ? nil : names
      try image.add(found, to: .feed)
    }

    /// Adds the feeds that a filter lets through, for a question about no more than their dates.
    func addDates(_ filter: LoadFilter) throws(LoadLogError) {
      try addFeeds(filter)
      if hasOnlyExpected { try addExpectations() }
    }

    /// Whether a feed of a host may have a ``FeedProblem``: it fails, runs, or has imbalances, or its success may be due.
    var isSuspect: String {
      let now = clock.now().wall
      func due(_ isExpected: String) -> String {
        """
        SELECT d.host, d.id FROM feed AS d JOIN expectation AS e ON e.host = d.host AND \(isExpected)
        WHERE e.is_removed IS NOT TRUE AND e.anywhere IS NOT TRUE
          AND (e.cron IS NOT NULL OR coalesce(d.last_success_started, e.since) + e.every / 1000 <= \(now))
        """
      }
      return """
        (f.host, f.id) IN (
          SELECT d.host, d.id FROM feed AS d
          WHERE d.last_verdict = \(Self.failed) OR greatest(d.last_updated, d.last_success_started) > \(now)
          UNION ALL SELECT s.host, s.feed FROM session AS s WHERE s.state = \(Self.running)
          UNION ALL SELECT s.host, s.feed FROM summary AS s WHERE s.day = -1 AND s.acknowledged <
            s.crashed + s.rebooted + s.abandoned + s.orphan_finish + s.duplicate_finish + s.extra_pop
          UNION ALL \(due("e.pattern = d.name")) UNION ALL \(due("e.is_glob")))
        """
    }

    /// Whether a feed may have an expectation that a success on any host meets.
    var mayBeExpectedAnywhere: String {
      let patterns =
        "SELECT e.pattern FROM expectation AS e WHERE e.host = ANY ($1::UUID[]) AND e.anywhere AND e.is_removed IS NOT TRUE"
      return "f.name IN (\(patterns)) OR EXISTS (\(patterns) AND e.is_glob)"
    }

    /// The columns of ``ShippedTable/feed`` over all hosts: the greatest dates. The last failure and the last verdict are
    /// those of the host where they are newest.
    private static func feedColumns(_ name: String) -> String {
      func newest(_ value: String, by date: String) -> String {
        "(array_agg(\(value) ORDER BY \(date) DESC NULLS LAST, f.host))[1]"
      }
      let verdictTime =
        "CASE WHEN f.last_verdict IS NOT NULL THEN greatest(f.last_updated, f.last_failed) END"
      return ShippedTable.feed.columns.map { column in
        switch column.name {
        case "id": "NULL"
        case "name": name
        case "last_failure": newest("failure.value", by: "f.last_failed")
        case "last_verdict": newest("f.last_verdict", by: verdictTime)
        case "failures":
          // Those of other hosts may have started before the last success.
          """
          CASE WHEN max(f.last_success_started) IS NULL THEN \(sum("f.failures"))
            ELSE \(newest("f.failures", by: "f.last_success_started")) END
          """
        case "overlap_count": sum("f.overlap_count")
        case "is_expected":
          // A feed that pops made known has counters.
          """
          bool_and(f.is_expected AND f.last_attempted IS NULL AND f.last_updated IS NULL AND NOT EXISTS (
            SELECT 1 FROM summary WHERE summary.host = f.host AND summary.day = -1 AND summary.feed = f.id))
          """
        default: "max(f.\(column.name))"
        }
      }.joined(separator: ", ")
    }

    /// Adds the expectations of the added feeds. If hosts expect different things of a feed, the one that was set last
    /// holds.
    func addExpectations() throws(LoadLogError) {
      let pattern = shown("e.pattern")
      let columns = ShippedTable.expectation.columns.map { column in
        switch column.name {
        case "pattern": pattern
        case "since" where !byHost: "coalesce(oldest.since, e.since)"
        default: "e.\(column.name)"
        }
      }
      // What was due anywhere stays due when another host joins.
      let oldest = """
        LEFT JOIN (
          SELECT pattern, every, cron, timezone, min(since) AS since FROM expectation
          WHERE host = ANY ($1::UUID[]) AND anywhere AND is_removed IS NOT TRUE GROUP BY 1, 2, 3, 4
        ) AS oldest ON e.anywhere AND oldest.pattern = e.pattern AND oldest.every IS NOT DISTINCT FROM e.every
          AND oldest.cron IS NOT DISTINCT FROM e.cron AND oldest.timezone IS NOT DISTINCT FROM e.timezone
        """
      let anywhere = ShippedTable.expectation.columns.firstIndex { $0.name == "anywhere" } ?? 0
      try add(
        to: .expectation,
        """
        SELECT DISTINCT ON (\(pattern)) \(columns.joined(separator: ", "))
        FROM expectation AS e JOIN host AS h ON h.id = e.host \(byHost ? "" : oldest)
        WHERE e.host = ANY ($1::UUID[]) AND e.is_removed IS NOT TRUE
          AND ($2::TEXT[] IS NULL OR e.is_glob OR \(pattern) = ANY ($2::TEXT[]))
        ORDER BY \(pattern), e.since DESC, e.host
        """
      ) { row in if row[anywhere] == "t" { expectsAnywhere = true } }
    }

    /// Adds the flips that were noticed in a filter's window.
    func addFlips(_ filter: LoadFilter) throws(LoadLogError) {
      let columns = ShippedTable.flip.columns.map { column in
        switch column.name {
        case "n": "row_number() OVER (ORDER BY l.at, l.host, l.n)"
        case "feed": feed(of: "l")
        default: "l.\(column.name)"
        }
      }
      try add(
        to: .flip,
        """
        SELECT \(columns.joined(separator: ", ")) FROM flip AS l \(feedJoin(of: "l"))
        WHERE \(chosen("l")) AND l.at >= $3::BIGINT AND l.at < $4::BIGINT
        """, [String(filter.since ?? .min), String(filter.until ?? .max)])
    }
  }

  // MARK: - Summaries

  extension FleetQuestion {
    /// Which summaries are added.
    struct Days {
      /// Those of all time.
      var allTime = true
      /// UTC days, by number.
      var days: [Range<Int64>] = []
      /// Days of which only the sum is asked; it has the number of the first one.
      var together: Range<Int64>?
      /// Whether with the histograms of durations, which take longer to add up than all the rest.
      var withHistograms = true
      /// Whether only those are sealed of which a load has no row. For other questions all are, because rows are fetched
      /// only where counters do not answer.
      var sealsOnlyRowless = false

      fileprivate func day(_ row: String) -> String {
        guard let days = together else { return "\(row).day" }
        return """
          CASE WHEN \(row).day >= \(days.lowerBound) AND \(row).day < \(days.upperBound)
            THEN \(days.lowerBound) ELSE \(row).day END
          """
      }

      fileprivate func condition(_ row: String) -> String {
        let days = days.map { "\(row).day >= \($0.lowerBound) AND \(row).day < \($0.upperBound)" }
        return "(\((days + (allTime ? ["\(row).day = -1"] : [])).joined(separator: " OR ")))"
      }
    }

    /// Whether summaries count loads that have no row.
    private func rowless(_ row: String) -> String {
      let complete = hosts.values.map(\.host).filter { $0.loads == ShippedLoads.all.rawValue }.map {
        "'\($0.id.description)'"
      }
      guard !complete.isEmpty else { return "TRUE" }
      return "bool_or(\(row).is_sealed OR \(row).host NOT IN (\(complete.joined(separator: ", "))))"
    }

    func addSummaries(_ days: Days) throws(LoadLogError) {
      let columns = ShippedTable.summary.columns.dropFirst(2).map { column in
        switch column.name {
        case "first_start", "success_least", "other_least": "min(s.\(column.name))"
        case "success_greatest", "other_greatest": "max(s.\(column.name))"
        // Hosts prune on their own, and not every load has a row here: only counters know all of them.
        case "is_sealed": days.sealsOnlyRowless ? rowless("s") : "TRUE"
        // Adding up buckets in SQL would take most of the time of an answer.
        case _ where column.kind == .bytea:
          days.withHistograms ? "string_agg(encode(s.\(column.name), 'hex'), ',')" : "NULL"
        default: Self.sum("s.\(column.name)")
        }
      }
      try add(
        to: .summary,
        """
        SELECT \(days.day("s")), \(feed(of: "s")), \(columns.joined(separator: ", ")), bool_or(s.is_sealed)
        FROM summary AS s \(feedJoin(of: "s")) WHERE \(chosen("s")) AND \(days.condition("s")) GROUP BY 1, 2
        """
      ) { row in if row.last == "t" { hasPrunedLoads = true } }
    }

    /// Adds the counts of imbalances by call site.
    func addSites(_ days: Days) throws(LoadLogError) {
      // Where no load is shipped as a row, only counters of days say when a call site was unbalanced last.
      let columns = ShippedTable.site.columns.map { column in
        switch column.name {
        case "feed": feed(of: "s")
        case "call_site": "site.value"
        case "count": Self.sum("s.count")
        default: "s.\(column.name)"
        }
      }
      try add(
        to: .site,
        """
        SELECT \(columns.joined(separator: ", ")) FROM site AS s \(feedJoin(of: "s"))
        LEFT JOIN text_value AS site ON site.host = s.host AND site.id = s.call_site
        WHERE \(chosen("s")) AND (\(days.condition("s")) OR s.day >= 0 AND s.host = ANY ($3::UUID[]))
        GROUP BY 1, 2, 3, 4, 5 HAVING sum(s.count) <> 0
        """, [rowlessHosts ?? "{}"])
    }
  }
#endif
