#if Fleet
  import Foundation
  import LoadLogFleet
  import LoadLogLibC

  /// A PostgreSQL server of the tests' own, on a socket and a loopback port, in a folder of its own. It ends, and its
  /// folder goes, when its last reference is released or the tests end in any way.
  final class PostgresServer: Sendable {
    /// The server of all tests that need nothing special. Each makes a database of its own in it.
    static let shared = Result { try PostgresServer() }

    let folder: URL
    let port: Int
    private let input: Shell.OpaqueStream

    /// Starts a server.
    ///
    /// - Parameter certificate: the certificate for TLS, with the path of its key; without one it has no TLS.
    init(certificate: TestCertificate? = nil) throws {
      let programs = try Self.programs()
      folder = try Self.newFolder()
      port = try Self.freePort()
      let data = folder.appending(path: "data").path
      try Shell.run(
        """
        \(Self.asPostgres)\(programs)/initdb -D \(data) -U postgres --auth-local=trust --auth-host=scram-sha-256 \
        --encoding=UTF8 --locale=C --no-sync --no-instructions 2>&1
        """)
      // Many tests at once keep some connections each.
      var options = "-c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=500"
      options += " -c unix_socket_directories=\(folder.path)"
      if let certificate {
        try Shell.run(
          """
          cp \(certificate.certificate) \(data)/server.crt && cp \(certificate.key) \(data)/server.key
          chmod 600 \(data)/server.key && chown --reference=\(data) \(data)/server.key
          """)
        options += " -c ssl=on"
      }
      input = try Shell.startUntilInputCloses(
        """
        \(Self.asPostgres)\(programs)/postgres -D \(data) -p \(port) \(options) >\(folder.path)/log 2>&1 </dev/null &
        server=$!
        read -r line || true
        kill -INT $server
        wait $server || true
        rm -rf \(folder.path)
        """)
      try waitUntilItAnswers(programs)
    }

    /// Makes a database, and returns its name.
    func makeDatabase() throws -> String {
      let name = "fleet_" + UUID().uuidString.lowercased().replacing("-", with: "_")
      try psql("postgres", "CREATE DATABASE \(name)")
      return name
    }

    /// The URL of a database, through the socket.
    func url(_ database: String, user: String = "postgres") -> String {
      "postgresql://\(user)@/\(database)?host=\(folder.path)&port=\(port)"
    }

    /// The address of a database, through the socket.
    func address(_ database: String, user: String = "postgres") throws -> FleetAddress {
      try FleetAddress(url(database, user: user))
    }

    /// Runs SQL with psql, and returns what it prints: a line per row, columns separated by `|`.
    @discardableResult
    func psql(_ database: String, _ sql: String, user: String = "postgres") throws -> String {
      let command = psqlCommand(database, user: user) + ["-c", sql]
      return try Shell.run(command.map(Shell.quoted).joined(separator: " ")).trimmingCharacters(in: .newlines)
    }

    /// The command that starts psql.
    func psqlCommand(_ database: String, user: String = "postgres") -> [String] {
      [
        "/usr/bin/env", "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder.path, "-p",
        "\(port)",
        "-U", user, "-d", database,
      ]
    }
  }

  // MARK: - Starting

  extension PostgresServer {
    /// PostgreSQL refuses to run as root.
    private static let asPostgres =
      geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups -- " : ""

    private static func programs() throws -> String {
      let folder = "/usr/lib/postgresql"
      let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      let newest = versions.compactMap(Int.init).sorted().last {
        FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)/bin/postgres")
      }
      guard let newest else {
        throw Shell.Failure(
          description: "PostgreSQL's server is missing in \(folder). Run ./dev test, which installs it.")
      }
      return "\(folder)/\(newest)/bin"
    }

    /// A folder with a short name: the path of a socket has at most 107 bytes.
    private static func newFolder() throws -> URL {
      let temporary = FileManager.default.temporaryDirectory
      var template = Array(temporary.appending(path: "pg.XXXXXX").path(percentEncoded: false).utf8CString)
      guard mkdtemp(&template) != nil else { throw Shell.Failure(description: "mkdtemp: errno \(errno)") }
      let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      if geteuid() == 0 { try Shell.run("chown postgres \(path)") }
      return URL(filePath: path)
    }

    static func freePort() throws -> Int {
      let (descriptor, port) = try newSocket()
      close(descriptor)
      return port
    }

    /// Makes a socket with a free port. It is below those that the system gives to connections, one of which could take
    /// it meanwhile.
    static func newSocket() throws -> (descriptor: Int32, port: Int) {
      #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
      #endif
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      for _ in 0..<100 {
        let port = UInt16.random(in: 10_000..<32_000)
        address.sin_port = port.bigEndian
        let result = withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
        if result == 0 { return (descriptor, Int(port)) }
      }
      throw Shell.Failure(description: "no free port: errno \(errno)")
    }

    private func waitUntilItAnswers(_ programs: String) throws {
      try Shell.run(
        """
        for attempt in $(seq 300); do
          \(programs)/pg_isready -q -h \(folder.path) -p \(port) && exit 0
          sleep 0.1
        done
        cat \(folder.path)/log
        exit 1
        """)
    }
  }
#endif
