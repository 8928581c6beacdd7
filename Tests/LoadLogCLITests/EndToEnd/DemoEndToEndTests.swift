import Foundation
import TestProcesses
import Testing

/// `demo`, run as a program.
@Suite struct DemoEndToEndTests {
  private let place: Place

  init() throws {
    place = try Place()
    place.environment["TMPDIR"] = place.folder.path
  }

  /// A printed line about a load.
  private struct Drawn: Hashable {
    let id: String, feed: String, state: String, started: String
    let took: Double

    /// Nil if the line is not about a load.
    init?(_ line: Substring) {
      let words = line.split(separator: " ")
      guard words.count == 6, UUID(uuidString: String(words[0])) != nil, words[5] == "s",
        let took = Double(words[4])
      else { return nil }
      (id, feed, state, started) = (String(words[0]), String(words[1]), String(words[2]), String(words[3]))
      self.took = took
    }

    init(_ load: Answer) throws {
      id = try #require(load["id"].text)
      feed = try #require(load["feed"].text)
      state = try #require(load["state"].text)
      started = try #require(load["started"].text)
      took = try #require(load["duration"].number)
    }
  }

  /// Runs the demo in a terminal.
  private func terminal(_ options: String = "") throws -> RunningProgram {
    place.environment["TERM"] = "xterm"
    place.environment["COLUMNS"] = "80"
    return try place.start(["script", "-qec", "loadlog demo --db \(place.store) \(options)", "/dev/null"])
  }

  @Test func theStoreHoldsTheLoadsThatWereDrawn() throws {
    let answer = try place.loadlog("demo", "--speed", "20")
    #expect(answer.code == 0 && answer.errors == "", "\(answer.errors)")
    #expect(Hostile.found(in: answer.output).isEmpty)
    let lines = answer.output.split(separator: "\n")
    let drawn = lines.compactMap(Drawn.init)
    #expect(drawn.count == 10)
    let path = try #require(lines.first?.split(separator: " ").last)
    #expect(path.hasPrefix(place.folder.path + "/loadlog-demo."))
    let recorded = try place.ask("history", "--db", String(path), "--limit", "100")["loads"].all
    #expect(try Set(recorded.map(Drawn.init)) == Set(drawn))
    #expect(lines.last == "Look closer: loadlog history --db \(path)")
    #expect(answer.output.contains("5 feeds · 10 loads"))
  }

  @Test func aSecondDemoDrawsItsOwnLoads() throws {
    let walks = try (0..<2).map { _ in
      let answer = try place.loadlog("demo", "--speed", "100", "--db", place.store)
      #expect(answer.code == 0 && answer.errors == "", "\(answer.errors)")
      return Set(answer.output.split(separator: "\n").compactMap(Drawn.init))
    }
    #expect(walks.map(\.count) == [10, 10] && walks[0].isDisjoint(with: walks[1]))
    let recorded = try place.ask("history", "--limit", "100")["loads"].all
    #expect(try Set(recorded.map(Drawn.init)) == walks[0].union(walks[1]))
  }

  @Test func noOtherStoreIsTouched() throws {
    #expect(try place.loadlog("demo", "--speed", "100").code == 0)
    #expect(!FileManager.default.fileExists(atPath: place.store))
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/home/state"))
  }

  @Test(.enabled("script is not installed") { Place.hasScript })
  func aTerminalSeesAllFive() throws {
    let answer = try terminal("--speed 10").wait()
    #expect(answer.code == 0, "\(answer.output)")
    let seen = answer.output
    for title in ["network activity", "activity overlay", "veil", "loading views", "pull to refresh"] {
      #expect(seen.contains("of 5 · \(title): "))
    }
    let frames = [
      /│ Pictures +3 loading [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] │/, /│ Loading [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] │/, /│  with all of your devices\.   │/,
      /╭─ 2 ─+╮/, /↑  Release to refresh…/, /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]  Loading…/, /Last Updated: Never/,
      /Last Updated: [0-9]/,
    ]
    for frame in frames { #expect(seen.contains(frame)) }
    #expect(seen.hasSuffix("Look closer: loadlog history --db \(place.store)\r\n"))
    try expectCursor(in: seen)
    #expect(try place.ask("history", "--limit", "100")["loads"].all.count == 10)
  }

  @Test(.enabled("script is not installed") { Place.hasScript })
  func anInterruptRestoresTheCursorAndTheStore() throws {
    let program = try terminal("--speed 0.2")  // The load lasts until the interrupt.
    try Wait.until("a load that is drawn") { program.output.contains("1 loading") }
    program.write("\u{3}")
    let answer = try program.wait()
    #expect(answer.code == 130)
    try expectCursor(in: answer.output)
    let states = try place.ask("history")["loads"].all.map { $0["state"].text }
    #expect(states.contains("cancelled"))
    #expect(states.allSatisfy { ["cancelled", "succeeded", "ended"].contains($0) }, "\(states)")
  }

  /// With a shell that can continue it, and as the first process of a terminal, where no shell can.
  @Test(
    .enabled("python3 is not installed") { Place.has("python3") },
    arguments: [("", ["?Stopped", "fg\n"]), ("exec ", [])])
  func itIsSuspendedOnlyIfItCanBeContinued(how: String, steps: [String]) throws {
    let script = TestPlaces.package.appending(path: "Tests/Scripts/terminal.py").path
    let start = ["?$ ", "\(how)loadlog demo --db \(place.store) --speed 0.2\n", "?1 loading"]
    let end = ["\u{1A}"] + steps + ["?1 loading", "\u{3}", "?Look closer"]
    let answer = try place.start(["python3", script] + start + end).wait()
    #expect(answer.code == 0, "\(answer.errors)")
  }

  @Test func aStoreThatCannotBeOpenedIsNamed() throws {
    let answer = try place.loadlog("demo", "--db", try place.write("no database", to: "notes.txt"))
    #expect(answer.code == 3 && answer.output == "" && answer.isOneComplaint, "\(answer)")
  }

  @Test func aClosedReaderEndsItQuietly() throws {
    let answer = try place.shell(
      "loadlog demo --speed 10 --db \(place.store) | head -n 4; exit ${PIPESTATUS[0]}")
    #expect(answer.code == 0 && answer.errors == "")
    #expect(try place.ask("history", "--state", "running")["loads"].all.isEmpty)
  }

  /// Expects that the program hid the cursor and showed it again later.
  private func expectCursor(in output: String) throws {
    let hidden = try #require(output.range(of: "\u{1B}[?25l", options: .backwards))
    let shown = try #require(output.range(of: "\u{1B}[?25h", options: .backwards))
    #expect(hidden.lowerBound < shown.lowerBound)
  }
}
