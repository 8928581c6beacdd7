import Foundation
import LoadLog
import LoadLogCLI
import LoadLogServer
import LoadLogTestSupport
import Testing

/// The routes without a socket: requests are values, and so are the answers.
@Suite struct RoutesTests {
  private let place: TemporaryStore
  private let routes: Routes

  init() throws {
    place = try TemporaryStore()
    try place.record("f")
    routes = Routes(
      to: .store(place.path), watch: Guard(names: ["proxy.example"], port: 8787),
      verb: VerbAnswer.json)
  }

  private func ask(_ target: String, _ method: String = "GET", hosts: [String] = ["localhost:8787"])
    -> ServerResponse
  {
    routes.answer(ServerRequest(method, target, hosts: hosts))
  }

  private func text(_ answer: ServerResponse) -> String { String(decoding: answer.body, as: UTF8.self) }

  @Test(
    arguments: [
      (["localhost:8787"], 200), (["[::1]:8787"], 200), (["proxy.example:8787"], 200),
      (["PROXY.example:8787"], 200),
      ([], 400), ([""], 400), (["localhost:8787", "localhost:8787"], 400), (["proxy.example"], 421),
      (["evil.test:8787"], 421), (["localhost:80"], 421), (["evil.localhost:8787"], 421),
    ])
  func onlyNamesOfTheServerAreAnswered(_ hosts: [String], _ status: Int) {
    #expect(ask("/healthz", hosts: hosts).status == status)
  }

  @Test func aBrowserLeavesPort80Out() {
    let routes = Routes(
      to: .store(place.path), watch: Guard(names: [], port: 80), verb: VerbAnswer.json)
    for (host, status) in [("localhost", 200), ("localhost:80", 200), ("evil.test", 421)] {
      #expect(routes.answer(ServerRequest("GET", "/healthz", hosts: [host])).status == status)
    }
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "get", ""])
  func onlyGetAndHeadAreAllowed(method: String) {
    let answer = ask("/healthz", method)
    #expect(answer.status == 405 && answer.fields["allow"] == "GET, HEAD")
  }

  /// A verb that asks the record again and again, until that is refused.
  @Test(
    arguments: [
      { reader in _ = try reader.history(LoadFilter()) },
      { reader in _ = try reader.busy(LoadFilter()) { _, _ in } },
    ] as [@Sendable (any LoadReading) throws -> Void])
  func theReadsOfAQuestionHaveOneDeadline(_ ask: @escaping @Sendable (any LoadReading) throws -> Void) {
    let routes = Routes(
      to: .store(place.path), watch: Guard(names: [], port: nil),
      verb: { _, _, open in
        let (reader, limit) = (try open(), ContinuousClock.now + .seconds(30))
        while ContinuousClock.now < limit { try ask(reader) }
        return []
      })
    let answer = routes.answer(ServerRequest("GET", "/api/v1/status", hosts: ["x"]))
    #expect(answer.status == 503 && answer.fields["retry-after"] == "5")
    #expect(text(answer).contains("longer than the deadline"), "\(text(answer))")
  }

  @Test func headHasTheFieldsOfGetAndNoBody() {
    for path in ["/", "/metrics", "/api/v1/unbalanced", "/nothing"] {
      let (get, head) = (ask(path), ask(path, "HEAD"))
      #expect(
        head.status == get.status && head.body.isEmpty && get.fields["content-length"] == "\(get.body.count)")
      #expect(head.fields["content-type"] == get.fields["content-type"])
    }
  }

  @Test(
    arguments: [
      ("/api/v1/history?state=failed&limit=10000", 200), ("/api/v1/history?limit=10001", 200),
      ("/api/v1/history?limit=all", 200), ("/api/v1/history?grep=exit+3", 200),
      ("/api/v1/status?check", 200), ("/api/v1/status?check=0", 400), ("/api/v1/history?db=/x", 400),
      ("/api/v1/history?json", 400), ("/api/v1/history?limit=", 400), ("/api/v1/unbalanced?message=x", 400),
      ("/api/v1/status?feed=--watch", 404), ("/api/v1/loads/--help", 400),
      ("/api/v1/feeds/--json/last-updated", 404),
      ("/api/v1/feeds/f/x", 404), ("/api/v1", 404),
    ])
  func onlyQuestionsAreVerbs(_ path: String, _ status: Int) {
    let answer = ask(path)
    #expect(answer.status == status, "\(text(answer))")
    if status != 200 { #expect(text(answer).contains("\"error\": ")) }
  }

  @Test(
    arguments: [
      ("history?since=gestern", "since"), ("history?feed=f&at=gestern", "at"),
      ("history?state=broken", "state"),
      ("status?sort=x", "sort"), ("history?min-duration=x", "min-duration"), ("history?limit=abc", "limit"),
      ("history?limit=0", "limit"), ("history?limit=-1", "limit"),
      ("history?until=2026-01-01&since=2026-01-02", "until"), ("history?fed=f", "fed"),
      ("status?failed", "failed"), ("status?failed&late", "query"),
      ("history?feed=gestern&since=gestern", "since"), ("history?tag=x&since=x", "since"),
    ])
  func anErrorNamesTheParameterAsTheClientWroteIt(_ path: String, _ name: String) throws {
    let answer = ask("/api/v1/\(path)")
    let error = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    #expect(answer.status == 400 && error["field"] as? String == name, "\(error)")
    #expect(!text(answer).contains("--"), "\(error)")
    if name == "fed" { #expect((error["hint"] as? String)?.contains("feed, since, until, state") == true) }
  }

  @Test func aValueIsNamedAsItIs() {
    #expect(text(ask("/api/v1/loads/--help")).contains(#"id \"--help\": "#))
    for value in ["--x", "--state", "--sort&tag=state"] {
      let answer = text(ask("/api/v1/history?state=\(value)"))
      let sent = value.prefix { $0 != "&" }
      #expect(answer.contains("The value '\(sent)' is invalid for 'state'"), "\(answer)")
      #expect(answer.contains(#""field": "state""#), "\(answer)")
    }
  }

  @Test func anAnswerHasAtMost10000Imbalances() throws {
    let loads = try LoadingController(storeAt: place.url)
    for _ in 0..<10_001 { loads.pop("f") }
    try loads.close()
    func answer(_ query: String) throws -> [String: Any] {
      let answer = ask("/api/v1/unbalanced\(query)")
      return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }
    for (query, count) in [
      ("", 10_000), ("?limit=all", 10_000), ("?limit=10001", 10_000), ("?limit=3", 3),
    ] {
      let found = try answer(query)
      #expect((found["unbalanced"] as? [Any])?.count == count && found["missing"] as? Int == 10_001 - count)
    }
  }

  @Test func whoNeedsNoTokenDoesNotLearnWhereTheRecordIs() throws {
    let nowhere = place.path + "-other"
    let keys = try PingKeys("badge 0123456789abcdef0123456789abcdef\nfedcba9876543210fedcba9876543210 x/")
    let routes = Routes(
      to: .store(nowhere), watch: Guard(names: [], port: nil), verb: VerbAnswer.json,
      keys: keys,
      pings: PingDoor(keys, storeAt: nowhere + "/none/store.db"))
    for path in [
      "/healthz", "/badge/f.svg?key=0123456789abcdef0123456789abcdef",
      "/ping/fedcba9876543210fedcba9876543210/f",
    ] {
      let answer = routes.answer(ServerRequest("GET", path, hosts: ["x"]))
      #expect(answer.status == 503 && answer.fields["retry-after"] == "5", "\(path): \(text(answer))")
      #expect(!text(answer).contains("/") && text(answer).contains("("), "\(path): \(text(answer))")
    }
    #expect(text(routes.answer(ServerRequest("GET", "/api/v1/status", hosts: ["x"]))).contains(nowhere))
  }

  @Test func aRefusedPingGetsALineOfText() {
    let requests =
      [
        ("GET", [], 400), ("GET", ["evil.test:8787"], 421), ("PUT", ["localhost:8787"], 405),
      ] as [(String, [String], Int)]
    for (method, hosts, status) in requests {
      let answer = ask("/ping/key/feed", method, hosts: hosts)
      #expect(answer.status == status && answer.fields["content-type"] == "text/plain; charset=utf-8")
      #expect(!text(answer).contains("{") && !answer.body.isEmpty)
    }
    #expect(text(ask("/metrics", hosts: [])).contains("\"error\": "))
  }

  @Test func aParameterIsAValueWhateverItContains() {
    #expect(ask("/api/v1/history?tag=--db%3D/etc/passwd").status == 200)
    #expect(text(ask("/api/v1/history?grep=%22")).contains("\"loads\": []"))
  }
}
