import Foundation
import LoadLog
import LoadLogCLI
import LoadLogServer
import LoadLogTestSupport
import Testing

/// The pages of feeds and searches, badges, imports and the description.
@Suite struct DoorTests {
  private let place: TemporaryStore
  private let routes: Routes
  private let key = "0123456789abcdef0123456789abcdef"

  init() throws {
    place = try TemporaryStore()
    let loads = try LoadingController(storeAt: place.url)
    for number in 0..<30 { loads.push("page/\(number)") }
    loads.push("other <b>")
    loads.pop("other <b>")
    try loads.close()
    let keys = try PingKeys("badge \(key)")
    routes = Routes(
      to: .store(place.path), watch: Guard(names: [], port: 8787), verb: VerbAnswer.json,
      keys: keys,
      pings: PingDoor(keys, storeAt: place.path))
  }

  private func ask(_ target: String) -> ServerResponse {
    routes.answer(ServerRequest("GET", target, hosts: ["localhost:8787"]))
  }

  private func post(_ target: String, _ text: String, _ fields: [(name: String, value: String)] = []) throws
    -> ServerResponse
  {
    let file = try TemporaryFile()
    try file.append(text.utf8)
    return routes.answer(
      ServerRequest(
        "POST", target, hosts: ["localhost:8787"],
        fields: [(name: "content-type", value: "application/json")] + fields, body: .file(file)))
  }

  private func text(_ answer: ServerResponse) -> String { String(decoding: answer.body, as: UTF8.self) }

  @Test(arguments: [
    ("page/1", 11), ("PAGE/1", 0), ("page/?", 10), ("page/1*", 11), ("other <b>", 1), ("", 31),
  ])
  func aSearchFindsFeedsByPartsOfTheirNames(_ words: String, _ count: Int) throws {
    let query = try #require(words.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let page = text(ask("/?feed=\(query)"))
    #expect(page.matches(of: /<th scope=row><a/).count == count)
    #expect(page.contains("<form class=\"search\"") && page.contains("no feed matches") == (count == 0))
  }

  @Test func thePageShows200FeedsAndASearchTheOthers() throws {
    let loads = try LoadingController(storeAt: place.url)
    for number in 0..<200 {
      for _ in 0..<2 {
        loads.push("busy/\(number)")
        loads.pop("busy/\(number)")
      }
    }
    loads.push("quiet")
    loads.pop("quiet")
    try loads.close()
    let page = text(ask("/"))
    #expect(page.matches(of: /<th scope=row><a/).count == 200 && !page.contains(">quiet<"))
    #expect(text(ask("/?feed=quiet")).matches(of: /<th scope=row><a/).count == 1)
  }

  @Test func aFeedHasAPage() throws {
    let page = text(ask("/feeds/other%20%3Cb%3E"))
    #expect(page.contains("<bdi>other &lt;b&gt;</bdi></h1>") && page.contains("<h2 id=\"loads\">Loads</h2>"))
    #expect(page.contains("<article") && !page.contains("page/1"))
    #expect(text(ask("/")).contains("href=\"/feeds/other%20%3Cb%3E\""))
    #expect(ask("/feeds/nobody").status == 404 && ask("/feeds/").status == 400)
  }

  @Test func aPageShowsWhatHasChangedSince() throws {
    #expect(!text(ask("/feeds/page%2F1")).contains("Last 2"))
    #expect(text(ask("/?feed=new")).contains("no feed matches"))
    #expect(try routes.refreshPage() && !routes.refreshPage())
    try place.record("new")
    #expect(try routes.refreshPage())
    #expect(text(ask("/?feed=new")).contains("1 feed found"))
  }

  @Test func aBadgeNeedsItsKey() throws {
    let badge = ask("/badge/other%20%3Cb%3E.svg?key=\(key)")
    #expect(badge.status == 200 && badge.fields["content-type"] == "image/svg+xml; charset=utf-8")
    #expect(text(badge).contains("aria-label=\"other &lt;b&gt;: fine\""))
    for path in ["other%20%3Cb%3E.svg", "other%20%3Cb%3E.svg?key=x", "nobody.svg?key=\(key)", "f?key=\(key)"]
    {
      #expect(ask("/badge/\(path)").status == 404, "\(path)")
    }
    // The key opens nothing else: not even the names of feeds that are similar.
    #expect(!text(ask("/badge/othr%20%3Cb%3E.svg?key=\(key)")).contains("other"))
  }

  @Test func loadsAreImportedOnce() throws {
    let line =
      #"{"event":"start","at":"2026-11-20T10:00:00Z","feed":"g","id":"01a20ae0-f060-7ec6-ad6c-2ddde878893a"}"#
    let first = try post("/api/v1/import", line + "\n")
    #expect(first.status == 200 && text(first).contains("\"loads\": 1,"), "\(text(first))")
    #expect(try text(post("/api/v1/import", line + "\n")).contains("\"skipped\": 1,"))
    let bad = try post("/api/v1/import", line + "\nx\n")
    #expect(bad.status == 422 && text(bad).contains("\"rejected\": 1,"))
    try #expect(post("/api/v1/import", line, [(name: "content-encoding", value: "br")]).status == 415)
  }

  @Test func tracesAreImported() throws {
    let span =
      #"{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"s","#
      + #""startTimeUnixNano":"1763632800000000000","endTimeUnixNano":"1763632801000000000"}"#
    func traces(_ spans: String) -> String { #"{"resourceSpans":[{"scopeSpans":[{"spans":[\#(spans)]}]}]}"# }
    let answer = try post("/v1/traces", traces(span))
    #expect(answer.status == 200 && text(answer) == "{}")
    let partly = try text(post("/v1/traces", traces(span + #",{"name":"no times"}"#)))
    #expect(partly.contains("\"rejectedSpans\": \"1\""), "\(partly)")
    #expect(try post("/v1/traces", "{").status == 400)
    let loads = try SQLiteLoadReader(at: place.path).history(LoadFilter(feeds: ["s"])).loads
    #expect(loads.map(\.duration) == [1_000_000_000])
  }

  @Test func aPageOfAnEmptyStoreNamesItsCommandForThatStore() throws {
    let empty = place.path + "-empty"
    try SQLiteLoadStore.make(at: empty, app: "test")
    let routes = Routes(
      to: .store(empty), watch: Guard(names: [], port: nil), verb: VerbAnswer.json)
    let page = text(routes.answer(ServerRequest("GET", "/", hosts: ["x"])))
    #expect(page.contains("<code>loadlog run FEED --db \(empty) -- COMMAND</code>"), "\(page)")
  }

  @Test func aStoreThatIsMissingGetsNoLoads() throws {
    let nowhere = place.path + "-other"
    let routes = Routes(
      to: .store(nowhere), watch: Guard(names: [], port: nil), verb: VerbAnswer.json,
      pings: PingDoor(try PingKeys(""), storeAt: nowhere))
    let line =
      #"{"event":"start","at":"2026-11-20T10:00:00Z","feed":"g","id":"01a20ae0-f060-7ec6-ad6c-2ddde878893a"}"#
    for (path, body) in [
      ("/api/v1/import", line), ("/api/v1/import", ""), ("/api/v1/import", "x\n"),
      ("/v1/traces", #"{"resourceSpans":[]}"#),
    ] {
      let file = try TemporaryFile()
      try file.append(body.utf8)
      let answer = routes.answer(
        ServerRequest(
          "POST", path, hosts: ["x"], fields: [(name: "content-type", value: "application/json")],
          body: .file(file)))
      #expect(answer.status == 503, "\(path) \(body): \(text(answer))")
    }
    #expect(!FileManager.default.fileExists(atPath: nowhere))
  }

  @Test func theDescriptionNamesWhatIsAnswered() throws {
    let answer = ask("/api/v1/openapi.json")
    let description = try #require(
      try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    let paths = try #require(description["paths"] as? [String: [String: Any]])
    #expect(paths.count == 7)
    for (path, methods) in paths where methods["get"] != nil {
      let feed = path.replacing("{feed}", with: "page%2F1").replacing("{id}", with: "nobody")
      #expect(ask(feed).status == (path.contains("{id}") ? 400 : 200), "\(path)")
    }
  }
}
