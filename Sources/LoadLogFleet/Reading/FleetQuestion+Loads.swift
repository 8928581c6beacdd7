#if Fleet
  import LoadLogCore
  import LoadLogSQLite

  /// What is shipped as rows: loads and unmatched finishes.
  extension FleetQuestion {
    /// A choice of rows; the parameters of its condition begin with `$3`.
    struct Choice {
      var condition: String
      var values: [String?] = []
      /// `ORDER BY`, `LIMIT`.
      var order = ""
      /// Expressions of which each combination keeps the first row of the order.
      var distinct: [String] = []
    }

    /// The code of a load's state, for SQL.
    static let running = 0, failed = 3, firstUnfinished = 6

    /// Adds loads, as `s`.
    func addSessions(_ choice: Choice) throws(LoadLogError) {
      for row in try rows(select(.session, choice), choice.values) {
        let row = try LoadRow(row, of: .session)
        sessions[row.key] = row.values
      }
    }

    /// Adds unmatched finishes, as `u`.
    func addUnmatched(_ choice: Choice) throws(LoadLogError) {
      for row in try rows(select(.unmatched, choice), choice.values) {
        let row = try LoadRow(row, of: .unmatched)
        unmatched[row.key] = row.values
      }
    }

    /// Adds all loads that started in bounds, which may be too many to hold them here. No other loads may be added.
    func addAllSessions(_ bounds: Range<Int64>) throws(LoadLogError) {
      try addAll(.session, "s.started_at >= $3::BIGINT AND s.started_at < $4::BIGINT", bounds)
    }

    /// Adds all unmatched finishes in bounds; see ``addAllSessions(_:)``.
    func addAllUnmatched(_ bounds: Range<Int64>) throws(LoadLogError) {
      try addAll(.unmatched, "u.at >= $3::BIGINT AND u.at < $4::BIGINT", bounds)
    }

    private func addAll(
      _ table: ShippedTable, _ condition: String, _ bounds: Range<Int64>
    ) throws(LoadLogError) {
      holdsAllRows = false
      let alias = Self.alias(of: table)
      let choice = Choice(
        condition: condition, values: [String(bounds.lowerBound), String(bounds.upperBound)])
      var part: [LoadRow] = []
      var first: Int64 = 1
      try forEachRow("\(select(table, choice)) ORDER BY \(alias).host, \(alias).seq", choice.values) {
        row throws(LoadLogError) in
        part.append(try LoadRow(row, of: table))
        guard part.count == Self.rowsOfPart else { return }
        try add(part, to: table, numberedFrom: first)
        first += Int64(part.count)
        part.removeAll(keepingCapacity: true)
      }
      try add(part, to: table, numberedFrom: first)
    }

    private static func alias(of table: ShippedTable) -> String { table == .session ? "s" : "u" }

    /// The loads but those whose ends were not shipped: of these, only counters have the verdicts.
    private static let isKnown = "s.state IS NOT NULL"

    /// Selects what a ``LoadRow`` reads.
    private func select(_ table: ShippedTable, _ choice: Choice) -> String {
      let alias = Self.alias(of: table)
      let texts = table.columns.filter { $0.target == .text }.map(\.name)
      let columns = table.columns.map { column in
        if column.namesFeed { return "\(alias).shown_feed" }
        return texts.contains(column.name) ? "text_\(column.name).value" : "\(alias).\(column.name)"
      }
      func join(_ name: String) -> String {
        """
        LEFT JOIN text_value AS text_\(name) ON text_\(name).host = \(alias).host AND text_\(name).id = \(alias).\(name)
        """
      }
      let isDistinct = !choice.distinct.isEmpty
      let distinct = isDistinct ? "DISTINCT ON (\(choice.distinct.joined(separator: ", ")))" : ""
      let order =
        isDistinct ? "ORDER BY \(choice.distinct.joined(separator: ", ")), \(choice.order)" : choice.order
      return """
        SELECT \(alias).host, \(columns.joined(separator: ", ")) FROM (
          SELECT \(distinct) \(alias).*, \(feed(of: alias)) AS shown_feed
          FROM \(table.rawValue) AS \(alias) \(feedJoin(of: alias)) \(isDistinct ? join("call_site") : "")
          WHERE \(chosen(alias)) AND \(table == .session ? Self.isKnown : "TRUE") AND (\(choice.condition)) \(order)) AS \(alias)
        \(texts.map(join).joined(separator: " "))
        """
    }

    /// Whether a row is not acknowledged.
    func isOpen(_ row: String) -> String {
      """
      NOT EXISTS (SELECT 1 FROM acknowledgement AS a
        WHERE a.host = \(row).host AND a.id = \(row).id AND a.is_removed IS NOT TRUE)
      """
    }
  }

  // MARK: - What status shows

  extension FleetQuestion {
    /// The greatest number of loads that failed or never finished that are fetched to judge feeds.
    static let mostTroubles = 10_000

    /// Adds what runs, and what failed or never finished since the last success of its feed.
    func addCurrentLoads() throws(LoadLogError) {
      try addSessions(Choice(condition: "s.state = \(Self.running)"))
      let successes = try rows(
        """
        SELECT \(shownName), max(f.last_success_started) FROM feed AS f \(byHost ? "JOIN host AS h ON h.id = f.host" : "")
        WHERE \(chosen("f")) GROUP BY 1
        """)
      var values: [[ShippedValue]] = []
      var first = Int64.max
      for row in successes {
        let success = row[1] == nil ? .min : try Self.number(row[1])
        first = min(first, success)
        values.append([.text(row[0] ?? ""), .integer(success)])
      }
      // The earliest of them lets the index skip what is older.
      try addSessions(
        Choice(
          condition: """
            (s.state = \(Self.failed) OR s.state >= \(Self.firstUnfinished)) AND s.started_at > \(first) AND EXISTS (
              SELECT 1 FROM unnest($3::TEXT[], $4::BIGINT[]) AS success (feed, started)
              WHERE success.feed = \(shownName) AND s.started_at > success.started)
            """,
          values: [
            PostgresArray.text(of: values[...], column: 0), PostgresArray.text(of: values[...], column: 1),
          ],
          order: "ORDER BY s.started_at DESC, s.host DESC, s.seq DESC LIMIT \(Self.mostTroubles)"))
      try addOlderFailures()
    }

    /// Adds the last failure of feeds whose last verdict is one, but of a load that started before the last success.
    private func addOlderFailures() throws(LoadLogError) {
      let columns = ShippedTable.session.columns.map(\.name)
      guard let feed = columns.firstIndex(of: "feed"), let state = columns.firstIndex(of: "state"),
        let retried = columns.firstIndex(of: "is_retried")
      else { return }
      var missing = failingFeeds
      for row in sessions.values
      where row[state] == .integer(SessionState.failed.code) && row[retried] != .integer(1) {
        if case .text(let name) = row[feed] { missing.remove(name) }
      }
      guard !missing.isEmpty else { return }
      try addSessions(
        Choice(
          condition:
            "s.state = \(Self.failed) AND s.is_retried IS NOT TRUE AND \(shownName) = ANY ($3::TEXT[])",
          values: [PostgresArray.text(missing.sorted())], order: "s.started_at DESC, s.host DESC, s.seq DESC",
          distinct: [shownName]))
    }

    /// Adds to a status what runs on hosts that ship no loads as rows, of which only the number is known.
    func addUnseenRunning(to summary: inout StatusSummary) throws(LoadLogError) {
      guard let rowlessHosts else { return }
      // A load may have been shipped as a row before its host stopped to ship any.
      let rows = try rows(
        """
        SELECT \(shownName), s.host, s.loads - s.succeeded - s.unchanged - s.failed - s.cancelled - s.ended
          - s.crashed - s.rebooted - s.abandoned
          - (SELECT count(*) FROM session AS r WHERE r.host = s.host AND r.feed = s.feed AND r.state = \(Self.running))
        FROM summary AS s \(feedJoin(of: "s"))
        WHERE \(chosen("s")) AND s.host = ANY ($3::UUID[]) AND s.day = -1 AND s.feed <> 0
        """, [rowlessHosts])
      let positions = Dictionary(zip(summary.feeds.map(\.feed.name), summary.feeds.indices)) { first, _ in
        first
      }
      for row in rows {
        guard let position = row[0].flatMap({ positions[$0] }) else { continue }
        let isAlive = hosts[try Self.id(row[1])]?.host.state == .alive
        let kind: WritableKeyPath<LoadNumbers, Int> = isAlive ? \.running : \.unknown
        let count = Int(clamping: max(0, try Self.number(row[2])))
        summary.feeds[position].numbers[keyPath: kind] += count
        summary.totals[keyPath: kind] += count
      }
    }

    /// The number of imbalances of the added feeds, over all time, that only counters know.
    func countRowlessImbalances() throws(LoadLogError) -> Int {
      // The counters of a host as a whole have the finishes of unknown feeds, too.
      let row = try rows(
        """
        SELECT coalesce((
          SELECT \(Self.sum("s.crashed + s.rebooted + s.abandoned + s.orphan_finish + s.duplicate_finish + s.extra_pop"))
          FROM summary AS s \(feedJoin(of: "s"))
          WHERE \(chosen("s")) AND s.day = -1 AND s.feed \(feeds == nil ? "=" : "<>") 0
        ), 0) - (
          SELECT count(*) FROM session AS s \(feedJoin(of: "s"))
          WHERE \(chosen("s")) AND s.state >= \(Self.firstUnfinished)
        ) - (
          SELECT count(*) FROM unmatched AS u \(feedJoin(of: "u")) WHERE \(chosen("u")) AND u.kind <= 2
        )
        """)
      return max(0, Int(clamping: try Self.number(row.first?[0])))
    }

    /// Adds the last imbalance of each call site within bounds.
    func addNewestImbalances(_ bounds: Range<Int64>) throws(LoadLogError) {
      let values = [String(bounds.lowerBound), String(bounds.upperBound)]
      try addSessions(
        Choice(
          condition: """
            s.state >= \(Self.firstUnfinished) AND s.started_at >= $3::BIGINT AND s.started_at < $4::BIGINT
            AND \(isOpen("s"))
            """,
          values: values, order: "s.started_at DESC, s.host DESC, s.seq DESC",
          distinct: [shownName, "s.state", "s.is_anonymous", "text_call_site.value"]))
      try addUnmatched(
        Choice(
          condition: "u.kind <= 2 AND u.at >= $3::BIGINT AND u.at < $4::BIGINT AND \(isOpen("u"))",
          values: values, order: "u.at DESC, u.host DESC, u.seq DESC",
          distinct: [shownName, "u.kind", "text_call_site.value"]))
    }
  }

  // MARK: - What history finds

  extension FleetQuestion {
    /// The loads that a filter lets through, without its limit.
    func choice(_ filter: LoadFilter) throws(LoadLogError) -> Choice {
      let now = clock.now().wall
      var conditions = ["TRUE"]
      var values: [String?] = []
      func parameter(_ value: String) -> String {
        values.append(value)
        return "$\(values.count + 2)"
      }
      if !filter.states.isEmpty { conditions.append(states(filter.states)) }
      if let until = filter.until { conditions.append("s.started_at < \(until)") }
      if let since = filter.since {
        conditions.append(
          """
          (s.started_at >= \(since) OR CASE WHEN s.state = \(Self.running) THEN \(now)
            ELSE s.started_at + coalesce(s.duration, 0) / 1000 END > \(since))
          """)
      }
      if let least = filter.minimumDuration {
        conditions.append(
          """
          CASE WHEN s.state <> \(Self.running) THEN s.duration
            WHEN \(isSeen) THEN (\(now) - s.started_at) * 1000
            ELSE greatest(0, (
              SELECT CASE WHEN owner.kind IN ('detached', 'remote') THEN s.started_at ELSE owner.last_commit_at END
              FROM owner WHERE owner.host = s.host AND owner.id = s.owner) - s.started_at) * 1000
          END >= \(least)
          """)
      }
      if let tag = filter.tag {
        conditions.append(
          """
          EXISTS (SELECT 1 FROM text_value AS tag
            WHERE tag.host = s.host AND tag.id = s.tag AND tag.value = \(parameter(tag)))
          """)
      }
      if let text = filter.text?.lowercased() {
        // Which upper and lower case of other letters PostgreSQL knows depends on how the database was made.
        let match =
          text.utf8.allSatisfy { $0 < 0x80 }
          ? "strpos(lower(part.value), \(parameter(text))) > 0"
          : "part.value = ANY (\(parameter(PostgresArray.text(try texts(containing: text))))::TEXT[])"
        conditions.append(
          """
          EXISTS (SELECT 1 FROM text_value AS part
            WHERE part.host = s.host AND part.id IN (s.message, s.reason) AND \(match))
          """)
      }
      return Choice(condition: conditions.joined(separator: " AND "), values: values)
    }

    /// The texts that contain one that is not plain ASCII, whatever the case.
    private func texts(containing part: String) throws(LoadLogError) -> [String] {
      var found: [String] = []
      // One by one: these may be all messages of all hosts.
      try connection.forEachRow(
        """
        SELECT DISTINCT value FROM text_value
        WHERE host = ANY ($1::UUID[]) AND octet_length(value) <> char_length(value)
        """, [hostIDs]
      ) { row throws(LoadLogError) in
        if let text = row[0], text.lowercased().contains(part) { found.append(text) }
      }
      return found
    }

    /// The loads that run if they have no end: those of hosts that are alive, with a process that could end them.
    private var isSeen: String {
      let alive = hosts.values.map(\.host).filter { $0.state == .alive }.map { "'\($0.id.description)'" }
      guard !alive.isEmpty else { return "FALSE" }
      return """
        (s.host IN (\(alive.joined(separator: ", ")))
          AND NOT EXISTS (
            SELECT 1 FROM owner AS o WHERE o.host = s.host AND o.id = s.owner AND o.kind = 'detached'))
        """
    }

    /// The loads that are shown in one of several states.
    private func states(_ states: Set<ShownState>) -> String {
      let codes = SessionState.allCases.filter { $0 != .running && states.contains(ShownState($0)) }.map(
        \.code)
      var conditions = codes.isEmpty ? [] : ["s.state IN (\(codes.map(String.init).joined(separator: ", ")))"]
      if states.contains(.running) { conditions.append("(s.state = \(Self.running) AND \(isSeen))") }
      if states.contains(.unknown) { conditions.append("(s.state = \(Self.running) AND NOT \(isSeen))") }
      return "(\(conditions.joined(separator: " OR ")))"
    }

    /// The number of loads that are rows, by UTC day if asked.
    func countSessions(_ choice: Choice, byDay: Bool = false) throws(LoadLogError) -> [Int64: Int] {
      // In CockroachDB a quotient is a decimal.
      let number = "CAST((s.started_at - s.started_at % \(UTCDay.length)) / \(UTCDay.length) AS BIGINT)"
      let day = byDay ? "greatest(0, \(number))" : "-1"
      let rows = try rows(
        """
        SELECT \(day), count(*) FROM session AS s \(feedJoin(of: "s"))
        WHERE \(chosen("s")) AND \(Self.isKnown) AND (\(choice.condition)) GROUP BY 1
        """, choice.values)
      return try Self.counts(rows)
    }

    /// Whether every load of the added feeds is a row: each was shipped as one, and none was pruned, there or here.
    func hasEveryRow() throws(LoadLogError) -> Bool {
      guard hasAllLoads, !hasPrunedLoads else { return false }
      // Pruning here deletes the counters of days, too.
      let ofDays = try countLoads(LoadFilter(), on: 0..<Int64.max)
      return try countLoads(LoadFilter())[-1, default: 0] == ofDays.values.reduce(0, +)
    }

    /// The number of loads that a filter lets through.
    ///
    /// - Parameter hasEveryRow: ``hasEveryRow()``.
    func total(_ filter: LoadFilter, _ hasEveryRow: Bool) throws(LoadLogError) -> Int {
      let isCounted = filter == LoadFilter(feeds: filter.feeds, limit: filter.limit) && hasEveryRow
      return try (isCounted ? countLoads(filter) : countSessions(try choice(filter))).values.reduce(0, +)
    }

    /// The number of loads that a filter may let through, but that only counters know; and, with a window, the days on
    /// which they started.
    ///
    /// - Parameter hasEveryRow: ``hasEveryRow()``.
    func rowless(
      _ filter: LoadFilter, _ hasEveryRow: Bool
    ) throws(LoadLogError) -> (loads: Int, days: ClosedRange<UTCDay>?) {
      guard !hasEveryRow else { return (0, nil) }
      let isAllTime = filter.since == nil && filter.until == nil
      var days: Range<Int64>?
      if !isAllTime {
        let first = max(0, UTCDay(of: filter.since ?? 0).number)
        days = first..<max(first, UTCDay(of: (filter.until ?? .max).subtractingClamping(1)).number) + 1
      }
      var stored = LoadFilter(states: filter.states.subtracting([.running, .unknown]))
      (stored.since, stored.until) = (
        days.map { UTCDay(number: $0.lowerBound).start }, days.map { UTCDay(number: $0.upperBound).start }
      )
      var left = filter.states.isEmpty || !stored.states.isEmpty ? try countLoads(stored, on: days) : [:]
      for (day, count) in try countSessions(try starts(stored), byDay: !isAllTime) {
        left[day, default: 0] -= count
      }
      left = left.filter { $0.value > 0 }
      guard let first = left.keys.min(), let last = left.keys.max() else { return (0, nil) }
      let span = isAllTime ? nil : UTCDay(number: first)...UTCDay(number: last)
      return (left.values.reduce(0, +), span)
    }

    /// The loads that started in a filter's window, in its states.
    private func starts(_ filter: LoadFilter) throws(LoadLogError) -> Choice {
      var choice = try choice(LoadFilter(states: filter.states))
      choice.condition +=
        " AND s.started_at >= \(filter.since ?? 0) AND s.started_at < \(filter.until ?? .max)"
      return choice
    }

    /// The number of loads that counters know in the states of a filter, by UTC day, or with -1 for all time.
    private func countLoads(_ filter: LoadFilter, on days: Range<Int64>? = nil) throws(LoadLogError)
      -> [Int64: Int]
    {
      let states = filter.states.map { "s.\($0.rawValue)" }.joined(separator: " + ")
      let days = days.map { "s.day >= \($0.lowerBound) AND s.day < \($0.upperBound)" } ?? "s.day = -1"
      let rows = try rows(
        """
        SELECT s.day, \(Self.sum(states.isEmpty ? "s.loads" : states)) FROM summary AS s \(feedJoin(of: "s"))
        WHERE \(chosen("s")) AND s.feed <> 0 AND \(days) GROUP BY 1
        """)
      return try Self.counts(rows)
    }

    private static func counts(_ rows: [[String?]]) throws(LoadLogError) -> [Int64: Int] {
      var counts: [Int64: Int] = [:]
      for row in rows { counts[try number(row[0])] = Int(try number(row[1])) }
      return counts
    }
  }
#endif
