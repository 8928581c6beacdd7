import Foundation
import TestProcesses
import Testing

/// Imports, traces, tokens and badges of `loadlog-net serve` at a real socket.
@Suite struct ServeDoorsTests {
  private func code(_ served: ServedStore, _ path: String, _ options: String...) throws -> String {
    try served.curl(path, options + ["-o", "/dev/null", "-w", "%{http_code}"]).output
  }

  @Test func anImportAnswersAsTheVerb() throws {
    let served = try ServedStore()
    let other = try Place()
    try other.loadlog("run", "imported", "--", "true")
    let file = try other.write(other.loadlog("export").output + "no record\n", to: "loads.ndjson")
    let answer = try served.curl(
      "api/v1/import", ["-H", "Content-Type: application/x-ndjson", "--data-binary", "@\(file)"])
    let verb = try other.shell(
      "loadlog import - --json --db \(other.folder.path)/third.db < '\(file)'; rm \(other.folder.path)/third.db*"
    )
    func numbers(_ text: String) throws -> [String] {
      let answer = try Answer(text)
      return ["loads", "imported", "rejected", "file", "format"].map { "\(answer[$0])" }
    }
    #expect(try numbers(answer.output) == numbers(verb.output))
    #expect(try Answer(answer.output)["loads"].int == 1, "\(answer.output)")
    #expect(try served.place.ask("history", "imported")["loads"].all.count == 1)
  }

  @Test func pingsComeBackFromAnotherStoreAsTheSameBytes() throws {
    let served = try ServedStore()
    let ping = String(try served.pings("job").dropFirst(served.address.count))
    let run = "rid=01a20ae0-f060-4ec6-ad6c-2ddde878893a"
    for request in ["?create=1", "/start?\(run)", "/3?\(run)", "/start"] {
      _ = try served.curl(ping + request, [])
    }
    let place = served.place
    let first = try place.loadlog("export").output
    #expect(first.contains(#""kind":"remote""#), "\(first)")
    let copy = place.folder.path + "/copy.db"
    let copied = try place.shell("loadlog export | loadlog import - --db '\(copy)'")
    #expect(copied.code == 0 && copied.output.hasSuffix(" skipped 0, rejected 0\n"), "\(copied)")
    #expect(try place.loadlog("export", "--db", copy).output == first)
  }

  @Test func aPageOfAFeedShowsWhatItsFailuresWrote() throws {
    let served = try ServedStore()
    try served.place.loadlog("run", "f", "--keep-output", "--", "sh", "-c", "echo what was kept; exit 3")
    #expect(try served.curl("feeds/f", []).output.contains("what was kept"))
  }

  @Test func aBodyThatIsTooLongImportsNothing() throws {
    let served = try ServedStore()
    let answer = try served.place.shell(
      """
      head -c 70000000 /dev/zero | curl -sS -w '%{http_code}' -H 'Content-Type: application/x-ndjson' \
        -H 'Expect:' --data-binary @- '\(served.address)api/v1/import'
      """)
    #expect(answer.output.hasSuffix("413"), "\(answer)")
  }

  /// It reads nothing before it has written all.
  @Test(arguments: [("text/html", 30, "415"), ("application/x-ndjson", 100, "413")])
  func aClientThatWritesAllItsBodyFirstReadsWhyItIsRefused(_ type: String, _ size: Int, _ status: String)
    throws
  {
    let served = try ServedStore()
    let client = """
      import http.client, json, sys, urllib.parse
      address = urllib.parse.urlsplit(sys.argv[1])
      connection = http.client.HTTPConnection(address.hostname, address.port)
      connection.request("POST", "/api/v1/import", bytes(\(size) << 20), {"Content-Type": "\(type)"})
      answer = connection.getresponse()
      print(answer.status, answer.headers["connection"], len(json.load(answer)))
      """
    for _ in 1...3 {
      let answer = try served.place.start([TestPlaces.python, "-c", client, served.address]).wait()
      #expect(answer.output == "\(status) close 3\n", "\(answer)")
    }
  }

  /// The SDK of OpenTelemetry has no exporter for JSON, so the script has one of a few lines.
  @Test(arguments: ["", "gzip"])
  func spansOfOpenTelemetryBecomeLoads(_ encoding: String) throws {
    let served = try ServedStore()
    let python = try #require(ProcessInfo.processInfo.environment["LOADLOG_PYTHON"], "Run ./dev test.")
    let script = TestPlaces.package.appending(path: "Tests/Scripts/otlp_http.py").path
    let answer = try served.place.start([python, script, served.address + "v1/traces", encoding]).wait()
    #expect(answer.code == 0 && answer.output == "200 {}\n", "\(answer)")
    let loads = try served.place.ask("history", "checkout", "payment")["loads"].all
    #expect(loads.map { $0["state"].text } == ["failed", "succeeded"])
  }

  @Test func protobufIsRefusedWithTheSettingThatHelps() throws {
    let served = try ServedStore()
    let answer = try served.curl(
      "v1/traces", ["-H", "Content-Type: application/x-protobuf", "--data", "x", "-w", "%{http_code}"])
    #expect(answer.output.hasSuffix("415") && answer.output.contains("OTLP_TRACES_PROTOCOL=http/json"))
  }

  @Test func aBombIsNotUnpacked() throws {
    let served = try ServedStore()
    let answer = try served.place.shell(
      """
      head -c 50000000 /dev/zero | gzip | curl -sS -w '%{http_code}' -H 'Content-Type: application/json' \
        -H 'Content-Encoding: gzip' --data-binary @- '\(served.address)v1/traces'
      """)
    #expect(answer.output.hasSuffix("400") && answer.output.contains("longer than"), "\(answer)")
  }

  @Test func everyPartOfAPackedBodyIsImported() throws {
    let served = try ServedStore()
    let other = try Place()
    for feed in ["one", "two"] { try other.loadlog("run", feed, "--", "true") }
    let file = try other.write(other.loadlog("export").output, to: "loads.ndjson")
    func send(_ rest: String) throws -> String {
      try served.place.shell(
        """
        { head -n 2 '\(file)' | gzip; tail -n +3 '\(file)' | gzip; printf '\(rest)'; } |
          curl -sS -w '%{http_code}' -H 'Content-Type: application/x-ndjson' -H 'Content-Encoding: gzip' \
            --data-binary @- '\(served.address)api/v1/import'
        """
      ).output
    }
    for rest in ["no gzip", "\\037"] {
      let refused = try send(rest)
      #expect(refused.hasSuffix("400") && refused.contains("damaged or incomplete"), "\(refused)")
    }
    #expect(try served.place.ask("history", "*")["loads"].all.count == 2)
    let taken = try send("")
    #expect(taken.hasSuffix("200"), "\(taken)")
    #expect(try served.place.ask("history", "*")["loads"].all.count == 4)
  }

  @Test func aPackedBodyThatDoesNotSaySoIsRefusedWithTheFieldThatHelps() throws {
    let served = try ServedStore()
    for (path, type) in [("api/v1/import", "application/x-ndjson"), ("v1/traces", "application/json")] {
      let answer = try served.place.shell(
        """
        echo '{}' | gzip | curl -sS -w '%{http_code}' -H 'Content-Type: \(type)' --data-binary @- \
          '\(served.address)\(path)'
        """)
      #expect(answer.output.hasSuffix("400") && answer.output.contains("Content-Encoding: gzip"), "\(answer)")
    }
  }

  /// A proxy listens at another port.
  @Test func theAddressBehindAProxyIsThatOfTheServer() throws {
    let place = try Place()
    let options =
      ["--listen", "0.0.0.0:0", "--plain-http", "--token-file", place.folder.path + "/token"]
      + ["--host-name", "log.example.com"]
    #expect(try ServedStore(in: place, options).address.hasPrefix("http://log.example.com:"))
    #expect(try ServedStore(in: place, options + ["--behind-proxy"]).address.hasPrefix("http://localhost:"))
  }

  @Test func otherMachinesNeedTheToken() throws {
    let place = try Place()
    let file = place.folder.path + "/token"
    let served = try ServedStore(in: place, ["--listen", "0.0.0.0:0", "--plain-http", "--token-file", file])
    // Not at 0.0.0.0, to which it does not answer.
    #expect(served.address.hasPrefix("http://localhost:"))
    #expect(served.server.errors.contains("name the host that they use with --host-name"))
    let token = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
    #expect(try code(served, "api/v1/status") == "401")
    #expect(
      try code(served, "api/v1/status", "-H", "Authorization: Bearer \(token)") == "200")
    #expect(try code(served, "", "-H", "Authorization: Bearer \(token)x") == "401")
    #expect(try code(served, "healthz") == "200")
    let jar = place.folder.path + "/cookies"
    for (given, status) in [("x", "401"), (token, "200")] {
      #expect(
        try code(
          served, "session", "-L", "-c", jar, "-b", jar, "--data-urlencode",
          "token=\(given)")
          == status)
    }
    #expect(!served.server.errors.contains(token))
    let programs = try place.start(["ps", "-A", "-ww", "-o", "args="], input: .nothing).wait().output
    #expect(programs.contains("loadlog-net") && !programs.contains(token))
  }

  @Test(
    arguments: [
      ["--listen", "0.0.0.0:0"], ["--listen", "0.0.0.0:0", "--plain-http"], ["--listen", "10.0.0.1:1"],
      ["--listen", "[::]:0", "--token-file", "t"], ["--behind-proxy"], ["--rate", "0"],
      ["--host-name", "box:8787"], ["--host-name", "http://box/"], ["--host-name", "[fd00::5]:80"],
      ["--host-name", ""],
    ])
  func openingTheServerNeedsThought(_ options: [String]) throws {
    let place = try Place()
    let answer = try place.start([try ServedStore.program(), "serve"] + options).wait()
    #expect(answer.code == 2 && answer.errors.contains("--"), "\(answer)")
  }

  @Test func aBadgeIsAPicture() throws {
    let place = try Place()
    let keys = place.folder.path + "/keys"
    let served = try ServedStore(in: place, ["--listen", "127.0.0.1:0", "--ping-key-file", keys])
    let key = "0123456789abcdef0123456789abcdef"
    #expect(try code(served, "badge/f.svg?key=\(key)") == "404")
    let python = try #require(ProcessInfo.processInfo.environment["LOADLOG_PYTHON"], "Run ./dev test.")
    try place.shell("echo 'badge \(key)' >> '\(keys)'")
    let other = try place.start(
      [
        try ServedStore.program(), "serve", "--listen", "127.0.0.1:0", "--ping-key-file", keys, "--read-only",
      ],
      input: .nothing)
    try Wait.until("the address") { other.errors.contains("\n") }
    let address = try #require(other.errors.firstMatch(of: /at (http:\S+)\n/).map { String($0.1) })
    let badge = try place.shell(
      """
      curl -sSf '\(address)badge/f.svg?key=\(key)' | '\(python)' -c 'import sys, xml.dom.minidom as dom
      print(dom.parse(sys.stdin.buffer).documentElement.getAttribute("aria-label"))'
      """)
    #expect(badge.output == "f: failing\n", "\(badge)")
    other.signal(SIGTERM)
    #expect(try other.wait().code == 0)
  }
}
