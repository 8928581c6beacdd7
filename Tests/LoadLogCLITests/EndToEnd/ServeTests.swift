import Foundation
import TestProcesses
import Testing

/// `loadlog-net serve` at a real socket, asked by curl.
@Suite struct ServeTests {
  private let served: ServedStore
  private var place: Place { served.place }
  private var server: RunningProgram { served.server }
  private var address: String { served.address }

  init() throws { served = try ServedStore() }

  private func curl(_ path: String, _ options: String...) throws -> Finished {
    try served.curl(path, options)
  }

  /// What differs between two answers to the same question, because time passes.
  private static func timeless(_ text: String) -> String {
    text.replacing(/"(generated_at|open_at_least)": [^,\n]*/, with: "")
  }

  @Test(
    arguments: [
      ("status", ["status"]), ("status?feed=backup/*&busy", ["status", "backup/*", "--busy"]),
      ("status?check=1&failed", ["status", "--check", "--failed"]),
      ("history", ["history"]),
      ("history?state=failed&limit=1&since=2d", ["history", "--state", "failed", "--limit", "1"]),
      ("history?feed=f&grep=exit+3", ["history", "f", "--grep", "exit 3"]), ("unbalanced", ["unbalanced"]),
      ("feeds/backup%2Fdb/last-updated", ["last-updated", "backup/db"]),
    ])
  func answersAreThoseOfTheVerbs(_ path: String, _ words: [String]) throws {
    let since = path.contains("since") ? ["--since", "2d"] : []
    let verb = try place.loadlog(words + since + ["--json"]).output
    let answer = try curl("api/v1/\(path)").output
    #expect(answer.hasPrefix("{"))
    func shape(_ text: String) -> String { Self.timeless(text).replacing(/"since": [^,\n]*/, with: "") }
    #expect(shape(answer) == shape(verb))
  }

  @Test func aLoadIsShownByItsDigits() throws {
    let id = try #require(try place.ask("history", "f")["loads"][0]["id"].text)
    let verb = try place.loadlog("show", id, "--json").output
    #expect(try Self.timeless(curl("api/v1/loads/\(id.suffix(7))").output) == Self.timeless(verb))
  }

  @Test(
    arguments: [
      ("api/v1/history?state=x", 400), ("api/v1/history?db=/etc/passwd", 400), ("api/v1/status?watch", 400),
      ("api/v1/unbalanced?ack", 400), ("api/v1/status?busy=2", 400), ("api/v1/history?feed=%zz", 400),
      ("api/v1/status?feed=nobody", 404), ("api/v1/loads/fffffff", 404), ("api/v1/feeds/x/last-updated", 404),
      ("api/v1/feeds/%00/last-updated", 400), ("api/v1/", 404), ("api/v1/status/x", 404),
      ("api/v2/status", 404),
      ("../../etc/passwd", 404), ("%2e%2e/report.css", 404), ("nothing", 404), ("%zz", 400),
    ])
  func wrongQuestionsAreRefusedAsJSON(_ path: String, _ status: Int) throws {
    let answer = try curl(path, "--path-as-is", "-w", "%{http_code}")
    #expect(answer.output.hasSuffix("\n\(status)"), "\(answer)")
    #expect(try Answer(String(answer.output.dropLast(3)))["error"].text?.isEmpty == false)
  }

  // MARK: - Pings

  private func pings(_ feed: String) throws -> String { try served.pings(feed) }

  private func loads(of feed: String) throws -> [String] {
    try place.ask("history", feed)["loads"].all.map { load in
      [load["state"].text, load["reason"].text].compactMap(\.self).joined(separator: ": ")
    }
  }

  /// The forms of Healthchecks' documentation.
  @Test(
    arguments: [
      ("curl -fsS -m 10 --retry 5 -o /dev/null $URL", "succeeded"),
      ("curl -fsS -m 10 --retry 5 $URL/fail", "failed"),
      ("(exit 7); curl -fsS -m 10 --retry 5 $URL/$?", "failed: exit 7"),
      ("curl -fsS -m 10 --data-raw 'disk full' $URL/fail", "failed: disk full"),
      ("seq 100000 | curl -fsS -m 10 --data-binary @- $URL/3", "failed: exit 3: 100000"),
      (
        "seq 100000 | curl -fsS -m 10 -H 'Transfer-Encoding: chunked' --data-binary @- $URL/3",
        "failed: exit 3: 100000"
      ),
      ("curl -fsS -m 10 -0 $URL", "succeeded"), ("curl -fsS -m 10 -I $URL", "succeeded"),
      ("wget $URL -T 10 -t 10 -q -O /dev/null", "succeeded"),
      ("wget -q -O /dev/null --post-data='full' $URL/1", "failed: exit 1: full"),
      ("$PYTHON -c 'import requests, sys; requests.get(sys.argv[1], timeout=10)' $URL", "succeeded"),
      (
        "$PYTHON -c 'import requests, sys; requests.post(sys.argv[1], data=\"full\", timeout=10)' $URL/fail",
        "failed: full"
      ),
    ])
  func clientsOfHealthchecksPing(_ command: String, _ load: String) throws {
    let python = try #require(ProcessInfo.processInfo.environment["LOADLOG_PYTHON"], "Run ./dev test.")
    _ = try curl(String(pings("job").dropFirst(address.count)) + "/start?create=1")
    let answer = try place.shell("URL=\(try pings("job")) PYTHON=\(python); \(command)")
    #expect(answer.code == 0, "\(answer)")
    #expect(try loads(of: "job") == [load])
  }

  /// The bytes that runitor sends, by its source and that of Go's HTTP client: a start without a body, and the exit code
  /// with the command's output, of known length or, in old versions, in chunks. It takes 200 for success, and nothing
  /// else.
  @Test(arguments: [false, true]) func whatRunitorSendsIsRecorded(_ isChunked: Bool) throws {
    _ = try curl(String(pings("job").dropFirst(address.count)) + "?create=1")
    let output = "one\n\n[runitor] exit status 3"
    let body =
      isChunked ? "\(String(output.utf8.count, radix: 16))\\r\\n\(output)\\r\\n0\\r\\n\\r\\n" : output
    let port = try #require(address.split(separator: ":").last?.dropLast())
    func post(_ action: String, _ length: String, _ body: String) throws -> String {
      let head = [
        "POST /\(try pings("job").dropFirst(address.count))/\(action) HTTP/1.1", "Host: 127.0.0.1:\(port)",
        "User-Agent: runitor/v1.4.1 (+https://bdd.fi/x/runitor)", length, "Content-Type: text/plain",
        "Accept-Encoding: gzip",
      ].joined(separator: "\\r\\n")
      let text = "\(head)\\r\\n\\r\\n\(body)"
      return try place.shell(
        "exec 3<> /dev/tcp/127.0.0.1/\(port); printf '\(text)' >&3; read -t 20 -r line <&3; echo \"$line\""
      ).output
    }
    #expect(try post("start", "Content-Length: 0", "") == "HTTP/1.1 200 OK\r\n")
    #expect(try loads(of: "job") == ["running", "succeeded"])
    let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(output.utf8.count)"
    #expect(try post("3", length, body) == "HTTP/1.1 200 OK\r\n")
    #expect(try loads(of: "job") == ["failed: exit 3: [runitor] exit status 3", "succeeded"])
    let id = try #require(try place.ask("history", "job")["loads"][0]["id"].text)
    #expect(try place.loadlog("output", id).output == output)
    #expect(try place.loadlog("show", id).output.contains("runitor/v1.4.1"))
  }

  @Test func theEndOfALongBodyIsKept() throws {
    let url = try pings("job")
    let answer = try place.shell(
      "head -c 9000000 /dev/zero | tr '\\0' 'x' | fold | curl -fsS --data-binary @- '\(url)?create=1'")
    #expect(answer.output == "Created")
    let id = try #require(try place.ask("history", "job")["loads"][0]["id"].text)
    let kept = try place.loadlog("output", id).output
    #expect(kept.utf8.count <= 100_000 && kept.utf8.count > 99_000 && kept.hasPrefix("xxx"))
    let more = try place.shell(
      "head -c 11000000 /dev/zero | curl -sS -w '%{http_code}' --data-binary @- '\(url)'")
    #expect(more.output.hasSuffix("413"), "\(more)")
    #expect(try loads(of: "job").count == 1)
  }

  @Test func aBodyThatIsHeldBackIsAskedFor() throws {
    let port = try #require(address.split(separator: ":").last?.dropLast())
    let answer = try place.shell(
      """
      exec 3<> /dev/tcp/127.0.0.1/\(port)
      printf 'POST /\(try pings("job").dropFirst(address.count))/fail?create=1 HTTP/1.1\\r\\nHost: localhost:\(port)\\r\\n' >&3
      printf 'Expect: 100-continue\\r\\nContent-Length: 4\\r\\n\\r\\n' >&3
      read -r first <&3; read -r empty <&3; printf full >&3; read -r second <&3; echo $first $second
      """)
    #expect(
      answer.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        == "HTTP/1.1 100 Continue HTTP/1.1 201 Created", "\(answer)")
    #expect(try loads(of: "job") == ["failed: full"])
  }

  @Test func aServerThatOnlyReadsTakesNoPings() throws {
    let url = try pings("job?create=1")
    let other = try place.start(
      [try ServedStore.program(), "serve", "--listen", "127.0.0.1:0", "--read-only"], input: .nothing)
    try Wait.until("the address") { other.errors.contains("\n") }
    let port = try #require(other.errors.firstMatch(of: /:(\d+)\//).map { String($0.1) })
    let path = url.dropFirst(address.count)
    let answer = try place.start(["curl", "-sS", "http://127.0.0.1:\(port)/\(path)"]).wait()
    #expect(answer.output.contains("takes no pings"))
    #expect(try place.sqlite("SELECT count(*) FROM feed WHERE name = 'job'") == "0\n")
    other.signal(SIGTERM)
    #expect(try other.wait().code == 0)
  }

  @Test func theKeyIsShownNowhere() throws {
    let key = try #require(try pings("x").split(separator: "/").dropLast().last)
    _ = try curl("ping/\(key)/job/fail?create=1")
    _ = try curl("ping/\(key)x/job")
    for path in ["", "metrics", "api/v1/history", "api/v1/status", "ping/\(key)/job/300"] {
      #expect(try !curl(path).output.contains(key))
    }
    #expect(!server.errors.contains(key))
  }

  @Test func onlyThisServersNamesAreAnswered() throws {
    let port = try #require(address.split(separator: ":").last?.dropLast())
    func status(_ host: String...) throws -> String {
      let fields = host.flatMap { ["-H", "Host: \($0)"] }
      return try place.start(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", address + "healthz"] + fields
      )
      .wait().output
    }
    for host in ["localhost:\(port)", "LOCALHOST:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)"] {
      #expect(try status(host) == "200", "\(host)")
    }
    for host in [
      "evil.test", "evil.test:\(port)", "localhost", "localhost:1", "127.0.0.1.evil.test:\(port)",
      "x@localhost:\(port)",
    ] {
      #expect(try status(host) == "421", "\(host)")
    }
    let twice = try place.shell(
      """
      exec 3<> /dev/tcp/127.0.0.1/\(port)
      printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost:\(port)\\r\\nHost: localhost:\(port)\\r\\n\\r\\n' >&3
      head -1 <&3
      """)
    #expect(twice.output.hasPrefix("HTTP/1.1 400"), "\(twice)")
  }

  @Test func nothingCanBeWritten() throws {
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"] {
      let answer = try curl("api/v1/status", "-X", method, "-w", "%{http_code}", "-o", "/dev/null")
      #expect(answer.output == "405", "\(method)")
    }
    #expect(try curl("", "-X", "GET", "--data", "x", "-w", "%{http_code}", "-o", "/dev/null").output == "413")
    let long = String(repeating: "x", count: 20_000)
    #expect(try curl("healthz", "-H", "X: \(long)", "-w", "%{http_code}", "-o", "/dev/null").output != "200")
  }

  @Test(arguments: [(97, "200"), (98, "400")]) func aHeadHasAtMost100Fields(_ more: Int, _ status: String)
    throws
  {
    // curl sends three of its own.
    let fields = (0..<more).flatMap { ["-H", "X-\($0): y"] }
    let answer = try served.curl("healthz", fields + ["-w", "%{http_code}", "-o", "/dev/null"])
    #expect(answer.output == status, "\(answer)")
  }

  /// A byte each second shows that the client is still there, but that is not enough. They come for longer than this test
  /// waits for the end of a program. A client that stops sending learns why its request is refused, too.
  @Test(
    arguments: [
      ("GET", "X: ", "", 200), ("POST", "Content-Length: 1000\\r\\n\\r\\n", "HTTP/1.1 408", 200),
      ("POST", "Content-Length: 1000\\r\\n\\r\\n", "HTTP/1.1 408", 0),
    ])
  func aRequestMustArriveInTime(_ method: String, _ field: String, _ refusal: String, _ bytes: Int) throws {
    let port = try #require(address.split(separator: ":").last?.dropLast())
    let path = try pings("job").dropFirst(address.count)
    let answer = try place.shell(
      """
      exec 3<> /dev/tcp/127.0.0.1/\(port)
      printf '\(method) /\(path) HTTP/1.1\\r\\nHost: localhost:\(port)\\r\\n\(field)' >&3
      (trap '' PIPE; for n in $(seq \(bytes)); do sleep 1; printf x >&3 || exit; done) 2> /dev/null &
      cat <&3 2> /dev/null
      kill $! 2> /dev/null
      """)
    #expect(refusal.isEmpty ? answer.output.isEmpty : answer.output.hasPrefix(refusal), "\(answer)")
  }

  @Test func questionsThatWouldWaitForTooManyAreRefused() throws {
    let script = TestPlaces.package.appending(path: "Tests/Scripts/crowded_server.py").path
    let port = try #require(address.split(separator: ":").last?.dropLast())
    let answer = try place.start(["python3", script, place.store, String(port)]).wait()
    #expect(answer.code == 0, "\(answer)")
  }

  @Test func answersThatAreBeingReadAreCompleteWhenTheServerEnds() throws {
    let script = TestPlaces.package.appending(path: "Tests/Scripts/ended_server.py").path
    let port = try #require(address.split(separator: ":").last?.dropLast())
    let answer = try place.start(["python3", script, String(port), String(server.pid)]).wait()
    #expect(answer.code == 0, "\(answer)")
    #expect(try server.wait().code == 0)
  }

  @Test func eachAnswerForbidsWhatThePageDoesNotNeed() throws {
    for path in ["", "metrics", "api/v1/status", "nothing", "report.css", "events"] {
      let head = try curl(path, "-I").output.lowercased()
      for field in [
        "content-security-policy: default-src 'none'; style-src 'self'; script-src 'self'",
        "frame-ancestors 'none'", "x-content-type-options: nosniff", "referrer-policy: no-referrer",
        "cache-control: no-store",
      ] { #expect(head.contains(field), "\(path): \(head)") }
      #expect(!head.contains("access-control"))
      #expect(head.contains("content-length") == (path != "events"), "as of GET: \(head)")
    }
  }

  @Test func metricsAreThoseOfTheExport() throws {
    let export = try place.loadlog("export", "--format", "prometheus").output
    func counts(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { !$0.contains("store_bytes") }
    }
    #expect(try counts(curl("metrics").output) == counts(export))
  }

  @Test(.enabled("Prometheus is not installed") { Prometheus.canBe })
  func prometheusScrapesTheServer() throws {
    let prometheus = try Prometheus(scraping: address, in: place)
    let failed = #"loadlog_loads_finished_total{feed="f",verdict="failed"}"#
    try Wait.until("the first value") { try prometheus.value(failed) == "1" }
    try place.loadlog("run", "f", "--", "false")
    try Wait.until("the next value") { try prometheus.value(failed) == "2" }
    #expect(try prometheus.value("sum(loadlog_running)") == "0")
  }

  @Test func thePageNeedsNothingFromElsewhere() throws {
    let page = try curl("").output
    #expect(page.contains("backup/db") && !page.contains("<style") && !page.contains("<script>"))
    for file in page.matches(of: /(?:src|href)="(\/[^"]*)"/).map({ String($0.1) }) {
      #expect(try curl(String(file.dropFirst()), "-w", "%{http_code}").output.hasSuffix("200"), "\(file)")
    }
  }

  @Test func aNameThatCannotBeInAnAddressHasNoLink() throws {
    for name in [".", "..", "..."] { try place.loadlog("run", name, "--", "true") }
    let page = try curl("").output
    #expect(page.contains("<bdi>.</bdi>") && !page.contains("<bdi>.</bdi></a>"))
    #expect(page.contains("<bdi>..</bdi>") && !page.contains("<bdi>..</bdi></a>"))
    #expect(page.contains(#"<a href="/feeds/%2E%2E%2E"><bdi>...</bdi></a>"#))
  }

  @Test func aChangeIsAnnounced() throws {
    let listener = try place.start(["curl", "-sSN", "--max-time", "60", address + "events"])
    // The first listener hears of what there is. The page is made after that, and is then older than the next change.
    try Wait.until("the first change") { listener.output.contains("event: change\ndata: 1\n") }
    _ = try curl("")
    try place.loadlog("run", "new", "--", "true")
    try Wait.until("the next change") { listener.output.contains("event: change\ndata: 2\n") }
    #expect(try curl("").output.contains("new"))
    server.signal(SIGTERM)
    #expect(try server.wait().code == 0)
    #expect(try listener.wait().code == 0, "the stream ends in order")
  }

  /// Proxies and clients close a connection on which nothing comes.
  @Test func aListenerIsKeptWhileNothingChanges() throws {
    let listener = try place.start(["curl", "-sSN", "--max-time", "100", address + "events"])
    try Wait.until("a comment") { listener.output.contains("\n:\n\n") }
    listener.signal(SIGKILL)
  }

  @Test(.enabled("strace is not installed") { Place.has("strace") })
  func theStoreIsLeftAloneWithoutListeners() throws {
    let place = try Place()
    let trace = place.folder.path + "/trace"
    let other = try ServedStore(
      in: place, under: ["strace", "-f", "-qq", "-o", trace, "-e", "trace=timerfd_settime,fcntl"])
    func calls() -> [Substring] {
      ((try? String(contentsOfFile: trace, encoding: .utf8)) ?? "").split(separator: "\n")
    }
    // The last calls are not those of the start.
    let many = calls().count + 30
    try Wait.until("many looks at the clock") { calls().count >= many }
    #expect(!calls().suffix(10).contains { $0.contains("F_SETLK") })
    let listener = try place.start(["curl", "-sSN", "--max-time", "60", other.address + "events"])
    try Wait.until("questions") { calls().suffix(10).contains { $0.contains("F_SETLK") } }
    listener.signal(SIGKILL)
    // strace itself would leave it running.
    let server = try #require(calls().first?.split(separator: " ").first.flatMap { pid_t($0) })
    #expect(kill(server, SIGTERM) == 0)
    #expect(try other.server.wait().code == 0)
  }

  private static var hasIPv6: Bool {
    (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?.isEmpty == false
  }

  @Test(.enabled("this machine has no IPv6") { Self.hasIPv6 }) func anAddressOfIPv6ServesToo() throws {
    let other = try ServedStore(["--listen", "[::1]:0", "--host-name", "fd00::5", "--host-name", "[fd00::6]"])
    #expect(other.address.hasPrefix("http://[::1]:"))
    let ping = String(try other.pings("job").dropFirst(other.address.count))
    #expect(try other.curl("\(ping)?create=1", []).output == "Created")
    #expect(try other.curl(ping, ["-H", "Host: evil.test"]).output.hasPrefix("this server is not"))
    let port = try #require(other.address.split(separator: ":").last?.dropLast())
    for name in ["[fd00::5]", "[fd00::6]"] {
      #expect(try other.curl("healthz", ["-H", "Host: \(name):\(port)"]).output.hasPrefix("ok"), "\(name)")
    }
    #expect(try other.place.ask("history", "job")["loads"].all.count == 1)
  }

  @Test func aTerminalSeesWhereToPing() throws {
    let script = TestPlaces.package.appending(path: "Tests/Scripts/terminal.py").path
    let key = try #require(try pings("x").split(separator: "/").dropLast().last)
    let answer = try place.start(
      [
        "python3", script, "'\(try ServedStore.program())' serve --listen 127.0.0.1:0\n", "?/FEED",
        "\u{3}", "?$ ",
      ]
    ).wait()
    #expect(answer.code == 0 && answer.output.contains("/ping/\(key)/FEED\r\n"), "\(answer)")
  }

  @Test func aListenerThatGoesMakesRoom() throws {
    let port = try #require(address.split(separator: ":").last?.dropLast())
    func status() throws -> String {
      try curl("events", "-I", "-o", "/dev/null", "-w", "%{http_code}").output
    }
    // bash closes the connections when it ends.
    let busy = try place.shell(
      """
      for n in $(seq 101 164); do
        eval "exec $n<> /dev/tcp/127.0.0.1/\(port)"
        printf 'GET /events HTTP/1.1\\r\\nHost: localhost:\(port)\\r\\n\\r\\n' >&$n
        read -r line <&$n; echo $line
      done
      curl -sS -I '\(address)events'
      """)
    #expect(busy.output.matches(of: /200 OK/).count == 64 && busy.output.contains("HTTP/1.1 503"), "\(busy)")
    #expect(busy.output.lowercased().contains("retry-after: 5"), "\(busy)")
    try Wait.until("room for a listener") { try status() == "200" }
  }

  @Test func aStoreThatGoesAndComesIsNoReasonToEnd() throws {
    try FileManager.default.moveItem(atPath: place.store, toPath: place.store + ".away")
    #expect(try curl("healthz", "-w", "%{http_code}").output.hasSuffix("503"))
    #expect(try curl("api/v1/status", "-i").output.lowercased().contains("retry-after: 5"))
    try FileManager.default.moveItem(atPath: place.store + ".away", toPath: place.store)
    #expect(try curl("healthz").output == "ok\n")
  }

  @Test func aSocketOfUnixServesToo() throws {
    let socket = place.folder.path + "/s"
    let other = try place.start(
      [try ServedStore.program(), "serve", "--listen", "unix:\(socket)"], input: .nothing)
    defer { other.signal(SIGKILL) }
    try Wait.until("the socket") { other.errors.contains("unix:") }
    func health() throws -> String {
      try place.start(["curl", "-s", "--unix-socket", socket, "http://any.name/healthz"]).wait().output
    }
    #expect(try health() == "ok\n")
    let third = try place.start([try ServedStore.program(), "serve", "--listen", "unix:\(socket)"]).wait()
    #expect(third.code == 5 && third.errors.contains("cannot listen at \"unix:\(socket)\""), "\(third)")
    #expect(try health() == "ok\n", "the first one still has its socket")
    other.signal(SIGKILL)
    _ = try other.wait()
    let fourth = try place.start(
      [try ServedStore.program(), "serve", "--listen", "unix:\(socket)"], input: .nothing)
    defer { fourth.signal(SIGKILL) }
    try Wait.until("the socket that a dead one left") { fourth.errors.contains("unix:") }
    #expect(try health() == "ok\n")
  }

  @Test func wrongAddressesAreRefused() throws {
    for address in ["0.0.0.0:8787", "example.org:80", "127.0.0.1:99999", "unix:", "x"] {
      let answer = try place.loadlog("serve", "--listen", address)
      #expect(answer.code == 2 && answer.errors.contains("--listen"), "\(answer)")
      let hint = "Write HOST:PORT, such as 127.0.0.1:8787, or unix:PATH."
      #expect(answer.errors.contains(hint) == !address.hasPrefix("0.0.0.0"), "\(answer)")
    }
    let port = try #require(address.split(separator: ":").last?.dropLast())
    let taken = try place.start([try ServedStore.program(), "serve", "--listen", "127.0.0.1:\(port)"]).wait()
    let text =
      "cannot listen at \"127.0.0.1:\(port)\": another program listens there, perhaps another loadlog serve. "
    #expect(taken.code == 5 && taken.errors.contains(text), "\(taken)")
    let nowhere = try place.start([try ServedStore.program(), "serve", "--listen", "unix:/nothing/here"])
      .wait()
    #expect(nowhere.code == 5 && nowhere.errors.contains(": its folder is missing. "), "\(nowhere)")
  }

  @Test func aServerThatTakesLoadsMakesTheStore() throws {
    let options = ["serve", "--listen", "127.0.0.1:0", "--db", place.folder.path + "/new/loadlog.db"]
    let reader = try place.start([try ServedStore.program()] + options + ["--read-only"]).wait()
    let advised = "loadlog run FEED --db \(options[4]) -- COMMAND"
    #expect(reader.code == 3 && reader.errors.contains(advised), "\(reader)")
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/new"))
    let other = try place.start([try ServedStore.program()] + options, input: .nothing)
    try Wait.until("the address") { other.errors.contains("with a key from") }
    #expect(try place.ask("status", "--db", place.folder.path + "/new/loadlog.db")["feeds"].all.isEmpty)
    other.signal(SIGTERM)
    #expect(try other.wait().code == 0)
  }

  @Test func aHangupEndsTheServerUnlessItsCallerIgnoresIt() throws {
    server.signal(SIGHUP)
    #expect(try server.wait().code == 0)
    let words = "exec '\(try ServedStore.program())' serve --listen 127.0.0.1:0"
    let other = try place.start(["sh", "-c", "trap '' HUP; \(words)"], input: .nothing)
    try Wait.until("the address") { other.errors.contains("with a key from") }
    if Place.hasProc {
      let status = try String(contentsOfFile: "/proc/\(other.pid)/status", encoding: .utf8)
      let ignored = try #require(status.firstMatch(of: /SigIgn:\s+([0-9a-f]+)/)?.1)
      #expect(try #require(UInt64(ignored, radix: 16)) & 1 == 1, "the server ignores it as well")
    }
    other.signal(SIGHUP)
    other.signal(SIGTERM)
    #expect(try other.wait().code == 0)
  }

  @Test func aRefusedPingIsNamedToTheUserWhoWantsToKnow() throws {
    let other = try ServedStore(["--listen", "127.0.0.1:0", "--verbose"])
    let ping = String(try other.pings("nobody").dropFirst(other.address.count))
    #expect(try other.curl(ping, ["-A", "cron"]).output == "not found")
    try Wait.until("its line") { other.server.errors.contains("create=1") }
    let text =
      "loadlog: ping from 127.0.0.1 (cron) refused with 404: no feed is named \"nobody\"; ?create=1 adds it\n"
    #expect(other.server.errors.hasSuffix(text), "\(other.server.errors)")
    let long = try place.shell(
      "head -c 11000000 /dev/zero | curl -sS -A cron -H Expect: --data-binary @- '\(other.pings("job"))'")
    #expect(long.output == "the body is longer than 10485760 bytes", "\(long)")
    try Wait.until("the line of the long one") {
      other.server.errors.contains("refused with 413: the body is")
    }
    _ = try curl(String(pings("nobody").dropFirst(address.count)))
    #expect(!server.errors.contains("refused"), "without --verbose nothing is printed")
  }

  @Test func loadlogItselfHasNoNetworkCode() throws {
    let (own, net) = (
      try Data(contentsOf: Place.programs.appending(path: "loadlog")),
      try Data(contentsOf: URL(fileURLWithPath: ServedStore.program()))
    )
    for name in ["Hummingbird", "NIOPosix", "AsyncHTTPClient"] {
      #expect(own.range(of: Data(name.utf8)) == nil && net.range(of: Data(name.utf8)) != nil)
    }
  }

  @Test func theProgramPrintsItsVersionAndWhatItHas() throws {
    let version = try place.start([try ServedStore.program(), "--version"]).wait()
    #expect(try version.code == 0 && version.output == place.loadlog("--version").output, "\(version)")
    let verb = try place.start([try ServedStore.program(), "run"]).wait()
    #expect(verb.code == 2 && verb.errors.contains("sync, fleet"), "\(verb)")
  }

  @Test func theProgramIsFoundOrItsAbsenceIsSaid() throws {
    let help = try place.loadlog("serve", "--help")
    #expect(help.code == 0 && help.output.contains("/api/v1/status"))
    let folder = place.folder.path + "/bin"
    let answer = try place.shell(
      """
      mkdir \(folder); cp '\(Place.programs.path)/loadlog' \(folder)/; cd \(folder)
      PATH=/usr/bin:/bin ./loadlog serve; echo $?
      printf '#!/bin/sh\\necho found "$@"' > loadlog-net; chmod +x loadlog-net; ./loadlog serve --listen 127.0.0.1:1
      """)
    #expect(
      answer.output == "127\nfound serve --listen 127.0.0.1:1\n" && answer.errors.contains("loadlog-net"))
  }
}
