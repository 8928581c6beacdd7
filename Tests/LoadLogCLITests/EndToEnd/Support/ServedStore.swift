import Foundation
import TestProcesses
import Testing

/// A store with two loads, and `loadlog-net serve` beside it.
struct ServedStore {
  let place: Place
  let server: RunningProgram
  /// The address of the page.
  let address: String

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - place: where.
  ///   - options: the options of `serve`.
  ///   - tracer: the words before the program.
  init(
    in place: Place? = nil, _ options: [String] = ["--listen", "127.0.0.1:0"], under tracer: [String] = []
  ) throws {
    let place = try place ?? Place()
    self.place = place
    try place.loadlog("run", "backup/db", "--", "true")
    try place.loadlog("run", "f", "--", "sh", "-c", "exit 3")
    server = try place.start(tracer + [try Self.program(), "serve"] + options, input: .nothing)
    let server = server
    try Wait.until("the addresses") { server.errors.contains("with a key from") }
    address = try #require(
      server.errors.firstMatch(of: /at (http:\S+)\n/).map { String($0.1) }, "\(server.errors)")
  }

  static func program() throws -> String {
    try #require(
      ProcessInfo.processInfo.environment["LOADLOG_NET"], "Run ./dev test, which builds loadlog-net.")
  }

  func curl(_ path: String, _ options: [String]) throws -> Finished {
    try place.start(["curl", "-sS", "--max-time", "20", address + path] + options).wait()
  }

  /// The address of the pings of a feed.
  func pings(_ feed: String) throws -> String {
    let file = try #require(server.errors.firstMatch(of: /with a key from "(.*)"/).map { String($0.1) })
    let key = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").last {
      !$0.hasPrefix("#")
    }
    return "\(address)ping/\(try #require(key))/\(feed)"
  }
}
