import Foundation
import Testing

/// `export` and `report` that are interrupted leave no file behind.
@Suite struct DraftTests {
  private let place: Place

  init() throws { place = try Place() }

  /// Verbs, and the ends of the names of files that they have to delete. SQLite writes its journal beside a copy.
  private static let verbs = [
    (["export", "-o", "out"], ""), (["export", "-o", "out", "--format", "sqlite"], "-journal"),
    (["report", "-o", "out"], ""),
  ]

  private func drafts() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.folder.path).filter { $0.hasPrefix("out") }
  }

  /// Runs a verb and stops it when its draft is there.
  ///
  /// - Returns: nil if it was faster.
  private func stopped(_ verb: [String], _ ending: String) throws -> RunningProgram? {
    let arguments = verb.map { $0 == "out" ? place.folder.path + "/out" : $0 }
    let program = try place.start(["loadlog"] + arguments, input: .nothing)
    while try !drafts().contains(where: { $0 == "out" || $0.hasSuffix(ending) }) {}
    program.signal(SIGSTOP)
    try Wait.until("a stop") {
      try String(contentsOfFile: "/proc/\(program.pid)/stat", encoding: .utf8).contains(#/\) [TZ] /#)
    }
    if try drafts().contains(where: { $0.contains("-new-") && $0.hasSuffix(ending) }) { return program }
    program.signal(SIGCONT)
    _ = try program.wait()
    for file in try drafts() { try FileManager.default.removeItem(at: place.folder.appending(path: file)) }
    return nil
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalDeletesTheDraft(signal: Int32) throws {
    let lines = (0..<2000).map {
      #"{"event":"start","at":"2026-11-20T10:00:00Z","feed":"f","message":"load number \#($0)"}"#
    }
    try place.loadlog(["import", place.write(lines.joined(separator: "\n"), to: "loads.ndjson")])
    for (verb, ending) in Self.verbs {
      var program: RunningProgram?
      for _ in 0..<100 where program == nil { program = try stopped(verb, ending) }
      let caught = try #require(program, "\(verb) was always faster")
      caught.signal(signal)
      caught.signal(SIGCONT)
      #expect(try caught.wait().code == -signal)
      let left = try drafts()
      #expect(left == [], "\(verb)")
    }
  }
}
