import Foundation
import TestProcesses
import Testing

/// `loadlog demo --web` at a real socket, asked by curl. `Tests/Scripts/demo_page.py` tries it in a browser.
@Suite struct DemoPageTests {
  private let place: Place

  /// The program that opens an address in the user's browser.
  #if canImport(Darwin)
    private static let browser = "open"
  #else
    private static let browser = "xdg-open"
  #endif

  init() throws {
    place = try Place()
    place.environment["TMPDIR"] = place.folder.path
    let net = try #require(
      ProcessInfo.processInfo.environment["LOADLOG_NET"], "Run ./dev test, which builds loadlog-net.")
    // A folder with both programs, and with a browser that notes what it opens.
    try place.program("#!/bin/sh\necho \"$@\" >> '\(opened)'\n", at: "bin/\(Self.browser)")
    try place.shell("cd '\(bin)' && cp '\(Place.programs.path)/loadlog' . && ln -s '\(net)' loadlog-net")
    place.environment["PATH"] = bin + ":" + (place.environment["PATH"] ?? "")
  }

  private var bin: String { place.folder.path + "/bin" }
  private var opened: String { place.folder.path + "/opened" }

  private func openedAddresses() -> String { (try? String(contentsOfFile: opened, encoding: .utf8)) ?? "" }

  private func demo(_ options: String...) throws -> (server: RunningProgram, address: String) {
    let server = try place.start(["loadlog", "demo", "--web"] + options, input: .nothing)
    try Wait.until("the address") { server.errors.contains("\n") }
    let address = try #require(server.errors.firstMatch(of: /at (http:\S+\/)demo \(/)).1
    return (server, String(address))
  }

  private func curl(_ address: String, _ options: String...) throws -> String {
    try place.start(["curl", "-sS", "--max-time", "20", address] + options).wait().output
  }

  /// Sends a gesture as the page does, and returns the status.
  private func send(_ gesture: String, to address: String, _ options: String...) throws -> String {
    try place.start(
      [
        "curl", "-sS", "--max-time", "20", "-o", "/dev/null", "-w", "%{http_code}", "--data", gesture,
        "-H", "Content-Type: application/json", address + "demo/gestures",
      ] + options
    ).wait().output
  }

  private func stores() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.folder.path).filter {
      $0.hasPrefix("loadlog-demo.")
    }
  }

  @Test(arguments: [SIGHUP, SIGINT])
  func theStoreIsDeletedAlsoWhenTheTerminalIsClosed(_ signal: Int32) throws {
    let (server, _) = try demo()
    #expect(try stores().count == 1)
    server.signal(signal)
    #expect(try server.wait().code == 0)
    #expect(try stores() == [])
  }

  @Test func theStoreLivesAsLongAsTheServer() throws {
    let (server, address) = try demo()
    let here = "Sec-Fetch-Site: same-origin", push = #"{"gesture": "tap", "button": "push"}"#
    let listener = try place.start(["curl", "-sSN", "--max-time", "60", address + "demo/events"])
    try Wait.until("the first state") { listener.output.contains(#""count": 0"#) }
    #expect(try send(push, to: address, "-H", here) == "200")
    try Wait.until("the next state") { listener.output.contains(#""count": 1"#) }
    #expect(try send(push, to: address, "-H", "Sec-Fetch-Site: cross-site") == "403")
    #expect(try send(String(repeating: " ", count: 1100) + push, to: address, "-H", here) == "413")
    let store = try #require(try stores().first)
    let loads = try place.ask("history", "--db", "\(place.folder.path)/\(store)/loadlog.db")["loads"].all
    #expect(loads.map { $0["feed"].text } == ["demo/network"])
    #expect(try curl(address).contains("demo/network"), "the report shows the same store")
    server.signal(SIGTERM)
    #expect(try server.wait().code == 0)
    #expect(try listener.wait().code == 0, "the stream ends in order")
    #expect(try stores() == [])
    #if !canImport(Darwin)
      #expect(openedAddresses() == "", "without a desktop no browser is opened")
    #endif
  }

  @Test func thePageNeedsNothingFromElsewhere() throws {
    let (server, address) = try demo()
    let page = try curl(address + "demo", "-i")
    #expect(page.contains("content-security-policy: default-src 'none'; style-src 'self'; script-src 'self'"))
    #expect(!page.contains("<style") && !page.contains("style=") && !page.contains("<script>"))
    let files = page.matches(of: /(?:src|href)="(\/[^"]*)"/).map { String($0.1) }
    #expect(files.count == 3)
    for file in files { #expect(try curl(address + file.dropFirst(), "-w", "%{http_code}").hasSuffix("200")) }
    server.signal(SIGTERM)
    #expect(try server.wait().code == 0)
  }

  @Test func aBrowserIsOpenedIfThereIsOne() throws {
    place.environment["DISPLAY"] = ":0"
    let closed = try demo("--no-browser")
    let (server, address) = try demo()
    try Wait.until("the browser") { openedAddresses().contains("\n") }
    #expect(openedAddresses() == address + "demo\n")
    // One that fails or is missing stops no server.
    try place.program("#!/bin/sh\necho failed >> '\(opened)'; exit 3\n", at: "bin/\(Self.browser)")
    let failing = try demo()
    try Wait.until("the browser that fails") { openedAddresses() == address + "demo\nfailed\n" }
    try FileManager.default.removeItem(atPath: bin + "/" + Self.browser)
    let path = place.environment["PATH"]
    place.environment["PATH"] = bin  // The machine may have one of its own.
    let without = try demo()
    place.environment["PATH"] = path
    for server in [closed, failing, without] {
      #expect(try curl(server.address + "demo", "-o", "/dev/null", "-w", "%{http_code}") == "200")
    }
    for server in [closed.server, server, failing.server, without.server] {
      server.signal(SIGINT)
      #expect(try server.wait().code == 0)
    }
  }

  @Test func anOrdinaryServerHasTheDemoToo() throws {
    try place.loadlog("run", "f", "--", "true")
    let server = try place.start(
      ["loadlog", "serve", "--listen", "127.0.0.1:0", "--read-only"], input: .nothing)
    try Wait.until("the address") { server.errors.contains("\n") }
    let address = try String(#require(server.errors.firstMatch(of: /at (http:\S+)\n/)).1)
    #expect(try curl(address + "demo").contains("<title>LoadLog demo</title>") && stores() == [])
    let gesture = #"{"gesture": "tap", "button": "push"}"#
    #expect(try send(gesture, to: address, "-H", "Origin: \(address.dropLast())") == "200")
    #expect(try stores().count == 1)
    #expect(
      try !curl(address).contains("demo/network"), "the demo records nothing in the store of the server")
    server.signal(SIGTERM)
    #expect(try server.wait().code == 0)
    #expect(try stores() == [])
  }

  @Test(arguments: [["--web", "--db", "x"], ["--no-browser"]])
  func optionsThatDoNotFitAreRefused(_ options: [String]) throws {
    #expect(try place.loadlog(["demo"] + options).code == 2)
  }
}
