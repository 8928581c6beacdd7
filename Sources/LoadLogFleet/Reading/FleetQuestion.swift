#if Fleet
  import LoadLogCore
  import LoadLogSQLite
  import LoadLogText

  /// One consistent read of a fleet's database: it fetches the rows that a question needs, added up over the chosen
  /// hosts, into an image of a store, which answers.
  ///
  /// Feeds come first: ``addFeeds(_:where:)`` decides which of them the other rows are fetched of.
  final class FleetQuestion {
    /// A row of a host, by its number there.
    struct RowKey: Hashable, Comparable {
      let host: SessionID
      let number: Int64

      static func < (lhs: Self, rhs: Self) -> Bool { (lhs.host, lhs.number) < (rhs.host, rhs.number) }
    }

    /// A row of a table of loads: its host, and its columns with the names of feeds and the texts.
    struct LoadRow {
      let key: RowKey
      let values: [ShippedValue]

      init(_ row: [String?], of table: ShippedTable) throws(LoadLogError) {
        key = RowKey(host: try FleetQuestion.id(row[0]), number: try FleetQuestion.number(row[1]))
        values = try FleetQuestion.values(row, of: table, from: 1)
      }

      init(_ key: RowKey, _ values: [ShippedValue]) {
        (self.key, self.values) = (key, values)
      }
    }

    let connection: PostgresConnection
    let hosts: [SessionID: FleetHostRow]
    let byHost: Bool
    let clock: any LoadClock
    let image: StoreImage
    /// The names of the feeds that rows are fetched of, as they are shown; nil for all.
    var feeds: [String]?
    /// The feeds whose last verdict is a failure.
    var failingFeeds: Set<String> = []
    /// Whether an added feed is known only because it is expected.
    var hasOnlyExpected = false
    /// Whether an added expectation is met by a success on any host.
    var expectsAnywhere = false
    /// The number of feeds of hosts that the question is about.
    var feedsOfHosts = 0
    /// Whether a host had pruned loads that the added summaries count.
    var hasPrunedLoads = false
    var sessions: [RowKey: [ShippedValue]] = [:]
    var unmatched: [RowKey: [ShippedValue]] = [:]
    /// Whether all rows of loads are in ``sessions`` and ``unmatched`` until ``reader()`` adds them to the image.
    var holdsAllRows = true
    /// The numbers in the image of the owners of its rows.
    private var owners: [RowKey: Int64] = [:]
    /// Those of them that have no process.
    private var detached: Set<Int64> = []
    let hostIDs: String

    init(
      _ connection: PostgresConnection, hosts: [FleetHostRow], byHost: Bool, clock: any LoadClock
    ) throws(LoadLogError) {
      self.connection = connection
      self.hosts = Dictionary(hosts.map { ($0.host.id, $0) }) { first, _ in first }
      self.byHost = byHost
      self.clock = clock
      image = try StoreImage()
      hostIDs = PostgresArray.text(hosts.map(\.host.id))
    }

    /// The hosts that ship no load as a row; nil if there are none.
    var rowlessHosts: String? {
      let rowless = hosts.values.map(\.host).filter { $0.loads == ShippedLoads.none.rawValue }
      return rowless.isEmpty ? nil : PostgresArray.text(rowless.map(\.id))
    }

    /// Whether every load of the hosts is shipped as a row.
    var hasAllLoads: Bool { hosts.values.allSatisfy { $0.host.loads == ShippedLoads.all.rawValue } }
  }

  // MARK: - SQL

  extension FleetQuestion {
    /// A feed's name as it is shown.
    var shownName: String { shown("f.name") }

    /// A name as it is shown: with its host if asked.
    func shown(_ name: String) -> String {
      guard byHost else { return name }
      let twins = hosts.values.map(\.host).filter { $0.shownName != $0.name }.map(\.id)
      guard !twins.isEmpty else { return "h.name || '/' || \(name)" }
      let tail =
        "CASE WHEN h.id = ANY ('\(PostgresArray.text(twins))'::UUID[]) THEN '#' || right(CAST(h.id AS TEXT), 7) ELSE '' END"
      return "h.name || \(tail) || '/' || \(name)"
    }

    /// A row's feed for an image: its name, NULL for none, and the empty text if its row is missing.
    func feed(of row: String) -> String {
      "CASE WHEN coalesce(\(row).feed, 0) = 0 THEN NULL ELSE coalesce(\(shownName), '') END"
    }

    /// Joins what ``shownName`` needs to a table with the columns `host` and `feed`.
    func feedJoin(of row: String) -> String {
      "LEFT JOIN feed AS f ON f.host = \(row).host AND f.id = \(row).feed"
        + (byHost ? " JOIN host AS h ON h.id = \(row).host" : "")
    }

    /// The rows of the chosen hosts and feeds; the parameters of a condition begin with `$3`.
    func chosen(_ row: String) -> String {
      "\(row).host = ANY ($1::UUID[]) AND ($2::TEXT[] IS NULL OR \(shownName) = ANY ($2::TEXT[]))"
    }

    /// Runs a statement whose condition contains ``chosen(_:)``.
    func rows(_ sql: String, _ values: [String?] = []) throws(LoadLogError) -> [[String?]] {
      try connection.run(sql, [hostIDs, feeds.map { PostgresArray.text($0) }] + values).rows
    }

    /// Runs a statement as ``rows(_:_:)`` does, and hands out its rows one by one.
    func forEachRow(
      _ sql: String, _ values: [String?], _ body: ([String?]) throws(LoadLogError) -> Void
    ) throws(LoadLogError) {
      try connection.forEachRow(sql, [hostIDs, feeds.map { PostgresArray.text($0) }] + values, body)
    }

    /// Adds the rows that a statement returns to a table of the image; a row may have more columns than the table.
    ///
    /// - Parameters:
    ///   - values: as for ``rows(_:_:)``.
    ///   - body: called with each row.
    func add(
      to table: ShippedTable, _ sql: String, _ values: [String?] = [], body: ([String?]) -> Void = { _ in }
    ) throws(LoadLogError) {
      var part: [[ShippedValue]] = []
      try forEachRow(sql, values) { row throws(LoadLogError) in
        body(row)
        part.append(try Self.values(row, of: table))
        guard part.count == Self.rowsOfPart else { return }
        try image.add(part, to: table)
        part.removeAll(keepingCapacity: true)
      }
      try image.add(part, to: table)
    }

    /// The number of rows that are held at once on their way to the image.
    static let rowsOfPart = 500

    /// A number that SQL added up; sums beyond a BIGINT are cut.
    static func sum(_ expression: String) -> String {
      "CAST(least(sum(\(expression)), \(Int64.max)) AS BIGINT)"
    }

    /// Reads the columns of a table, starting at one.
    static func values(
      _ row: [String?], of table: ShippedTable, from first: Int = 0
    ) throws(LoadLogError) -> [ShippedValue] {
      var values: [ShippedValue] = []
      values.reserveCapacity(table.columns.count)
      for (column, text) in zip(table.columns, row[first...]) { values.append(try value(text, column)) }
      return values
    }

    private static func value(_ text: String?, _ column: ShippedColumn) throws(LoadLogError) -> ShippedValue {
      guard let text else { return .null }
      if column.namesRow { return .text(text) }
      switch column.kind {
      case .boolean: return .integer(text == "t" ? 1 : 0)
      case .text: return .text(text)
      case .bigint, .smallint: return .integer(try number(text))
      case .uuid: return .uuid(try id(text))
      case .bytea: return try histogram(text)
      }
    }

    static func number(_ text: String?) throws(LoadLogError) -> Int64 {
      guard let number = text.flatMap({ Int64($0) }) else { throw .unreadableFleet }
      return number
    }

    static func id(_ text: String?) throws(LoadLogError) -> SessionID {
      guard let id = text.flatMap({ SessionID($0) }) else { throw .unreadableFleet }
      return id
    }

    /// The sum of histograms in hexadecimal form, separated by commas.
    private static func histogram(_ text: String) throws(LoadLogError) -> ShippedValue {
      var histograms: [[UInt8]] = []
      for part in text.utf8.split(separator: UInt8(ascii: ",")) {
        guard let histogram = PostgresBytes.bytes(part) else { throw .unreadableFleet }
        histograms.append(histogram)
      }
      if histograms.count == 1 { return .bytes(histograms[0]) }
      var sum = HistogramSum()
      for histogram in histograms { try sum.add(histogram) }
      return sum.stored.map { .bytes($0) } ?? .null
    }
  }

  extension LoadLogError {
    /// The error of rows that this version cannot read.
    static var unreadableFleet: LoadLogError {
      LoadLogError(.damaged, what: "the fleet's database", why: "a row cannot be read")
    }
  }

  // MARK: - The image

  extension FleetQuestion {
    /// The reader of the image, which has all rows that were fetched.
    func reader() throws(LoadLogError) -> SQLiteLoadReader {
      for (table, rows) in [(ShippedTable.unmatched, unmatched), (.session, sessions)] {
        try add(rows.sorted { $0.key < $1.key }.map { LoadRow($0.key, $0.value) }, to: table, numberedFrom: 1)
      }
      try addOwners()
      try addAcknowledgements()
      var unseen: [Int64: String] = [:]
      for (key, number) in owners {
        if let row = hosts[key.host], row.host.state != .alive {
          let time = DurationText.elapsed(row.silentFor.wholeNanoseconds)
          unseen[number] = "\(row.host.shownName) was last heard \(time) ago"
        } else if detached.contains(number) {
          unseen[number] = DeathJudge.noProcess
        }
      }
      return try image.reader(clock: clock, unseen: unseen, isOfAllHosts: !byHost)
    }

    /// Adds rows of loads to the image, with numbers of the image for themselves and their owners.
    func add(_ rows: [LoadRow], to table: ShippedTable, numberedFrom first: Int64) throws(LoadLogError) {
      let ownerColumn = table.columns.firstIndex { $0.target == .owner } ?? 0
      try image.add(
        zip(first..., rows).map { number, row in
          var values = row.values
          values[0] = .integer(number)
          if case .integer(let owner) = values[ownerColumn] {
            let key = RowKey(host: row.key.host, number: owner)
            let number = owners[key] ?? Int64(owners.count + 1)
            owners[key] = number
            values[ownerColumn] = .integer(number)
          }
          return values
        }, to: table)
    }

    /// Adds the owners of the image's rows. In an export there may be nearly as many of them as loads.
    private func addOwners() throws(LoadLogError) {
      let columns = ShippedTable.owner.columns.map { "o.\($0.name)" }.joined(separator: ", ")
      let uid = ShippedTable.owner.columns.firstIndex { $0.name == "uid" } ?? 0
      let kind = ShippedTable.owner.columns.firstIndex { $0.name == "kind" } ?? 0
      var uids: Set<ShippedValue> = []
      let keys = owners.keys.sorted()
      for start in stride(from: 0, to: keys.count, by: Self.rowsOfPart) {
        let part = keys[start..<min(start + Self.rowsOfPart, keys.count)]
        let answer = try connection.run(
          """
          SELECT o.host, \(columns) FROM owner AS o
          JOIN unnest($1::UUID[], $2::BIGINT[]) AS k (host, id) ON o.host = k.host AND o.id = k.id
          """,
          [
            PostgresArray.text(part.map(\.host)),
            PostgresArray.text(part.map(\.number)),
          ])
        var rows: [[ShippedValue]] = []
        for row in answer.rows {
          let row = try LoadRow(row, of: .owner)
          guard let number = owners[row.key] else { continue }
          var values = row.values
          values[0] = .integer(number)
          // A copied store has the same owners, and an image holds each id once.
          if !uids.insert(values[uid]).inserted { values[uid] = .uuid(SessionID()) }
          if values[kind] == .text(Owner.Kind.detached.rawValue) { detached.insert(number) }
          rows.append(values)
        }
        try image.add(rows, to: .owner)
      }
    }

    /// Adds the acknowledgements of the image's rows; if they are not held, all that there are.
    private func addAcknowledgements() throws(LoadLogError) {
      let rows = sessions.values.map { [$0[1]] } + unmatched.values.map { [$0[1]] }
      guard !holdsAllRows || !rows.isEmpty else { return }
      let columns = ShippedTable.acknowledgement.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
      let answer = try connection.run(
        """
        SELECT \(columns) FROM acknowledgement
        WHERE host = ANY ($1::UUID[]) AND ($2::UUID[] IS NULL OR id = ANY ($2::UUID[])) AND is_removed IS NOT TRUE
        """, [hostIDs, holdsAllRows ? PostgresArray.text(of: rows[...], column: 0) : nil])
      var acknowledgements: [[ShippedValue]] = []
      for row in answer.rows { acknowledgements.append(try Self.values(row, of: .acknowledgement)) }
      try image.add(acknowledgements, to: .acknowledgement)
    }
  }
#endif
