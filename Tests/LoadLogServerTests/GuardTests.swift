import Foundation
import LoadLog
import LoadLogCLI
import LoadLogServer
import LoadLogTestSupport
import Testing

/// Who may ask, and who may write.
@Suite struct GuardTests {
  private typealias Fields = [(name: String, value: String)]

  private let place: TemporaryStore
  private let token = "0123456789abcdef0123456789abcdef"

  init() throws {
    place = try TemporaryStore()
    try place.record("f")
  }

  private func routes(_ watch: Guard, isReadOnly: Bool = false) throws -> Routes {
    let keys = try PingKeys("badge 0123456789abcdef0123456789abcdef")
    return Routes(
      to: .store(place.path), watch: watch, verb: VerbAnswer.json, keys: keys,
      pings: isReadOnly ? nil : PingDoor(keys, storeAt: place.path))
  }

  private func guarded(isBehindProxy: Bool = false, port: Int = 8787) throws -> Routes {
    let file = place.url.deletingLastPathComponent().appending(path: "token").path
    _ = FileManager.default.createFile(
      atPath: file, contents: Data("# for scripts\n\(token)\n".utf8), attributes: [.posixPermissions: 0o600])
    return try routes(
      Guard(
        names: ["loads.example"], port: port, token: AccessToken(file: file, isBehindProxy: isBehindProxy),
        isBehindProxy: isBehindProxy))
  }

  private func request(
    _ target: String, _ method: String = "GET", host: String = "localhost:8787", fields: Fields = [],
    client: String = "127.0.0.1", body: ServerRequest.Body = .none
  ) -> ServerRequest {
    ServerRequest(method, target, hosts: [host], fields: fields, client: client, body: body)
  }

  private func body(_ text: String) throws -> ServerRequest.Body {
    let file = try TemporaryFile()
    try file.append(text.utf8)
    return .file(file)
  }

  private func text(_ answer: ServerResponse) -> String { String(decoding: answer.body, as: UTF8.self) }

  // MARK: - The token

  @Test(
    arguments: [
      ("Bearer 0123456789abcdef0123456789abcdef", 200), ("bearer 0123456789abcdef0123456789abcdef", 200),
      ("Bearer 0123456789abcdef0123456789abcdee", 401), ("Bearer", 401), ("", 401),
      ("Basic 0123456789abcdef0123456789abcdef", 401), ("0123456789abcdef0123456789abcdef", 401),
    ])
  func onlyTheTokenOpensTheDoors(_ value: String, _ status: Int) throws {
    let routes = try guarded()
    for path in ["/", "/feeds/f", "/metrics", "/api/v1/status", "/api/v1/openapi.json", "/nothing"] {
      let answer = routes.answer(request(path, fields: [(name: "authorization", value: value)]))
      #expect(answer.status == (status == 200 && path == "/nothing" ? 404 : status), "\(path)")
      #expect(!text(answer).contains(token))
    }
  }

  @Test func aProgramReadsHowToSendTheToken() throws {
    #expect(text(try guarded().answer(request("/metrics"))).contains("Authorization: Bearer TOKEN"))
  }

  @Test func aFileOfATokenNeedsItsFolder() {
    let folder = place.url.deletingLastPathComponent().appending(path: "$none").path
    let error = #expect(throws: LoadLogError.self) { try AccessToken(file: folder + "/token") }
    #expect(error?.advice == "Run: mkdir -p '\(folder)'", "a shell takes it as it is")
  }

  @Test func aTokenOfAnotherLengthOpensNothing() throws {
    let routes = try guarded()
    for length in 0...40 {
      let value = "Bearer \((token + token).prefix(length))"
      let answer = routes.answer(request("/metrics", fields: [(name: "authorization", value: value)]))
      #expect((answer.status == 200) == (length == token.count), "\(length)")
    }
  }

  @Test func anyNumberOfSpacesComesBeforeTheToken() throws {
    let fields: Fields = [(name: "authorization", value: "Bearer   \(token)")]
    #expect(try guarded().answer(request("/metrics", fields: fields)).status == 200)
  }

  @Test func pingsBadgesAndHealthNeedNoToken() throws {
    let routes = try guarded()
    #expect(routes.answer(request("/healthz")).status == 200)
    #expect(routes.answer(request("/badge/f.svg?key=\(token)")).status == 200)
    #expect(routes.answer(request("/report.css")).status == 200)
    // It has its own answer to a wrong key.
    #expect(routes.answer(request("/ping/x/f")).status == 404)
    #expect(routes.answer(request("/events")).status == 401)
  }

  @Test func aBrowserShowsTheTokenOnce() throws {
    let routes = try guarded(isBehindProxy: true)
    let page = routes.answer(request("/"))
    #expect(text(page).contains("<form") && page.fields["referrer-policy"] == "same-origin")
    let form: Fields = [
      (name: "content-type", value: "application/x-www-form-urlencoded"),
      (name: "sec-fetch-site", value: "same-origin"),
    ]
    let wrong = routes.answer(request("/session", "POST", fields: form, body: try body("token=x")))
    #expect(wrong.status == 401 && wrong.fields["set-cookie"] == nil && text(wrong).contains("Wrong token"))
    #expect(wrong.fields["referrer-policy"] == "same-origin", "the form can be sent again")
    for refused in [page, wrong] { #expect(refused.fields["www-authenticate"] == "Bearer") }
    let right = routes.answer(request("/session", "POST", fields: form, body: try body("a=b&token=\(token)")))
    let cookie = try #require(right.fields["set-cookie"])
    #expect(right.status == 303 && right.fields["location"] == "/")
    #expect(cookie.contains("; HttpOnly; SameSite=Lax; Secure") && !cookie.contains(token))
    let pair = try #require(cookie.split(separator: ";").first)
    for (value, status) in [
      ("a=b; \(pair)", 200), ("\(pair)x", 401), ("loadlog-session-8787=", 401), ("", 401),
    ] {
      #expect(
        routes.answer(request("/", fields: [(name: "cookie", value: value)])).status == status, "\(value)")
    }
    // A proxy that asks for a password of its own passes it on.
    for (value, status) in [("Basic eDp5", 200), ("Bearer \(token)x", 401), ("Bearer", 401)] {
      let fields: Fields = [(name: "authorization", value: value), (name: "cookie", value: String(pair))]
      #expect(routes.answer(request("/", fields: fields)).status == status, "\(value)")
    }
    // The cookie of another server does not fit.
    let other = try guarded(isBehindProxy: true)
    #expect(other.answer(request("/", fields: [(name: "cookie", value: String(pair))])).status == 401)
  }

  /// A browser sends both cookies to both.
  @Test func twoServersOfAMachineKnowABrowserAtTheSameTime() throws {
    let servers = try [8787, 8788].map { ($0, try guarded(port: $0)) }
    let cookies = try servers.map { port, routes in
      let form: Fields = [
        (name: "content-type", value: "application/x-www-form-urlencoded"),
        (name: "sec-fetch-site", value: "same-origin"),
      ]
      let answer = routes.answer(
        request(
          "/session", "POST", host: "localhost:\(port)", fields: form, body: try body("token=\(token)")))
      return try #require(answer.fields["set-cookie"]?.split(separator: ";").first).split(separator: "=")
    }
    // A browser keeps one cookie of a name.
    let jar = Dictionary(cookies.map { ($0[0], $0[1]) }) { $1 }.map { "\($0)=\($1)" }.joined(separator: "; ")
    for (port, routes) in servers {
      let page = request("/", host: "localhost:\(port)", fields: [(name: "cookie", value: jar)])
      #expect(routes.answer(page).status == 200, "\(port)")
    }
  }

  @Test(arguments: ["short", "two words of which one is long enough", "", "aaaaaaaaaaaaaaaaaaaaaaaaa\nb"])
  func aWeakTokenIsRefused(_ text: String) throws {
    let file = place.url.deletingLastPathComponent().appending(path: "token").path
    _ = FileManager.default.createFile(
      atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    #expect(throws: LoadLogError.self) { try AccessToken(file: file) }
  }

  @Test func aTokenThatOthersCanReadIsRefused() throws {
    let file = place.url.deletingLastPathComponent().appending(path: "token").path
    _ = try AccessToken(file: file)
    _ = try AccessToken(file: file)
    chmod(file, 0o640)
    #expect(throws: LoadLogError.self) { try AccessToken(file: file) }
  }

  // MARK: - Writes

  private static let line =
    #"{"event":"start","at":"2026-11-20T10:00:00Z","feed":"g","id":"01a20ae0-f060-7ec6-ad6c-2ddde878893a"}"#

  @Test(
    arguments: [
      ([], 200), ([("sec-fetch-site", "same-origin")], 200), ([("sec-fetch-site", "none")], 200),
      ([("sec-fetch-site", "cross-site")], 403), ([("sec-fetch-site", "same-site")], 403),
      ([("origin", "http://localhost:8787")], 200), ([("origin", "http://LOCALHOST:8787")], 200),
      ([("origin", "http://localhost:8788")], 403), ([("origin", "http://evil.test")], 403),
      ([("origin", "null")], 403), ([("origin", "")], 403),
      ([("sec-fetch-site", "cross-site"), ("origin", "http://localhost:8787")], 403),
    ] as [([(String, String)], Int)])
  func onlyPagesOfTheServerAndProgramsMayWrite(_ given: [(String, String)], _ status: Int) throws {
    let fields =
      given.map { (name: $0.0, value: $0.1) } + [(name: "content-type", value: "application/x-ndjson")]
    let answer = try routes(Guard(names: [], port: 8787)).answer(
      request("/api/v1/import", "POST", fields: fields, body: try body("")))
    #expect((answer.status == 403) == (status == 403), "\(text(answer))")
  }

  @Test(
    arguments: [
      ("/api/v1/import", "application/x-ndjson; charset=utf-8", true),
      ("/api/v1/import", "APPLICATION/JSON", true),
      ("/api/v1/import", "application/x-www-form-urlencoded", false), ("/api/v1/import", "text/plain", false),
      ("/api/v1/import", "", false), ("/v1/traces", "application/json", true),
      ("/v1/traces", "application/x-protobuf", false), ("/v1/traces", "multipart/form-data", false),
    ])
  func bodiesHaveAKnownType(_ path: String, _ type: String, _ isAllowed: Bool) throws {
    let answer = try routes(Guard(names: [], port: 8787)).answer(
      request(path, "POST", fields: [(name: "content-type", value: type)], body: try body("{}")))
    #expect((answer.status != 415) == isAllowed, "\(text(answer))")
    if path == "/v1/traces", !isAllowed {
      #expect(text(answer).contains("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json"))
    }
  }

  @Test func aReadOnlyServerTakesNothing() throws {
    let routes = try routes(Guard(names: [], port: 8787), isReadOnly: true)
    for path in ["/api/v1/import", "/v1/traces"] {
      let fields: Fields = [(name: "content-type", value: "application/json")]
      #expect(routes.answer(request(path, "POST", fields: fields, body: try body("{}"))).status == 403)
    }
  }

  // MARK: - Proxies and rates

  @Test(
    arguments: [
      ("loads.example", 200, 421), ("loads.example:443", 200, 421), ("loads.example:8787", 200, 200),
      ("loads.example:x", 421, 421), ("localhost", 200, 421), ("evil.test", 421, 421),
    ])
  func aProxyHasItsOwnPort(_ host: String, _ behind: Int, _ direct: Int) throws {
    for (isBehindProxy, status) in [(true, behind), (false, direct)] {
      #expect(
        try guarded(isBehindProxy: isBehindProxy).answer(request("/healthz", host: host)).status == status,
        "\(isBehindProxy)")
    }
  }

  @Test func aProxyAtASocketCallsTheServerByItsNames() throws {
    for (isBehindProxy, status) in [(true, 421), (false, 200)] {
      let routes = try routes(Guard(names: ["loads.example"], port: nil, isBehindProxy: isBehindProxy))
      #expect(routes.answer(request("/healthz", host: "loads.example")).status == 200)
      #expect(routes.answer(request("/healthz", host: "evil.test")).status == status)
    }
  }

  private func admitted(_ watch: Guard, _ fields: Fields = [], client: String) throws -> Int {
    let routes = try routes(watch)
    let answers = (0..<20).map { _ in routes.answer(request("/report.css", fields: fields, client: client)) }
    for answer in answers where answer.status == 429 { #expect(answer.fields["retry-after"] == "1") }
    return answers.count { $0.status == 200 }
  }

  @Test func addressesOfOtherMachinesHaveALimit() throws {
    // Requests that come while the bucket is filled may be one or two more.
    for client in ["10.0.0.7", "fe80::1"] {
      #expect(try (3...5).contains(admitted(Guard(names: [], port: 8787, rate: 3), client: client)))
    }
    for client in ["127.0.0.1", "::1"] {
      #expect(try admitted(Guard(names: [], port: 8787, rate: 3), client: client) == 20)
    }
    #expect(try admitted(Guard(names: [], port: nil, rate: 3), client: "localhost") == 20)
  }

  /// A machine with IPv6 has a network to choose its addresses from.
  @Test func aNetworkOfIPv6HasOneLimit() throws {
    func admitted(_ client: (Int) -> String) throws -> Int {
      let routes = try routes(Guard(names: [], port: 8787, rate: 3))
      return (1...20).count { routes.answer(request("/report.css", client: client($0))).status == 200 }
    }
    #expect(try (3...5).contains(admitted { "2001:db8:1:2::\($0)" }))
    #expect(try (3...5).contains(admitted { "2001:db8:1:2:\($0)::1" }))
    #expect(try admitted { "2001:db8:1:\($0)::1" } == 20)
    #expect(try admitted { "::ffff:10.0.0.\($0)" } == 20)
  }

  @Test func behindAProxyTheAddressThatItSawCounts() throws {
    let watch = Guard(names: [], port: 8787, isBehindProxy: true, rate: 3)
    let routes = try routes(watch)
    func count(_ forwarded: (Int) -> String) -> Int {
      (0..<20).count { number in
        let fields: Fields = [(name: "x-forwarded-for", value: forwarded(number))]
        return routes.answer(request("/report.css", fields: fields)).status == 200
      }
    }
    // What the client itself has written before it does not count.
    #expect((3...5).contains(count { "1.1.1.\($0), 10.0.0.7" }))
    #expect(count { "10.0.0.7, 1.1.1.\($0)" } == 20)
    #expect(try (3...5).contains(admitted(watch, client: "127.0.0.1")), "a proxy that names nobody")
  }
}
