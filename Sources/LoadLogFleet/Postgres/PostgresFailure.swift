#if Fleet
  import LoadLogCore
  import LoadLogText

  /// What the database said about a statement that failed.
  struct PostgresFailure: Error {
    /// The SQLSTATE, five characters; see https://www.postgresql.org/docs/current/errcodes-appendix.html.
    let state: String

    /// Whether the transaction may succeed if it is tried again: it met another one.
    var isWorthAnotherTry: Bool { state.hasPrefix("40") }

    /// Whether the connection is lost: it broke (class 08), or the server ended it.
    var isLostConnection: Bool {
      state.hasPrefix("08") || state.hasPrefix("57P") || state == Self.idleInTransaction
    }

    /// The server closed the connection because its transaction waited too long for a statement.
    static let idleInTransaction = "25P03"
  }

  extension LoadLogError {
    /// The state of the failed statement; nil if the error is none of the database.
    var postgresFailure: PostgresFailure? { underlying as? PostgresFailure }

    /// Whether another connection may be of more use than this one, which is lost.
    var isLostConnection: Bool {
      code == .fleetUnreachable && postgresFailure?.isLostConnection ?? true
    }

    /// The same error, with advice if the role lacks a right.
    func advising(withoutRights advice: String) -> LoadLogError {
      guard postgresFailure?.state == "42501" else { return self }
      return LoadLogError(code, what: what, value: value, why: why, advice: advice, underlying: underlying)
    }

    /// The error of a database that did not answer in time.
    static func fleetIsSlow(_ place: String, _ limit: Duration) -> LoadLogError {
      LoadLogError(
        .busy, what: "the fleet's database", value: place,
        why: "it did not answer within \(DurationText.limit(limit.wholeNanoseconds))",
        advice: "Try again later.")
    }

    /// The error of a connection that could not be made.
    ///
    /// - Parameter reason: what libpq says: a line for each host, and hints. libpq names no SQLSTATE here.
    static func fleetConnection(_ place: String, reason: String) -> LoadLogError {
      let hints = ["Is the server running", "Either provide the file", "DETAIL:", "HINT:"]
      let lines = reason.split(separator: "\n").filter { line in
        !hints.contains { line.drop { $0 == "\t" || $0 == " " }.hasPrefix($0) }
      }
      let why = inOneLine(lines.joined(separator: "\n")).replacing("FATAL:  ", with: "")
      return LoadLogError(
        isRefusal(why) ? .fleetUnusable : .fleetUnreachable, what: "cannot connect to the fleet's database",
        value: place, why: why.droppingFullStop, advice: advice(for: why))
    }

    /// The error of a statement, or of a connection that broke (without a state).
    static func fleetAnswer(_ place: String, reason: String, sqlState: String?) -> LoadLogError {
      let state = sqlState ?? ""
      let why: String
      var advice: String?
      switch state {
      case "42P01":
        why = "it has no tables of LoadLog"
        advice = "Create them: loadlog fleet init"
      default: why = inOneLine(reason)
      }
      return LoadLogError(
        isPassing(state) ? .fleetUnreachable : .fleetUnusable, what: "the fleet's database", value: place,
        why: why.droppingFullStop, advice: advice,
        underlying: sqlState.map { PostgresFailure(state: $0) })
    }

    /// What libpq says, in one line. A line that begins with a tab continues the one before it.
    private static func inOneLine(_ reason: String) -> String {
      reason.replacing("\n\t", with: " ").split(separator: "\n").map { $0.drop { $0 == " " } }
        .joined(separator: "; ")
    }

    /// Whether the same statement may succeed later: connection lost (class 08), conflicts (40), no resources (53),
    /// shutdown or not yet up (57), a server that became a standby or waits for a lock, a transaction that was idle.
    private static func isPassing(_ state: String) -> Bool {
      state.isEmpty || ["08", "40", "53", "57", "58"].contains { state.hasPrefix($0) }
        || ["25006", "55P03", PostgresFailure.idleInTransaction].contains(state)
    }

    /// Whether the server, or its certificate, was reached and must be set up otherwise. Servers that speak another
    /// language than English count as unreachable: their own words say what is wrong.
    private static func isRefusal(_ why: String) -> Bool {
      [
        "authentication failed", "no pg_hba.conf entry", "does not exist", "no password supplied",
        "certificate",
        "does not support SSL", "permission denied for database", "does not match host name",
        "is not permitted to log in",
        // Followed by what is invalid: it may be in the name of a host.
        "invalid ", "definition of service",
      ].contains { why.contains($0) }
    }

    private static func advice(for why: String) -> String? {
      if why.contains("root certificate file") {
        return "Name the file of the CA in the address: sslrootcert=/path/to/ca.pem"
      }
      if why.contains("no password supplied") {
        return
          "No line of ~/.pgpass is for it: add HOST:PORT:DATABASE:ROLE:PASSWORD, with the permissions 0600."
      }
      if why.contains("password authentication failed") {
        return why.contains("retrieved from file")
          ? "The password there is wrong, or an earlier line matches, too: libpq takes the first one."
          : "Put the password into ~/.pgpass, with the permissions 0600."
      }
      if why.contains("database \""), why.contains("does not exist") {
        return
          "Create it with createdb, or name another one: an address that names none leads to that of its role."
      }
      return nil
    }
  }

  extension String {
    /// Errors end with a full stop of their own.
    fileprivate var droppingFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
  }
#endif
