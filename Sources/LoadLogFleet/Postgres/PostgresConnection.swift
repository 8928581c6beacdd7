#if Fleet
  import CPostgres
  import LoadLogCore
  import LoadLogLibC

  /// A connection to the fleet's database. This file is the only one that calls libpq.
  ///
  /// Each call ends within a bounded time, at the latest with `busy`. One thread at a time uses it.
  final class PostgresConnection {
    /// A statement, and what stands for `$1`, `$2`, … in it, in text form. PostgreSQL has no NUL characters in texts;
    /// U+FFFD takes their place.
    struct Statement {
      let sql: String
      let values: [String?]

      init(_ sql: String, _ values: [String?] = []) { (self.sql, self.values) = (sql, values) }
    }

    /// What a statement returned.
    struct Answer {
      var rows: [[String?]] = []
      /// The number of rows that it inserted, updated or deleted.
      var changed = 0
    }

    private let connection: OpaquePointer
    private let place: String
    private var patience = Patience.usual

    /// Connects; gives each host of the address `connect_timeout` seconds.
    init(to address: FleetAddress) throws(LoadLogError) {
      place = address.place
      let options = address.options.sorted { $0.key < $1.key }
      let keywords = Self.copies(options.map(\.key))
      let values = Self.copies(options.map(\.value))
      defer { Self.free(keywords + values) }
      let opened = (keywords.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { keywords in
        (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
          PQconnectdbParams(keywords.baseAddress, values.baseAddress, 0)
        }
      }
      guard let opened else { throw .fleetConnection(place, reason: "out of memory") }
      guard PQstatus(opened) == CONNECTION_OK else {
        defer { PQfinish(opened) }
        throw .fleetConnection(place, reason: String(cString: PQerrorMessage(opened)))
      }
      connection = opened
      PQsetnonblocking(connection, 1)
      // libpq prints notices to standard error by default.
      PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    deinit { PQfinish(connection) }

    /// Runs a statement; without values it may be several, separated by semicolons.
    ///
    /// - Parameter values: as in a ``Statement``.
    /// - Returns: the answer of the last statement.
    @discardableResult
    func run(_ sql: String, _ values: [String?] = []) throws(LoadLogError) -> Answer {
      var answer = Answer()
      try send(sql, values) { (result) throws(LoadLogError) in answer = Self.answer(result) }
      return answer
    }

    /// Runs statements one after the other. All are sent before the first answer comes, so together they take one way to the
    /// database and back. Those after one that fails do not run.
    ///
    /// - Returns: the answer of each.
    func run(_ statements: [Statement]) throws(LoadLogError) -> [Answer] {
      guard PQenterPipelineMode(connection) == 1 else { throw broken() }
      // Has no effect while an answer is awaited, but then the connection is of no more use.
      defer { PQexitPipelineMode(connection) }
      for statement in statements {
        guard sendWithValues(statement) == 1 else { throw broken() }
        // Each has the whole time: a batch of many long texts may take longer than one statement.
        try flush(until: patience.deadline)
      }
      guard PQpipelineSync(connection) == 1 else { throw broken() }
      try flush(until: patience.deadline)
      var answers: [Answer] = []
      var failure: LoadLogError?
      while PQstatus(connection) == CONNECTION_OK {
        // After the result of each statement there is none.
        guard let result = try nextResult(until: patience.deadline) else { continue }
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: answers.append(Self.answer(result))
        case PGRES_PIPELINE_ABORTED: continue
        case PGRES_PIPELINE_SYNC:
          guard let failure else { return answers }
          throw failure
        default: failure = failure ?? error(result)
        }
      }
      throw failure ?? broken()
    }

    /// Runs a statement and hands out its rows one by one, so that an answer of any length takes little memory.
    ///
    /// - Parameter values: as for ``run(_:_:)``.
    func forEachRow(
      _ sql: String, _ values: [String?] = [], _ body: ([String?]) throws(LoadLogError) -> Void
    ) throws(LoadLogError) {
      try send(sql, values, byRow: true) { (result) throws(LoadLogError) in
        for row in Self.answer(result).rows { try body(row) }
      }
    }

    /// Gives the database some patience, from now on.
    func give(_ patience: Patience) { self.patience = patience }

    /// Whether the connection can still be used: it is open, and no answer is awaited.
    var isUsable: Bool {
      PQstatus(connection) == CONNECTION_OK && PQtransactionStatus(connection) != PQTRANS_ACTIVE
    }

    /// A name as SQL writes it, in quotes.
    func quoted(name: String) throws(LoadLogError) -> String {
      guard let quoted = PQescapeIdentifier(connection, name, name.utf8.count) else { throw broken() }
      defer { PQfreemem(quoted) }
      return String(cString: quoted)
    }

    /// The settings in an address or connection string; nil if it is none.
    static func settings(in text: String) -> [String: String]? {
      // What libpq says is wrong contains parts of the text, which may be a password.
      guard let options = PQconninfoParse(text, nil) else { return nil }
      defer { PQconninfoFree(options) }
      return settings(options)
    }

    /// The settings of libpq's environment variables, of the service file, and its own.
    static func defaultSettings() -> [String: String] {
      guard let options = PQconndefaults() else { return [:] }
      defer { PQconninfoFree(options) }
      return settings(options)
    }
  }

  // MARK: - Sending and receiving

  extension PostgresConnection {
    /// Sends statements and takes each result. After an error the rest is read and ignored.
    private func send(
      _ sql: String, _ values: [String?], byRow: Bool = false,
      _ take: (OpaquePointer) throws(LoadLogError) -> Void
    ) throws(LoadLogError) {
      guard send(sql, values) == 1, !byRow || PQsetSingleRowMode(connection) == 1 else { throw broken() }
      try flush(until: patience.deadline)
      var failure: LoadLogError?
      // What `take` does with a row is no time of the database.
      while let result = try nextResult(until: patience.deadline) {
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE:
          guard failure == nil else { continue }
          do { try take(result) } catch { failure = error }
        default: failure = failure ?? error(result)
        }
      }
      if let failure { throw failure }
    }

    private func send(_ sql: String, _ values: [String?]) -> Int32 {
      values.isEmpty ? PQsendQuery(connection, sql) : sendWithValues(Statement(sql, values))
    }

    private func sendWithValues(_ statement: Statement) -> Int32 {
      let copies = Self.copies(statement.values.map { $0.map(Self.withoutNUL) })
      defer { Self.free(copies) }
      return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
        PQsendQueryParams(
          connection, statement.sql, Int32(values.count), nil, values.baseAddress, nil, nil, 0)
      }
    }

    private func flush(until deadline: ContinuousClock.Instant) throws(LoadLogError) {
      while true {
        let left = PQflush(connection)
        if left == 0 { return }
        guard left == 1 else { throw broken() }
        // The server may stop reading until its own answers are read.
        let ready = try wait(for: POLLIN | POLLOUT, until: deadline)
        guard ready & POLLIN == 0 || PQconsumeInput(connection) == 1 else { throw broken() }
      }
    }

    private func nextResult(until deadline: ContinuousClock.Instant) throws(LoadLogError) -> OpaquePointer? {
      while PQisBusy(connection) == 1 {
        _ = try wait(for: POLLIN, until: deadline)
        guard PQconsumeInput(connection) == 1 else { throw broken() }
      }
      return PQgetResult(connection)
    }

    /// Waits until the socket is ready, and returns for what it is.
    private func wait(
      for events: Int32, until deadline: ContinuousClock.Instant
    ) throws(LoadLogError) -> Int32 {
      while true {
        let left = (deadline - .now) / .milliseconds(1)
        guard left > 0 else { throw .fleetIsSlow(place, patience.limit) }
        var socket = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
        let count = poll(&socket, 1, Int32(left.rounded(.up)))
        if count > 0 { return Int32(socket.revents) }
        guard count == 0 || errno == EINTR else {
          throw .fleetAnswer(place, reason: String(cString: strerror(errno)), sqlState: nil)
        }
      }
    }

    /// The error after which the connection is of no more use.
    private func broken() -> LoadLogError {
      .fleetAnswer(place, reason: String(cString: PQerrorMessage(connection)), sqlState: nil)
    }

    private func error(_ result: OpaquePointer) -> LoadLogError {
      // Swift does not import PG_DIAG_MESSAGE_PRIMARY and PG_DIAG_SQLSTATE, which are these letters.
      let field = { (code: UInt8) in PQresultErrorField(result, Int32(code)).map { String(cString: $0) } }
      // The detail of an error names values of rows, and is left out: messages of loads never appear in errors.
      let state = field(UInt8(ascii: "C"))
      // The server's own deadline has passed.
      guard state != "57014" else { return .fleetIsSlow(place, patience.limit) }
      return .fleetAnswer(
        place, reason: field(UInt8(ascii: "M")) ?? String(cString: PQresultErrorMessage(result)),
        sqlState: state)
    }

    private static func answer(_ result: OpaquePointer) -> Answer {
      let columns = PQnfields(result)
      let rows = (0..<PQntuples(result)).map { row in
        (0..<columns).map { column -> String? in
          guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else {
            return nil
          }
          let bytes = UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, row, column)))
          return String(decoding: bytes, as: UTF8.self)
        }
      }
      return Answer(rows: rows, changed: Int(String(cString: PQcmdTuples(result))) ?? 0)
    }

    private static func settings(
      _ options: UnsafeMutablePointer<PQconninfoOption>
    ) -> [String: String] {
      var settings: [String: String] = [:]
      var option = options
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
        option += 1
      }
      return settings
    }

    private static func withoutNUL(_ text: String) -> String {
      text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
    }

    private static func copies(_ texts: [String?]) -> [UnsafeMutablePointer<CChar>?] {
      texts.map { $0.flatMap { strdup($0) } }
    }

    private static func free(_ copies: [UnsafeMutablePointer<CChar>?]) {
      for copy in copies { LoadLogLibC.free(copy) }
    }
  }
#endif
