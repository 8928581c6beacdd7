import Foundation
import TestProcesses
import Testing

/// `notify --webhook` at real receivers on this machine.
@Suite struct WebhookTests {
  private let place: Place
  private let program: String
  private static let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0123456789ab"

  init() throws {
    place = try Place()
    program = try #require(
      ProcessInfo.processInfo.environment["LOADLOG_NET"], "Run ./dev test, which builds loadlog-net.")
    try place.loadlog("run", "f", "--", "false")
  }

  /// Receives webhooks at a port of this machine.
  private struct Receiver {
    let process: RunningProgram
    let port: String

    /// The requests so far.
    var requests: [Answer] {
      get throws { try process.output.split(separator: "\n").dropFirst().map { try Answer(String($0)) } }
    }
  }

  private func receiver(_ options: String...) throws -> Receiver { try receiver(options) }

  private func receiver(_ options: [String]) throws -> Receiver {
    let script = TestPlaces.package.appending(path: "Tests/Scripts/webhook_receiver.py").path
    let process = try place.start([TestPlaces.python, script] + options, input: .nothing)
    return Receiver(process: process, port: try process.line())
  }

  /// Checks once, and posts to an address with secrets in it.
  private func notify(_ port: String, _ options: String..., scheme: String = "http") throws -> Finished {
    let address = "\(scheme)://us3r:pa55@127.0.0.1:\(port)/t0ken?key=s3cret"
    return try notifyOnce(["--webhook", address] + options)
  }

  private func notifyOnce(_ options: [String]) throws -> Finished {
    let answer = try place.start([program, "notify", "--once", "--name", "a"] + options).wait()
    for secret in ["us3r", "pa55", "t0ken", "s3cret", "MfKQ9r8GKY", "dG9vIHNob3J0"] {
      #expect(!(answer.output + answer.errors).contains(secret), "\(answer)")
    }
    return answer
  }

  /// Writes a file that only its user may read.
  private func secret(_ text: String, mode: Int = 0o600) throws -> String {
    let path = try place.write(text + "\n", to: "secret-\(UUID().uuidString)")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  /// Lets the next attempt be made now.
  private func passTheTime() throws { try place.sqlite("UPDATE notifier SET next_attempt = 0") }

  @Test func aReceiverGetsWhatACommandGetsOnce() throws {
    let receiver = try receiver("--key", Self.key, "204")
    let key = try secret(Self.key)
    #expect(
      try notify(receiver.port, "--webhook-key-file", key) == Finished(code: 0, output: "", errors: ""))
    #expect(try notify(receiver.port).code == 0)
    let requests = try receiver.requests
    #expect(requests.count == 1, "what was delivered is not delivered again")
    #expect(requests[0]["path"].text == "/t0ken?key=s3cret" && requests[0]["is_signed"].bool == true)
    let headers = requests[0]["headers"]
    #expect(headers["content-type"].text == "application/json")
    #expect(try #require(headers["user-agent"].text).wholeMatch(of: /LoadLog\/\d.*/) != nil)
    #expect(headers["authorization"].text == "Basic \(Data("us3r:pa55".utf8).base64EncodedString())")
    let command = "cat > \(place.folder.path)/told"
    try place.loadlog("notify", "--once", "--on-change", command)
    let told = try Answer(String(contentsOfFile: "\(place.folder.path)/told", encoding: .utf8))
    let body = requests[0]["body"]
    for name in ["feed", "from", "to", "at", "since", "reason"] {
      let text = body["flips"][0][name].text
      #expect(text != nil && text == told["flips"][0][name].text, "\(name)")
    }
    #expect(body["store"].text == told["store"].text && body["flips"][0]["status"]["failed"].int == 1)
  }

  @Test func eachLineOfTheKeyFileSigns() throws {
    let receiver = try receiver("--key", Self.key, "200")
    let other = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
    _ = try notify(receiver.port, "--webhook-key-file", secret("# new, old\n\(other)\n\(Self.key)"))
    let request = try #require(try receiver.requests.first)
    #expect(request["is_signed"].bool == true)
    #expect(request["headers"]["webhook-signature"].text?.split(separator: " ").count == 2)
  }

  @Test func aFailedDeliveryIsTriedAgainWithTheSameID() throws {
    let receiver = try receiver("500", "200")
    let failed = try notify(receiver.port)
    #expect(failed.code == 1)
    #expect(
      failed.errors.hasPrefix(
        "loadlog: --webhook: http://127.0.0.1:\(receiver.port) answered 500. It will be tried again at "))
    #expect(try place.ask("status")["undelivered"]["attempts"].int == 1)
    let early = try notify(receiver.port)
    #expect(early.code == 1 && early.errors.contains("the last delivery failed; it will be tried again at "))
    try passTheTime()
    #expect(try notify(receiver.port).code == 0)
    try place.loadlog("run", "g", "--", "false")
    #expect(try notify(receiver.port).code == 0)
    let ids = try receiver.requests.map { try #require($0["headers"]["webhook-id"].text) }
    #expect(ids.count == 3 && ids[0] == ids[1] && ids[1] != ids[2])
    #expect(ids.allSatisfy { !$0.contains(".") })
  }

  @Test func anotherHostGetsNothing() throws {
    let other = try receiver("200")
    for address in ["http://127.0.0.1:\(other.port)/x", "//localhost:\(other.port)/x", "https://127.0.0.1/"] {
      let receiver = try receiver("307=\(address)")
      let answer = try notify(receiver.port)
      #expect(answer.code == 1 && answer.errors.contains("redirects to another host or port"), "\(answer)")
      try passTheTime()
    }
    #expect(try other.requests.isEmpty)
  }

  @Test func aRedirectOnTheSameHostKeepsTheRequest() throws {
    let receiver = try receiver("--key", Self.key, "307=/b", "308=c", "200")
    #expect(try notify(receiver.port, "--webhook-key-file", secret(Self.key)).code == 0)
    let requests = try receiver.requests
    #expect(requests.map(\.["path"].text) == ["/t0ken?key=s3cret", "/b", "/c"])
    #expect(requests.allSatisfy { $0["is_signed"].bool == true && $0["body"]["flips"].all.count == 1 })
  }

  @Test(
    arguments: [
      (["307=/a"], "redirects more than 3 times", 4), (["302=/a", "200"], "answered 302", 1),
      (["307"], "answered 307 without a location", 1), (["404"], "answered 404", 1),
      (["silence"], "no answer within 10 s", 1), (["end"], "the connection was closed without an answer", 1),
    ])
  func aReceiverThatFailsIsReported(_ answers: [String], _ reason: String, _ count: Int) throws {
    let receiver = try receiver(answers)
    let answer = try notify(receiver.port)
    #expect(answer.code == 1 && answer.errors.contains(reason) && answer.isOneComplaint, "\(answer)")
    #expect(try receiver.requests.count == count)
  }

  @Test func anAnswerCountsWithoutTheEndOfItsBody() throws {
    let receiver = try receiver("200+")
    for _ in 1...2 { #expect(try notify(receiver.port) == Finished(code: 0, output: "", errors: "")) }
    #expect(try receiver.requests.count == 1)
  }

  @Test func aHostThatIsNotThereIsReported() throws {
    let answer = try notify("1")
    #expect(
      answer.code == 1 && answer.errors.contains("http://127.0.0.1:1: Connection refused."), "\(answer)")
  }

  /// This address leads to this machine, but is not one of it alone.
  @Test func plainHTTPLeavesThisMachineOnlyOnRequest() throws {
    let words = ["--webhook", "http://0.0.0.0:1/t0ken"]
    #expect(try notifyOnce(words).code == 2)
    let answer = try notifyOnce(words + ["--plain-http"])
    #expect(
      answer.code == 1 && answer.errors.contains("http://0.0.0.0:1: Connection refused."), "\(answer)")
  }

  @Test func anUnknownCertificateIsRefused() throws {
    let made = try place.shell(
      """
      cd \(place.folder.path) && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
      -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout a.pem -out b.pem && cat a.pem b.pem > tls.pem
      """)
    try #require(made.code == 0, "\(made.errors)")
    let receiver = try receiver("--certificate", place.folder.path + "/tls.pem", "200")
    let answer = try notify(receiver.port, scheme: "https")
    #expect(answer.code == 1 && answer.errors.contains("does not trust its certificate"), "\(answer)")
    #expect(try receiver.requests.isEmpty)
    try passTheTime()
    let plain = try self.receiver("200")
    #expect(try notify(plain.port, scheme: "https").errors.contains("TLS failed"))
  }

  @Test func theAddressMayComeFromAFile() throws {
    let receiver = try receiver("200")
    let file = try secret("http://127.0.0.1:\(receiver.port)/t0ken")
    #expect(try notifyOnce(["--webhook-file", file]).errors == "")
    #expect(try receiver.requests.map(\.["path"].text) == ["/t0ken"])
    let wrong = try notifyOnce(["--webhook-file", secret("http://example.org/t0ken")])
    #expect(wrong.code == 2 && wrong.errors.hasPrefix("loadlog: --webhook-file: http would send"), "\(wrong)")
    for text in ["https://127.0.0.1/t0ken\nhttps://127.0.0.1/t0ken", ""] {
      let other = try secret(text)
      let refused = try notifyOnce(["--webhook-file", other])
      #expect(
        refused.code == 2 && refused.errors.contains("\(other)\": it must hold one line, the address"),
        "\(refused)")
    }
    let missing = try notifyOnce(["--webhook-file", "/no/such"])
    #expect(missing.code == 5 && missing.errors.contains("cannot read the file of the webhook"), "\(missing)")
  }

  @Test(arguments: ["--webhook-file", "--webhook-key-file"], [0o640, 0o604])
  func aFileThatOthersCanReadIsRefused(_ option: String, _ mode: Int) throws {
    let file = try secret(option == "--webhook-file" ? "https://127.0.0.1/t0ken" : Self.key, mode: mode)
    let address = option == "--webhook-file" ? [] : ["--webhook", "https://127.0.0.1/t0ken"]
    let answer = try notifyOnce(address + [option, file])
    #expect(answer.code == 3 && answer.errors.contains("other users can read it"), "\(answer)")
  }

  @Test(
    arguments: [
      "", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_dG9vIHNob3J0", "whsec_%%%",
      WebhookTests.key + "\nwhsec_%%%",
    ])
  func aFileWithoutAKeyIsRefused(text: String) throws {
    let answer = try notify("1", "--webhook-key-file", secret(text))
    #expect(answer.code == 2 && answer.errors.contains("the file of webhook keys"), "\(answer)")
    #expect(try place.sqlite("SELECT count(*) FROM notifier") == "0\n")
  }

  @Test(
    arguments: [
      (["--webhook", "ftp://127.0.0.1/t0ken"], "not the address of a webhook"),
      (["--webhook", "https:///t0ken"], "not the address of a webhook"),
      (["--webhook", "https://127.0.0.1:65536/t0ken"], "not the address of a webhook"),
      (["--webhook", "t0ken"], "not the address of a webhook"), (["--webhook", ""], "not the address"),
      (["--webhook", "http://example.org/t0ken"], "unencrypted"),
      (["--webhook", "http://127.0.0.1.example.org/t0ken"], "unencrypted"),
      (["--webhook", "http://localhost@example.org/t0ken"], "unencrypted"),
      (["--webhook", "https://127.0.0.1/", "--on-change", "true"], "one of --on-change, --webhook"),
      (["--webhook", "https://127.0.0.1/", "--webhook-file", "/x"], "one of --on-change, --webhook"),
      (["--on-change", "true", "--plain-http"], "need a webhook"),
      (["--on-change", "true", "--webhook-key-file", "/x"], "need a webhook"),
    ])
  func wrongUsageIsRefusedInOneLine(_ options: [String], _ text: String) throws {
    let answer = try notifyOnce(options)
    #expect(answer.code == 2 && answer.errors.contains(text) && answer.isOneComplaint, "\(answer)")
    #expect(try place.sqlite("SELECT count(*) FROM notifier") == "0\n")
  }

  @Test func loadlogExecutesTheProgramWithTheNetwork() throws {
    let folder = place.folder.path + "/bin"
    let answer = try place.shell(
      """
      mkdir \(folder); cp '\(Place.programs.path)/loadlog' \(folder)/; cd \(folder)
      PATH=/usr/bin:/bin ./loadlog notify --once --webhook https://127.0.0.1/t0ken; echo $?
      printf '#!/bin/sh\\necho found "$@"' > loadlog-net; chmod +x loadlog-net
      ./loadlog notify --once --webhook-file secret
      """)
    #expect(answer.output == "127\nfound notify --once --webhook-file secret\n")
    #expect(
      answer.errors.contains("needs the program loadlog-net")
        && !answer.errors.contains("t0ken"), "\(answer)")
  }

  /// `loadlog` ignores some signals, and is replaced by the program with the network.
  @Test(.enabled("there is no /proc") { Place.hasProc })
  func commandsGetTheSignalsAsTheCallerHadThem() throws {
    let receiver = try receiver("200")
    let ignored = "grep ^SigIgn /proc/self/status"
    let found = place.folder.path + "/found"
    let answer = try place.shell(
      """
      cd '\(place.folder.path)'; cp '\(Place.programs.path)/loadlog' .; ln -s '\(program)' loadlog-net
      \(ignored)
      ./loadlog notify --once --webhook http://127.0.0.1:\(receiver.port)/ --heartbeat '\(ignored) > \(found)'
      """)
    #expect(answer.code == 0 && answer.errors == "" && answer.output.hasPrefix("SigIgn"), "\(answer)")
    #expect(try String(contentsOfFile: found, encoding: .utf8) == answer.output)
  }

  @Test func aNotifierWithAWebhookRunsUntilASignal() throws {
    let receiver = try receiver("200")
    let beats = place.folder.path + "/beats"
    let notifier = try place.start(
      [
        program, "notify", "--interval", "1s", "--webhook", "http://127.0.0.1:\(receiver.port)/",
        "--heartbeat", "echo beat >> \(beats)",
      ], input: .nothing)
    try Wait.until("a delivery") { try receiver.requests.count == 1 }
    try place.loadlog("run", "g", "--", "false")
    try Wait.until("the next delivery") { try receiver.requests.count == 2 }
    try Wait.until("a heartbeat") { FileManager.default.fileExists(atPath: beats) }
    notifier.signal(SIGTERM)
    #expect(try notifier.wait().code == 0)
  }
}
