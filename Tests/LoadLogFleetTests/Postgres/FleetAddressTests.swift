#if Fleet
  import Foundation
  import LoadLogCore
  @testable import LoadLogFleet
  import LoadLogLibC
  import Testing

  @Suite struct FleetAddressTests {
    private func options(_ text: String, insecure: Bool = false) throws -> [String: String] {
      try FleetAddress(text, allowsInsecureTransport: insecure).options
    }

    private func refusal(_ text: String) -> LoadLogError? {
      #expect(throws: LoadLogError.self) { try FleetAddress(text) }
    }

    @Test(arguments: [
      "postgresql://u:hunter2@db.test/fleet", "postgresql://u@db.test/fleet?password=hunter2",
      "host=db.test user=u password=hunter2", "postgresql://u@db.test/fleet?sslpassword=hunter2",
    ])
    func aPasswordIsRefusedAndNotRepeated(text: String) throws {
      let error = try #require(refusal(text))
      #expect(error.code == .fleetUnusable && error.why == "it contains a password")
      #expect(!error.description.contains("hunter2"))
    }

    @Test(arguments: [
      "postgresql://u:hunter2@h:port/%zz", "hunter2", "http://u:hunter2@db.test/", "host='hunter2", "",
      // libpq reads these, and takes the password for something else.
      "postgresql://u:pass/hunter2@db.test/fleet", "postgresql://u:55/hunter2@db.test/fleet",
      "postgresql://u:hunter2/word", "postgresql://a.test,u:55,hunter2/word@db.test/fleet",
      "dbname=postgresql://u:hunter2@db.test/fleet", "dbname='host=db.test password=hunter2'",
      "host=u:hunter2@db.test", "host=db.test hostaddr=u:hunter2@192.0.2.1", "host=postgresql://hunter2",
    ])
    func whatIsNoAddressIsRefusedAndNotRepeated(text: String) throws {
      let error = try #require(refusal(text))
      #expect(error.code == .invalidInput && !error.description.contains("hunter2"))
    }

    @Test func theNamesOfSocketsAreNoPasswords() throws {
      #expect(try options("host=@loadlog dbname=fleet port=")["host"] == "@loadlog")
      #expect(try options("postgresql://u@%2Frun%2Fpostgresql:5433,db.test/fleet")["port"] == "5433,")
    }

    @Test func aServerElsewhereMustProveItsName() throws {
      #expect(try options("postgresql://u@db.test/fleet")["sslmode"] == "verify-full")
      #expect(try options("host=127.0.0.1.evil.test")["sslmode"] == "verify-full")
      #expect(try options("host=localhost,db.test")["sslmode"] == "verify-full")
      #expect(try options("host=localhost hostaddr=192.0.2.1")["sslmode"] == "verify-full")
      for mode in ["disable", "allow", "prefer", "require", "verify-ca"] {
        let error = refusal("postgresql://u@db.test/fleet?sslmode=\(mode)")
        #expect(error?.code == .fleetUnusable && error?.advice?.contains("--insecure-transport") == true)
      }
      #expect(try options("postgresql://u@db.test/?sslmode=require", insecure: true)["sslmode"] == "require")
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "%2Frun%2Fpostgresql", ""])
    func aConnectionWithinThisMachineMayBePlain(host: String) throws {
      #expect(try options("postgresql://u@\(host)/fleet?sslmode=disable")["sslmode"] == "disable")
    }

    @Test func theServerOfSeveralThatWritesIsChosen() throws {
      let address = try FleetAddress("postgresql://u@a.test:5432,b.test:5433/fleet")
      #expect(address.options["target_session_attrs"] == "read-write")
      #expect(address.place == "fleet at a.test:5432, b.test:5433")
      let chosen = try options("postgresql://u@a.test,b.test/fleet?target_session_attrs=any")
      #expect(chosen["target_session_attrs"] == "any")
    }

    @Test func waitingIsBoundedAndTheConnectionNamed() throws {
      let settings = try options("postgresql://u@db.test/fleet?connect_timeout=3")
      #expect(settings["connect_timeout"] == "3" && settings["tcp_user_timeout"] == "30000")
      #expect(settings["application_name"] == "loadlog")
      for endless in ["0", "-1"] {
        let address = "postgresql://u@db.test/fleet?connect_timeout=\(endless)"
        #expect(try options(address)["connect_timeout"] == "10")
      }
    }

    @Test func textsAreUTF8WhateverTheAddressSays() throws {
      let settings = try options("postgresql://u@db.test/fleet?client_encoding=LATIN1")
      #expect(settings["client_encoding"] == "UTF8")
    }

    @Test(arguments: [(2, "2"), (0, "2"), (5, "5"), (60, "7")]) func connectingTakesNoLongerThanAQuestion(
      seconds: Int, limit: String
    ) throws {
      let address = try FleetAddress("postgresql://u@db.test/fleet?connect_timeout=7")
        .connecting(within: .seconds(seconds))
      #expect(address.options["connect_timeout"] == limit)
    }

    @Test func aPasswordFileThatOthersCanReadIsRefused() throws {
      let path = FileManager.default.temporaryDirectory.appending(path: "passfile-\(UUID())").path
      try Data("*:*:*:*:hunter2".utf8).write(to: URL(filePath: path))
      defer { unlink(path) }
      chmod(path, 0o640)
      let error = try #require(refusal("postgresql://u@db.test/fleet?passfile=\(path)"))
      #expect(error.code == .fleetUnusable && error.path == path && !error.description.contains("hunter2"))
      chmod(path, 0o600)
      #expect(try options("postgresql://u@db.test/fleet?passfile=\(path)")["passfile"] == path)
    }

    // Only a process of its own may change its environment.

    @Test func aPasswordInTheServiceFileIsRefused() async {
      await #expect(processExitsWith: .success) {
        let path = FileManager.default.temporaryDirectory.appending(path: "service-\(UUID())").path
        defer { unlink(path) }
        setenv("PGSERVICEFILE", path, 1)
        setenv("PGSERVICE", "fleet", 1)
        for setting in ["password", "sslpassword"] {
          try Data("[fleet]\nhost=db.test\nuser=u\n\(setting)=hunter2\n".utf8).write(to: URL(filePath: path))
          let error = #expect(throws: LoadLogError.self) { try FleetAddress("postgresql:///fleet") }
          #expect(error?.code == .fleetUnusable && error?.description.contains("hunter2") == false)
        }
        try Data("[fleet]\nhost=db.test\nuser=u\n".utf8).write(to: URL(filePath: path))
        let address = try FleetAddress("postgresql:///fleet")
        #expect(address.place == "fleet at db.test:5432" && address.options["sslmode"] == "verify-full")
        let named = #expect(throws: LoadLogError.self) { try FleetAddress("postgresql:///?service=fleet") }
        #expect(named?.advice == "Name the service in the environment instead: PGSERVICE=NAME")
      }
    }

    @Test func whatTheEnvironmentAndTheServiceFileSayHolds() async {
      await #expect(processExitsWith: .success) {
        let path = FileManager.default.temporaryDirectory.appending(path: "service-\(UUID())").path
        defer { unlink(path) }
        let service = ["[fleet]", "host=db.test", "keepalives_idle=7", "tcp_user_timeout=0", ""]
        try Data(service.joined(separator: "\n").utf8).write(to: URL(filePath: path))
        setenv("PGSERVICEFILE", path, 1)
        setenv("PGSERVICE", "fleet", 1)
        setenv("PGAPPNAME", "theirs", 1)
        setenv("PGCONNECT_TIMEOUT", "3", 1)
        setenv("PGCLIENTENCODING", "LATIN1", 1)
        let options = try FleetAddress("postgresql:///fleet").options
        #expect(options["connect_timeout"] == "3" && options["keepalives_idle"] == "7")
        #expect(options["application_name"] == "theirs" && options["keepalives_count"] == "3")
        #expect(options["tcp_user_timeout"] == "30000" && options["client_encoding"] == "UTF8")
      }
    }

    @Test func theAddressIsFoundInItsOrder() async {
      await #expect(processExitsWith: .success) {
        let home = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID())")
        let file = home.appending(path: ".config/loadlog/fleet")
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        setenv("HOME", home.path, 1)
        unsetenv("XDG_CONFIG_HOME")
        unsetenv("LOADLOG_FLEET")
        let missing = #expect(throws: LoadLogError.self) { try FleetAddress.find(nil) }
        #expect(missing?.code == .fleetUnusable && missing?.advice?.contains(file.path) == true)

        try Data("postgresql://u@c.test/fleet\n".utf8).write(to: file)
        chmod(file.path, 0o644)
        let readable = #expect(throws: LoadLogError.self) { try FleetAddress.find(nil) }
        #expect(readable?.code == .fleetUnusable && readable?.path == file.path)
        chmod(file.path, 0o600)
        #expect(try FleetAddress.find(nil).place == "fleet at c.test:5432")
        setenv("LOADLOG_FLEET", "postgresql://u@b.test/fleet", 1)
        #expect(try FleetAddress.find(nil).place == "fleet at b.test:5432")
        #expect(try FleetAddress.find("postgresql://u@a.test/fleet").place == "fleet at a.test:5432")
      }
    }
  }
#endif
