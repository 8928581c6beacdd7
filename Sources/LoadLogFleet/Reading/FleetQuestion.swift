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

    let connection: PostgresConnection
    let hosts: [SessionID: FleetHostRow]
    let byHost: Bool
    let clock: any LoadClock
    let image: StoreImage
    /// The names of the feeds that rows are fetched of, as they are shown; nil for all.
    var feeds: [String]?
    /// The feeds whose last verdict is a failure.
    var failingFeeds: Set<String> = []
    /// Whether an added expectation is met by a success on any host.
    var expectsAnywhere = false
    /// The number of feeds of hosts that the question is about.
    var feedsOfHosts = 0
    /// Whether a host had pruned loads that the added summaries count.
    var hasPrunedLoads = false
    var sessions: [RowKey: [ShippedValue]] = [:]
    var unmatched: [RowKey: [ShippedValue]] = [:]
    let hostIDs: String

    init(
      _ connection: PostgresConnection, hosts: [FleetHostRow], byHost: Bool, clock: any LoadClock
    ) throws(LoadLogError) {
      self.connection = connection
      self.hosts = Dictionary(hosts.map { ($0.id, $0) }) { first, _ in first }
      self.byHost = byHost
      self.clock = clock
      image = try StoreImage()
      hostIDs = PostgresArray.text(of: hosts.map { [.uuid($0.id)] }[...], column: 0)
    }

    /// Whether every load of the hosts is shipped as a row.
    var hasAllLoads: Bool { hosts.values.allSatisfy { $0.loads == ShippedLoads.all.rawValue } }

    /// Whether every load that the added summaries count is a row.
    var hasEveryRow: Bool { hasAllLoads && !hasPrunedLoads }
  }

  // MARK: - SQL

  extension FleetQuestion {
    /// A feed's name as it is shown.
    var shownName: String { byHost ? "h.name || '/' || f.name" : "f.name" }

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
      try connection.run(sql, [hostIDs, feeds.map(Self.array)] + values).rows
    }

    /// Adds the rows that a statement returns to a table of the image; a row may have more columns than the table.
    ///
    /// - Parameters:
    ///   - values: as for ``rows(_:_:)``.
    ///   - look: called with each row.
    func add(
      to table: ShippedTable, _ sql: String, _ values: [String?] = [], look: ([String?]) -> Void = { _ in }
    ) throws(LoadLogError) {
      var part: [[ShippedValue]] = []
      try connection.forEachRow(sql, [hostIDs, feeds.map(Self.array)] + values) { row throws(LoadLogError) in
        look(row)
        part.append(try Self.values(row, of: table))
        guard part.count == Self.rowsOfPart else { return }
        try image.add(part, to: table)
        part.removeAll(keepingCapacity: true)
      }
      try image.add(part, to: table)
    }

    /// The number of rows that are held at once on their way to the image.
    private static let rowsOfPart = 500

    static func array(_ texts: [String]) -> String {
      PostgresArray.text(of: texts.map { [.text($0)] }[...], column: 0)
    }

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
      let owners = try addOwners()
      try addAcknowledgements()
      try image.add(Self.numbered(unmatched, owners, .unmatched), to: .unmatched)
      try image.add(Self.numbered(sessions, owners, .session), to: .session)
      var silent: [Int64: String] = [:]
      for (key, number) in owners {
        guard let host = hosts[key.host], host.state != .alive else { continue }
        let time = DurationText.elapsed(host.silentFor.wholeNanoseconds)
        silent[number] = "\(host.name) was last heard \(time) ago"
      }
      return image.reader(clock: clock, silent: silent, isOfAllHosts: !byHost)
    }

    /// Rows with numbers of the image, in the order of hosts and of their numbers.
    private static func numbered(
      _ rows: [RowKey: [ShippedValue]], _ owners: [RowKey: Int64], _ table: ShippedTable
    ) -> [[ShippedValue]] {
      rows.sorted { $0.key < $1.key }.enumerated().map { index, row in
        var values = row.value
        values[0] = .integer(Int64(index + 1))
        if let key = owner(of: row.key, values, table), let owner = owners[key] {
          values[ownerColumn(of: table)] = .integer(owner)
        }
        return values
      }
    }

    private static func ownerColumn(of table: ShippedTable) -> Int {
      table.columns.firstIndex { $0.target == .owner } ?? 0
    }

    private static func owner(of key: RowKey, _ row: [ShippedValue], _ table: ShippedTable) -> RowKey? {
      guard case .integer(let number) = row[ownerColumn(of: table)] else { return nil }
      return RowKey(host: key.host, number: number)
    }

    /// Adds the owners of what was fetched, and returns their numbers.
    private func addOwners() throws(LoadLogError) -> [RowKey: Int64] {
      let keys = Set(
        sessions.compactMap { Self.owner(of: $0.key, $0.value, .session) }
          + unmatched.compactMap { Self.owner(of: $0.key, $0.value, .unmatched) }
      ).sorted()
      guard !keys.isEmpty else { return [:] }
      let columns = ShippedTable.owner.columns.map { "o.\($0.name)" }.joined(separator: ", ")
      let answer = try connection.run(
        """
        SELECT o.host, \(columns) FROM owner AS o
        JOIN unnest($1::UUID[], $2::BIGINT[]) AS k (host, id) ON o.host = k.host AND o.id = k.id
        """,
        [
          PostgresArray.text(of: keys.map { [.uuid($0.host)] }[...], column: 0),
          PostgresArray.text(keys.map(\.number)),
        ])
      let numbers = Dictionary(uniqueKeysWithValues: zip(keys, Int64(1)...))
      var owners: [[ShippedValue]] = []
      for row in answer.rows {
        var values = try Self.values(row, of: .owner, from: 1)
        guard let number = numbers[RowKey(host: try Self.id(row[0]), number: try Self.number(row[1]))] else {
          continue
        }
        values[0] = .integer(number)
        owners.append(values)
      }
      try image.add(owners, to: .owner)
      return numbers
    }

    /// Adds the acknowledgements of what was fetched.
    private func addAcknowledgements() throws(LoadLogError) {
      let keys = (sessions.map { ($0.key.host, $0.value[1]) } + unmatched.map { ($0.key.host, $0.value[1]) })
      guard !keys.isEmpty else { return }
      let columns = ShippedTable.acknowledgement.columns.map { "a.\"\($0.name)\"" }.joined(separator: ", ")
      let answer = try connection.run(
        """
        SELECT \(columns) FROM acknowledgement AS a
        JOIN unnest($1::UUID[], $2::UUID[]) AS k (host, id) ON a.host = k.host AND a.id = k.id
        WHERE a.is_removed IS NOT TRUE
        """,
        [
          PostgresArray.text(of: keys.map { [.uuid($0.0)] }[...], column: 0),
          PostgresArray.text(of: keys.map { [$0.1] }[...], column: 0),
        ])
      var rows: [[ShippedValue]] = []
      for row in answer.rows { rows.append(try Self.values(row, of: .acknowledgement)) }
      try image.add(rows, to: .acknowledgement)
    }
  }
#endif
