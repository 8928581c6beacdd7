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
    let program = try place.start(arguments(verb), input: .nothing)
    try Wait.until("a file", pause: 0) {
      try drafts().contains { $0 == "out" || $0.hasSuffix(ending) }
    }
    program.signal(SIGSTOP)
    try Wait.until("a stop") { try ["T", "Z"].contains(place.state(of: program.pid)) }
    if try drafts().contains(where: { $0.contains("-loadlog-draft-") && $0.hasSuffix(ending) }) {
      return program
    }
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
      // Another thread may have published the file before the signal was handled. Then it is whole.
      #expect(try drafts().filter { $0 != "out" } == [], "\(verb)")
      guard let end = try end(of: "out") else { continue }
      try FileManager.default.removeItem(at: place.folder.appending(path: "out"))
      #expect(try place.start(arguments(verb), input: .nothing).wait().code == 0)
      #expect(try self.end(of: "out") == end, "\(verb)")
      try FileManager.default.removeItem(at: place.folder.appending(path: "out"))
    }
  }

  /// On Apple's systems flock(2) and the locks of SQLite exclude each other, within a process, too.
  @Test(.enabled("strace is not installed") { Place.has("strace") })
  func noFileThatSQLiteOpensIsLockedAsAWhole() throws {
    let trace = place.folder.path + "/trace"
    let tracer = ["strace", "-f", "-y", "-qq", "-e", "trace=flock", "-o", trace]
    var locked = ""
    for verb in [
      ["push", "f"], ["export", "-o", "out", "--format", "sqlite"], ["recover", place.store, "-o", "saved"],
    ] {
      #expect(try place.start(tracer + arguments(verb), input: .nothing).wait().code == 0, "\(verb)")
      locked += try String(contentsOfFile: trace, encoding: .utf8)
    }
    let files = locked.split(separator: "\n").filter { $0.contains(place.folder.path) }
    #expect(files.contains { $0.contains("-gate>") })
    #expect(files.filter { !$0.contains("-gate>") && !$0.contains("-owner-") } == [])
  }

  /// The last bytes of a file in the folder; nil if it is not there.
  private func end(of name: String) throws -> Data? {
    guard try drafts().contains(name) else { return nil }
    return try Data(contentsOf: place.folder.appending(path: name)).suffix(32)
  }

  private func arguments(_ verb: [String]) -> [String] {
    ["loadlog"] + verb.map { ["out", "saved"].contains($0) ? place.folder.path + "/" + $0 : $0 }
  }
}
