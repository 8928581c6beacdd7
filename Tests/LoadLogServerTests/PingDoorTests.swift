import Foundation
import LoadLog
import LoadLogCLI
import LoadLogCore
import LoadLogServer
import LoadLogTestSupport
import Synchronization
import Testing

/// The answers to pings, and which feed they reach. Facts from Healthchecks' documentation and views.
@Suite struct PingDoorTests {
  private static let key = "0123456789abcdef0123456789abcdef"
  private static let jobs = "jobs-0123456789abcdef0123"
  private static let uuid = "7F4BE5A4-1D04-4A2E-9C0B-0C3A5C3E7A11"

  private let place: TemporaryStore
  private let routes: Routes

  init() throws {
    place = try TemporaryStore()
    try place.record("known")
    let keys = try PingKeys(
      """
      # comment
      \(Self.key)
      \(Self.jobs)  jobs/

      \(Self.uuid.lowercased()) backup/db nightly
      """)
    routes = Routes(
      to: .store(place.path), watch: Guard(names: [], port: 8787), verb: VerbAnswer.json,
      pings: PingDoor(keys, storeAt: place.path))
  }

  private func ask(
    _ path: String, _ method: String = "GET", agent: String? = nil, body: String? = nil
  ) -> ServerResponse {
    routes.answer(
      ServerRequest(
        method, "/ping/\(path)", hosts: ["localhost:8787"],
        fields: agent.map { [(name: "user-agent", value: $0)] } ?? [], client: "127.0.0.1",
        body: body.map { .end(KeptOutput(total: Int64($0.utf8.count), bytes: Array($0.utf8))) } ?? .none))
  }

  private func text(_ answer: ServerResponse) -> String {
    "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
  }

  private func loads(_ feed: FeedPattern) throws -> [LoadingSession] {
    try SQLiteLoadReader(at: place.path).history(LoadFilter(feeds: [feed])).loads
  }

  @Test(
    arguments: [
      ("known", "200 OK"), ("known/start", "200 OK"), ("known/log", "200 OK"), ("known/fail", "200 OK"),
      ("known/0", "200 OK"), ("known/255", "200 OK"), ("known/007", "200 OK"),
      ("known/256", "400 invalid url format"), ("known/99999999999999999999", "400 invalid url format"),
      ("known/-1", "404 not found"), ("known/stop", "404 not found"), ("known/", "404 not found"),
      ("known/start/", "404 not found"), ("Known", "400 invalid url format"), ("kn%20own", "404 not found"),
      ("known/%zz", "404 not found"),
      ("", "404 not found"), ("unknown", "404 not found"), ("unknown?create=0", "404 not found"),
      ("unknown?create=1", "201 Created"), ("known?create=1", "200 OK"),
      ("known?rid=7f4be5a4-1d04-4a2e-9c0b-0c3a5c3e7a11", "200 OK"), ("known?rid=", "400 invalid uuid format"),
      ("known?rid=7f4be5a4", "400 invalid uuid format"),
      ("known?rid=7f4be5a41d044a2e9c0b0c3a5c3e7a11", "400 invalid uuid format"),
    ])
  func answersAreThoseOfHealthchecks(_ path: String, _ answer: String) {
    #expect(text(ask("\(Self.key)/\(path)")) == answer)
  }

  @Test(
    arguments: [
      ("", "200 OK"), ("/", "200 OK"), ("/start", "200 OK"), ("/3", "200 OK"), ("/start/", "404 not found"),
      ("/256", "400 invalid url format"), ("/nothing", "404 not found"), ("//fail", "404 not found"),
      ("//", "404 not found"),
    ])
  func aUUIDIsAnAddressToo(_ path: String, _ answer: String) throws {
    #expect(text(ask(Self.uuid + path)) == answer)
    #expect(try loads("backup/db nightly").isEmpty == (answer != "200 OK"))
  }

  @Test(
    arguments: [
      "0123456789abcdef0123456789abcdee", "0123456789abcdef0123456789abcde", "x",
      "7f4be5a4-1d04-4a2e-9c0b-0c3a5c3e7a12",
    ])
  func aWrongSecretReachesNothing(secret: String) throws {
    for path in ["/known", "/known?create=1", "/new?create=1", "", "/known/300", "/known?rid=x"] {
      #expect(text(ask(secret + path)) == "404 not found")
    }
    #expect(try loads("*").count == 1)
  }

  @Test(
    arguments: [
      ("\(key)/unknown", #"404: no feed is named "unknown"; ?create=1 adds it"#),
      ("\(jobs)/known", #"404: no feed is named "jobs/known"; ?create=1 adds it"#),
      ("\(key)/Known", "400: its feed has capital letters"),
      ("\(key)/known/256", "400: the exit code is greater than 255"),
      ("\(key)/known?rid=7", "400: its rid is not a UUID"),
      ("\(key)/kn.own", "404: an address is KEY/FEED or UUID"),
      ("\(key)/known%zz", "404: an address is KEY/FEED or UUID"),
      ("\(key)0/known", "404: its key or UUID was not in the file of ping keys"),
    ])
  func theUserOfTheServerReadsWhatWasWrong(_ path: String, _ cause: String) throws {
    let lines = Mutex<[String]>([])
    let door = PingDoor(
      try PingKeys("\(Self.key)\n\(Self.jobs) jobs/"), storeAt: place.path,
      onRefusal: { line in lines.withLock { $0.append(line) } })
    let routes = Routes(
      to: .store(place.path), watch: Guard(names: [], port: 8787), verb: VerbAnswer.json,
      pings: door)
    func ask(_ path: String, host: String = "localhost:8787") {
      let agent = (name: "user-agent", value: "cu\u{1B}rl")
      _ = routes.answer(
        ServerRequest("GET", "/ping/\(path)", hosts: [host], fields: [agent], client: "10.1.2.3"))
    }
    ask(path)
    ask("\(Self.key)/known")
    ask(path, host: "evil.test")
    let texts = lines.withLock(\.self)
    let start = #"ping from 10.1.2.3 (cu\u{1B}rl) refused with "#
    try #require(texts.count == 2)
    #expect(texts[0].hasPrefix(start + cause), "\(texts)")
    #expect(texts[1].hasPrefix(start + #"421: this server is not "evil.test""#), "\(texts)")
    #expect(!texts.joined().contains(Self.key) && !texts.joined().contains(Self.jobs))
  }

  @Test func nothingIsCreatedByAnInvalidPing() throws {
    #expect(ask("\(Self.key)/new?create=1&rid=x").status == 400)
    #expect(ask("\(Self.key)/new/300?create=1").status == 400)
    #expect(try loads("new").isEmpty)
  }

  @Test func aPrefixOfAKeyBeginsItsFeeds() throws {
    #expect(ask("\(Self.jobs)/backup?create=1").status == 201)
    #expect(try loads("jobs/backup").count == 1)
    #expect(ask("\(Self.jobs)/known").status == 404)
  }

  @Test(arguments: [("GET", 200), ("HEAD", 200), ("POST", 200), ("PUT", 405), ("OPTIONS", 405)])
  func threeMethodsPing(_ method: String, _ status: Int) throws {
    let answer = ask("\(Self.key)/known", method)
    #expect(answer.status == status)
    #expect(try loads("known").count == (status == 200 ? 2 : 1))
    guard status == 200 else { return #expect(answer.fields["allow"] == "GET, HEAD, POST") }
    #expect(
      answer.fields["ping-body-limit"] == "100000" && answer.fields["access-control-allow-origin"] == "*")
    #expect(answer.fields["cache-control"]?.contains("no-cache") == true)
  }

  /// An escaped letter is the letter, here as for Healthchecks: no check sees another path than the door does.
  @Test func anEscapedLetterIsTheLetter() throws {
    let request = ServerRequest("POST", "/%70ing/\(Self.key)/kn%6Fwn", hosts: ["localhost:8787"])
    #expect(routes.answer(request).status == 200)
    #expect(try loads("known").count == 2)
  }

  @Test func theBodyIsKeptAndItsErrorIsTheReason() throws {
    #expect(
      ask("\(Self.key)/known/3", "POST", agent: "runitor/1.4", body: "one\nerror: full\n").status == 200)
    let load = try #require(try loads("known").first)
    #expect(load.reason == "exit 3: error: full" && load.owner.owner.app == "runitor/1.4")
    #expect(
      try SQLiteLoadReader(at: place.path).output(of: load.id)?.bytes == Array("one\nerror: full\n".utf8))
  }

  @Test func withoutKeysNothingIsRecorded() throws {
    let routes = Routes(
      to: .store(place.path), watch: Guard(names: [], port: 8787), verb: VerbAnswer.json)
    let request = ServerRequest("GET", "/ping/\(Self.key)/known", hosts: ["localhost:8787"])
    #expect(routes.answer(request).status == 404)
    #expect(try loads("known").count == 1)
  }

  @Test(
    arguments: [
      "short", "0123456789abcdef01234!", "7f4be5a4-1d04-4a2e-9c0b-0c3a5c3e7a11",
      "7f4be5a4-1d04-4a2e-9c0b-0c3a5c3e7a11 \u{7}", "0123456789abcdef0123456789abcdef a\u{7}/",
      "\u{feff}0123456789abcdef0123456789abcdef",
    ])
  func aLineThatIsNoKeyIsRefusedWithoutShowingIt(line: String) {
    let error = #expect(throws: LoadLogError.self) { try PingKeys("#\n\(line)\n") }
    #expect(error?.description.contains(line) == false)
    #expect(error?.what.hasPrefix("line 2 of ") == true && error?.advice?.contains("KEY PREFIX") == true)
  }

  @Test func aWrongLineIsNamedWithItsFile() throws {
    let path = place.path + "-keys"
    #expect(
      FileManager.default.createFile(
        atPath: path, contents: Data("badge short\n".utf8), attributes: [.posixPermissions: 0o600]))
    let error = #expect(throws: LoadLogError.self) { try PingKeys(file: path) }
    #expect(error?.path == path && error?.description.contains("at least 22") == true)
  }

  @Test(
    arguments: [
      "0123456789abcdef0123456789abcdef a/\n0123456789abcdef0123456789abcdef b/",
      "7f4be5a4-1d04-4a2e-9c0b-0c3a5c3e7a11 a\r\n7F4BE5A4-1D04-4A2E-9C0B-0C3A5C3E7A11 b",
    ])
  func aSecretLeadsToOnePlace(text: String) {
    let error = #expect(throws: LoadLogError.self) { try PingKeys(text) }
    #expect(error?.description.contains("line 2") == true)
  }

  @Test(arguments: [
    [], Array("# no key\n".utf8),
    Array("0123456789abcdef0123456789abcdef b\u{e4}r/".unicodeScalars.map { UInt8($0.value) }),
    Array("0123456789abcdef0123456789abcdef\n".utf8) + Array(repeating: UInt8(ascii: "#"), count: 1 << 20),
  ])
  func aFileThatHoldsNoKeysIsRefused(bytes: [UInt8]) throws {
    let path = place.path + "-keys"
    #expect(
      FileManager.default.createFile(
        atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
    let error = #expect(throws: LoadLogError.self) { try PingKeys(file: path) }
    #expect(error?.code == .invalidInput)
  }

  @Test func theFileOfKeysIsMadeOnceAndForTheUserAlone() throws {
    let path = place.path + "-ping-keys"
    let key = try #require(try PingKeys(file: path).first)
    #expect(key.count == 32 && key.allSatisfy(\.isHexDigit))
    #expect(try PingKeys(file: path).first == key)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(throws: LoadLogError.self) { try PingKeys(file: path) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try FileManager.default.createSymbolicLink(atPath: path + "-link", withDestinationPath: path)
    #expect(throws: LoadLogError.self) { try PingKeys(file: path + "-link") }
  }
}
