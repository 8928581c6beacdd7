#if Fleet
  package import LoadLogCore

  /// The address of a fleet's database, checked: it has no password, and leads to an encrypted connection to a server
  /// that proves its name, or to this machine.
  ///
  ///     postgresql://loadlog@db1,db2/fleet?sslrootcert=/etc/ssl/certs/fleet-ca.pem
  package struct FleetAddress: Sendable {
    /// The settings to connect with, by libpq's keywords.
    private(set) var options: [String: String]
    /// The database, hosts and ports, for errors.
    package let place: String

    private static let what = "the address of the fleet's database"

    /// Checks an address.
    ///
    /// - Parameters:
    ///   - text: a URL, or libpq's `keyword=value` form.
    ///   - allowsInsecureTransport: whether the address may lead over the network without a proof of the server's name.
    /// - Throws: `invalidInput` or `fleetUnusable`. The error never contains the text: it may hold a password.
    package init(_ text: String, allowsInsecureTransport: Bool = false) throws(LoadLogError) {
      // Without any setting libpq would connect to some database of this machine.
      guard let given = PostgresConnection.settings(in: text), !given.isEmpty else { throw Self.notAnAddress }
      // libpq reads a service's settings only while it connects, which is too late to refuse a password.
      if given["service"] != nil {
        throw Self.refusal(
          "it names a service", advice: "Name the service in the environment instead: PGSERVICE=NAME")
      }
      var settings = PostgresConnection.defaultSettings().merging(given) { $1 }
      try Self.refusePasswords(given, settings)
      try Self.refuseReadablePassfile(settings["passfile"])
      let hosts = Self.hosts(settings)
      let isPlace = hosts.allSatisfy(Self.isHost) && Self.isName(settings["dbname"] ?? "")
      guard isPlace else { throw Self.notAnAddress }
      if !allowsInsecureTransport, !hosts.allSatisfy(Self.isLocal) {
        // libpq's own default, "prefer", gives way to a server without TLS.
        let isGiven = given["sslmode"] != nil || EnvironmentVariable.value("PGSSLMODE") != nil
        let mode = isGiven ? settings["sslmode"] : "verify-full"
        guard mode == "verify-full" else { throw Self.weakTransport }
        settings["sslmode"] = mode
      }
      if hosts.count > 1, given["target_session_attrs"] == nil {
        settings["target_session_attrs"] = "read-write"
      }
      options = settings.merging(Self.bounds.filter { Self.isUnbounded(settings[$0.key]) }) { $1 }
      // All texts are sent and read as UTF-8.
      options["client_encoding"] = "UTF8"
      place = Self.place(hosts, settings)
    }

    /// Limits for all waiting, in seconds unless libpq says otherwise, and what the server lists the connection as. They
    /// hold unless the address, the environment or the service file says otherwise.
    private static let bounds = [
      "application_name": "loadlog", "connect_timeout": "10", "keepalives_idle": "10",
      "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "30000",
    ]

    /// The same address with at most as much time to connect to each of its hosts.
    func connecting(within limit: Duration) -> FleetAddress {
      var address = self
      let allowed = address.options["connect_timeout"].flatMap { Int64($0) } ?? .max
      // libpq counts whole seconds, and waits for two at least.
      address.options["connect_timeout"] = String(max(2, min(allowed, limit.components.seconds)))
      return address
    }

    /// Whether a setting is left open; for libpq, 0 and less stand for waiting without end.
    private static func isUnbounded(_ setting: String?) -> Bool {
      setting.map { (Int64($0) ?? 1) <= 0 } ?? true
    }
  }

  // MARK: - Secrets

  extension FleetAddress {
    /// Refuses passwords that every user can read in a list of processes, a script or a service file. `$PGPASSWORD` is
    /// only readable by its user.
    private static func refusePasswords(
      _ given: [String: String], _ settings: [String: String]
    ) throws(LoadLogError) {
      let advice = "Put it into ~/.pgpass, with the permissions 0600."
      if given["password"] != nil || given["sslpassword"] != nil {
        throw refusal("it contains a password", advice: advice)
      }
      if settings["password"] != EnvironmentVariable.value("PGPASSWORD") || settings["sslpassword"] != nil {
        throw refusal("the service file contains a password", advice: advice)
      }
    }

    /// libpq would ignore the file, with a warning, and fail because it has no password.
    private static func refuseReadablePassfile(_ named: String?) throws(LoadLogError) {
      guard let path = named ?? EnvironmentVariable.value("HOME").map({ $0 + "/.pgpass" }),
        SystemFile.isReadableByOthers(path)
      else { return }
      throw LoadLogError(
        .fleetUnusable, what: "the password file", why: "other users can read it",
        advice: "Run chmod 600 on it.", path: path)
    }
  }

  // MARK: - Hosts

  extension FleetAddress {
    /// A host and its port. A host that is a path is the folder of a socket; an empty one is the default folder.
    private typealias Host = (name: String, address: String, port: String)

    private static func hosts(_ settings: [String: String]) -> [Host] {
      let list = { (name: String) in
        (settings[name] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
      let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
      return (0..<max(names.count, addresses.count)).map { index in
        (
          name: index < names.count ? names[index] : "",
          address: index < addresses.count ? addresses[index] : "",
          port: ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
        )
      }
    }

    /// Whether a host can be one. libpq takes `user:pass/word@host/database` for the host `user`, the port `pass` and
    /// the database `word@host/database`, and would name them in its errors, with the password.
    private static func isHost(_ host: Host) -> Bool {
      // A socket without a file has a name that begins with "@".
      isName(host.name.dropFirst()) && isName(host.address)
        && (host.port.isEmpty || UInt16(host.port).map { $0 > 0 } ?? false)
    }

    /// Whether a text is a name, and not a part of a URL or of settings that may contain a password.
    private static func isName(_ text: some StringProtocol) -> Bool {
      !text.contains { $0 == "@" || $0 == "=" } && !text.contains("://")
    }

    /// Whether a connection to a host stays on this machine.
    private static func isLocal(_ host: Host) -> Bool {
      let target = host.address.isEmpty ? host.name : host.address
      return target.isEmpty || target.hasPrefix("/") || target.hasPrefix("@") || target == "localhost"
        || target == "::1" || isLoopback(target)
    }

    private static func place(_ hosts: [Host], _ settings: [String: String]) -> String {
      let names = hosts.map { host in
        let name = host.name.isEmpty ? host.address : host.name
        return (name.isEmpty ? "the local socket" : name) + (host.port.isEmpty ? "" : ":" + host.port)
      }
      let database = settings["dbname"] ?? settings["user"] ?? ""
      return database + (database.isEmpty ? "" : " at ") + names.joined(separator: ", ")
    }

    /// Whether the text is an address of 127.0.0.0/8, and not a name that begins like one.
    private static func isLoopback(_ text: String) -> Bool {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
  }

  // MARK: - Errors

  extension FleetAddress {
    private static var notAnAddress: LoadLogError {
      LoadLogError(
        .invalidInput, what: what, why: "it is not a PostgreSQL address",
        advice: "Write it as postgresql://user@host/database?sslrootcert=/path/to/ca.pem, without a password."
      )
    }

    private static var weakTransport: LoadLogError {
      refusal(
        "its sslmode does not check the server's name",
        advice: "Use sslmode=verify-full with sslrootcert=/path/to/ca.pem, or pass --insecure-transport.")
    }

    private static func refusal(_ why: String, advice: String) -> LoadLogError {
      LoadLogError(.fleetUnusable, what: what, why: why, advice: advice)
    }
  }
#endif
