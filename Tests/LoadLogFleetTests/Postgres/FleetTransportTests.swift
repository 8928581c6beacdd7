#if Fleet
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import Testing

  /// Connections that must fail, and what their errors say.
  @Suite struct FleetTransportTests {
    private func failure(_ address: FleetAddress) -> LoadLogError? {
      #expect(throws: LoadLogError.self) { try FleetHosts(address).all() }
    }

    private static func newFolder() throws -> URL {
      let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      return folder
    }

    @Test func aServerThatIsNotThereIsUnreachable() throws {
      let port = try PostgresServer.freePort()
      let error = failure(try FleetAddress("postgresql://u@127.0.0.1:\(port)/fleet"))
      #expect(error?.code == .fleetUnreachable)
      #expect(
        error?.description.contains("cannot connect to the fleet's database \"fleet at 127.0.0.1:\(port)\"")
          == true)
      #expect(
        error?.why.contains("Connection refused") == true && error?.why.contains("Is the server") == false)
      let named = failure(try FleetAddress("host=/nowhere/invalid dbname=fleet"))
      #expect(named?.code == .fleetUnreachable && named?.why.contains("/invalid/") == true)
    }

    @Test func wrongNamesAndPasswordsAreNamedWithoutSecrets() throws {
      let server = try PostgresServer.shared.get()
      let noDatabase = failure(try server.address("not_here"))
      #expect(
        noDatabase?.code == .fleetUnusable && noDatabase?.why.hasSuffix("\"not_here\" does not exist") == true
      )
      #expect(noDatabase?.advice?.contains("createdb") == true)

      let folder = try Self.newFolder()
      defer { try? FileManager.default.removeItem(at: folder) }
      let passfile = folder.appending(path: "passfile").path
      let overTCP = "postgresql://postgres@127.0.0.1:\(server.port)/postgres?passfile=\(passfile)"
      let none = failure(try FleetAddress(overTCP))
      #expect(none?.code == .fleetUnusable && none?.why.contains("no password supplied") == true)
      #expect(none?.advice?.contains("~/.pgpass") == true)
      try Shell.run("umask 077; echo '*:*:*:*:hunter2' >\(passfile)")
      let wrong = failure(try FleetAddress(overTCP))
      #expect(wrong?.code == .fleetUnusable && wrong?.why.contains("password authentication failed") == true)
      #expect(wrong?.description.contains("hunter2") == false)
      #expect(wrong?.advice?.contains("The password there is wrong") == true)
      // The server was reached: the right password is taken.
      let role = "r\(UUID().uuidString.prefix(8).lowercased())"
      try server.psql("postgres", "CREATE ROLE \(role) LOGIN PASSWORD 'hunter2'")
      let right = failure(try FleetAddress(overTCP.replacing("postgres@", with: "\(role)@")))
      #expect(right?.why == "it has no tables of LoadLog")
    }

    @Test func theServersCertificateIsChecked() throws {
      let (folder, other) = (try Self.newFolder(), try Self.newFolder())
      defer { for folder in [folder, other] { try? FileManager.default.removeItem(at: folder) } }
      let certificate = try TestCertificate(in: folder)
      let stranger = try TestCertificate(in: other)
      let server = try PostgresServer(certificate: certificate)
      try server.psql("postgres", "CREATE ROLE ship LOGIN PASSWORD 'hunter2'")
      let passfile = folder.appending(path: "passfile").path
      try Shell.run("umask 077; echo '*:*:*:*:hunter2' >\(passfile)")
      let address = { (host: String, settings: String) in
        try FleetAddress(
          """
          postgresql://ship@\(host)/postgres?hostaddr=127.0.0.1&port=\(server.port)&passfile=\(passfile)\
          &sslmode=verify-full\(settings)
          """)
      }
      let connected = failure(try address("fleet.test", "&sslrootcert=\(certificate.authority)"))
      #expect(connected?.why == "it has no tables of LoadLog")
      let wrongAuthority = failure(try address("fleet.test", "&sslrootcert=\(stranger.authority)"))
      #expect(
        wrongAuthority?.code == .fleetUnusable
          && wrongAuthority?.why.contains("certificate verify failed") == true)
      let wrongName = failure(try address("other.test", "&sslrootcert=\(certificate.authority)"))
      #expect(
        wrongName?.code == .fleetUnusable && wrongName?.why.contains("does not match host name") == true)
      let noAuthority = failure(try address("fleet.test", "&sslrootcert=\(folder.path)/none.crt"))
      #expect(noAuthority?.code == .fleetUnusable)
      #expect(noAuthority?.advice == "Name the file of the CA in the address: sslrootcert=/path/to/ca.pem")
    }

    @Test func anExpiredCertificateIsRefused() throws {
      let folder = try Self.newFolder()
      defer { try? FileManager.default.removeItem(at: folder) }
      let certificate = try TestCertificate(in: folder, isExpired: true)
      let server = try PostgresServer(certificate: certificate)
      let error = failure(
        try FleetAddress(
          """
          postgresql://u@fleet.test/postgres?hostaddr=127.0.0.1&port=\(server.port)&sslmode=verify-full\
          &sslrootcert=\(certificate.authority)
          """))
      #expect(error?.code == .fleetUnusable && error?.why.contains("certificate verify failed") == true)
    }

    @Test func aServerWithoutTLSIsRefused() throws {
      let server = try PostgresServer.shared.get()
      let folder = try Self.newFolder()
      defer { try? FileManager.default.removeItem(at: folder) }
      let certificate = try TestCertificate(in: folder)
      let error = failure(
        try FleetAddress(
          """
          postgresql://u@fleet.test/postgres?hostaddr=127.0.0.1&port=\(server.port)&sslmode=verify-full\
          &sslrootcert=\(certificate.authority)
          """))
      #expect(error?.code == .fleetUnusable && error?.why.contains("server does not support SSL") == true)
    }
  }
#endif
