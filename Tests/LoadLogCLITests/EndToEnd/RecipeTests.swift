import Foundation
import TestProcesses
import Testing

/// The recipes of Docs/GetNotified.md as they are written there, and the packaged unit.
@Suite struct RecipeTests {
  private let place: Place

  init() throws { place = try Place() }

  /// The code blocks of a language in the document.
  private static func blocks(_ language: String) throws -> [String] {
    let file = TestPlaces.package.appending(path: "Docs/GetNotified.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let blocks = text.components(separatedBy: "```\(language)\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    try #require(!blocks.isEmpty)
    return blocks
  }

  /// Puts a program on the path that writes its arguments and its input to a file.
  private func fake(_ program: String) throws -> String {
    let told = place.folder.path + "/\(program).told"
    try place.program(
      "#!/bin/sh\nprintf '%s\\n' \"$@\" >> \(told)\ncat >> \(told)\n", at: "bin/\(program)")
    return told
  }

  private func inShell(_ text: String) throws -> Finished {
    try place.shell("PATH=\(place.folder.path)/bin:$PATH; \(text)")
  }

  @Test func expectationsAreSet() throws {
    try place.program("#!/bin/sh\necho '5 4 * * * loadlog run sync -- sync'\n", at: "bin/crontab")
    let answer = try inShell("set -e; " + Self.blocks("sh")[0])
    #expect(answer.code == 0, "\(answer.errors)")
    #expect(
      try place.ask("expect")["expectations"].all.map(\.["pattern"].text) == [
        "backup/db", "feeds/news", "sync",
      ])
  }

  @Test func cronMails() throws {
    let told = try fake("mail")
    try place.loadlog("run", "f", "--", "false")
    let line = try #require(Self.blocks("crontab").first?.split(separator: "\n").first { $0.hasPrefix("*") })
    // What cron does with a line: the command follows five fields, and a % would end it.
    let command = line.split(separator: " ", maxSplits: 5)[5]
    #expect(!command.contains("%"))
    let answer = try inShell(String(command))
    #expect(answer.code == 0 && answer.output == "", "\(answer.errors)")
    let mail = try String(contentsOfFile: told, encoding: .utf8).components(separatedBy: "\n")
    #expect(
      mail[0] == "-s" && mail[1].hasPrefix("f: failing: never succeeded") && mail[2] == "ops@example.org")
    #expect(mail[3].hasPrefix("f: failing: never succeeded"))
  }

  @Test func curlPostsToNtfyAndPings() throws {
    try #require(Place.has("curl") && Place.has("python3"))
    let server = try place.write(
      """
      import http.server, sys
      class Handler(http.server.BaseHTTPRequestHandler):
          def answer(self):
              body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
              print(self.command, self.path, body, flush=True)
              self.send_response(200)
              self.end_headers()
          do_GET = do_POST = answer
          def log_message(self, *_): pass
      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      print(server.server_port, flush=True)
      for _ in range(2): server.handle_request()
      """, to: "server.py")
    try place.loadlog("run", "f", "--", "false")
    let program = try place.start(["python3", server])
    try Wait.until("the port") { program.output.contains("\n") }
    let port = program.output.split(separator: "\n")[0]
    let recipe = try #require(Self.blocks("sh").last)
    let url = "http://127.0.0.1:\(port)"
    let answer = try inShell(
      "NTFY_URL=\(url)/topic PING_URL=\(url)/ping; export NTFY_URL PING_URL; \(recipe)")
    #expect(answer.code == 0, "\(answer.errors)")
    let asked = try program.wait().output.split(separator: "\n")
    #expect(asked[1].hasPrefix("POST /topic f: failing: ") && asked[2] == "GET /ping ")
  }

  private static func units() throws -> [String] { try blocks("ini") + [packagedUnit()] }

  private static func packagedUnit() throws -> String {
    let file = TestPlaces.package.appending(path: "Packaging/loadlog-serve.service")
    return try String(contentsOf: file, encoding: .utf8).replacing("/usr/bin/", with: "/usr/local/bin/")
  }

  @Test func unitsOfSystemdAreValid() throws {
    for (number, unit) in try Self.units().enumerated() {
      // The program stands elsewhere here.
      let text = unit.replacingOccurrences(
        of: "/usr/local/bin/loadlog", with: Place.programs.appending(path: "loadlog").path)
      let file = try place.write(
        text, to: number == 2 ? "loadlog-notify-once.service" : "unit\(number).service")
      guard Place.has("systemd-analyze") else { continue }
      let answer = try place.shell(
        "SYSTEMD_UNIT_PATH=\(place.folder.path): systemd-analyze verify --man=no \(file)")
      #expect(answer.code == 0 && answer.errors == "", "\(answer.errors)")
    }
  }

  @Test(.enabled(if: Place.has("systemd-analyze")))
  func thePackagedUnitMayDoLittle() throws {
    let file = try place.write(try Self.packagedUnit(), to: "loadlog-serve.service")
    let answer = try place.shell("systemd-analyze security --offline=true --json=short --no-pager \(file)")
    let kept = try Answer(answer.output).all.filter { $0["set"].bool == true }.compactMap { $0["name"].text }
    for promise in [
      "ProtectSystem=", "PrivateTmp=", "NoNewPrivileges=", "MemoryDenyWriteExecute=", "LockPersonality=",
      "RestrictAddressFamilies=~…", "RestrictAddressFamilies=~AF_NETLINK", "RestrictNamespaces=~user",
      "RestrictRealtime=", "RestrictSUIDSGID=", "SystemCallArchitectures=", "SystemCallFilter=~@mount",
      "UMask=",
    ] {
      #expect(kept.contains(promise), "\(promise)")
    }
  }

  @Test func commandsOfUnitsAreCommandsOfLoadLog() throws {
    for unit in try Self.units() {
      let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
      let command = line.dropFirst("ExecStart=/usr/local/bin/".count).replacingOccurrences(
        of: "$$", with: "$")
      // Help is printed only for options that exist.
      #expect(try inShell(command.split(separator: " -- ")[0] + " --help").code == 0, "\(command)")
    }
  }

  /// A reason with a quotation mark must not become a part of the script.
  @Test func launchdShowsAnyReason() throws {
    let told = try fake("osascript")
    let file = try place.write(try #require(Self.blocks("xml").first), to: "agent.plist")
    let read =
      "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))['ProgramArguments']))"
    let words = try Answer(place.start(["python3", "-c", read, file]).wait().output).all.compactMap(\.text)
    try place.loadlog("finish", place.begin("f"), "--failed", "--reason", #"no table "users" \"#)
    place.environment["PATH"] = place.folder.path + "/bin:" + (place.environment["PATH"] ?? "")
    #expect(try place.loadlog(words.dropFirst() + ["--once"]) == Finished(code: 0, output: "", errors: ""))
    let lines = try String(contentsOfFile: told, encoding: .utf8).components(separatedBy: "\n")
    let arguments = lines.prefix { $0 != "{" }
    #expect(arguments.suffix(2) == ["--", #"f: failing: never succeeded in 1 try (no table "users" \)"#])
    #expect(!arguments.dropLast().joined().contains("users"))
  }

  @Test func theStepOfGitHubFailsForAProblem() throws {
    let steps = try Self.blocks("yaml")[0].matches(of: /- run: (.*)/).map { String($0.1) }
    try place.loadlog("run", "f", "--", "true")
    #expect(try inShell(steps[0]) == Finished(code: 0, output: "", errors: ""))
    try place.loadlog("run", "f", "--", "false")
    #expect(try inShell(steps[0]).code == 1)
  }
}
