import Foundation
import Testing

/// A Prometheus that scrapes a server every second.
struct Prometheus {
  private let place: Place
  private let program: RunningProgram
  private let port: Substring

  private static let path = ProcessInfo.processInfo.environment["LOADLOG_PROMTOOL"]

  /// Whether there is one. On Linux it must be there; on other systems `./dev test` does not get it.
  static var canBe: Bool {
    #if os(Linux)
      true
    #else
      path != nil
    #endif
  }

  /// The path of the program that checks what Prometheus is to read.
  static func promtool() throws -> String {
    try #require(path, "Run ./dev test, which gets Prometheus.")
  }

  /// Starts it.
  ///
  /// - Parameter address: the address of the page of the server.
  init(scraping address: String, in place: Place) throws {
    self.place = place
    let prometheus = (try Self.promtool() as NSString).deletingLastPathComponent + "/prometheus"
    let target = address.dropFirst("http://".count).dropLast()
    let file = try place.write(
      """
      global: {scrape_interval: 1s}
      scrape_configs: [{job_name: loadlog, static_configs: [{targets: ["\(target)"]}]}]
      """, to: "prometheus.yml")
    let program = try place.start(
      [
        prometheus, "--config.file=\(file)", "--storage.tsdb.path=\(place.folder.path)/metrics",
        "--web.listen-address=127.0.0.1:0",
      ], input: .nothing)
    try Wait.until("its address") { program.errors.contains("Listening on") }
    port = try #require(program.errors.firstMatch(of: /"Listening on" address=\S+:(\d+)/)).1
    self.program = program
  }

  /// The first value of an expression now; nil if there is none yet.
  func value(_ query: String) throws -> String? {
    let answer = try place.start([
      "curl", "-sSf", "--max-time", "10", "-G", "http://127.0.0.1:\(port)/api/v1/query",
      "--data-urlencode", "query=\(query)",
    ]).wait()
    guard answer.code == 0 else { return nil }  // It listens before it can be asked.
    return try Answer(answer.output)["data"]["result"][0]["value"][1].text
  }
}
