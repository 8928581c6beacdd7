import Foundation
import TestProcesses
import Testing

/// Spans of `LoadTracer` as loads, and a Hummingbird server that is killed in the middle of one.
@Suite struct TracingTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let parent = "b7ad6b7169203331"

  private let place: Place

  init() throws { place = try Place() }

  private func start(_ mode: String) throws -> RunningProgram {
    try FileManager.default.createDirectory(
      atPath: place.folder.path + "/store", withIntermediateDirectories: true)
    let program = URL(filePath: try ServedStore.program()).deletingLastPathComponent()
      .appending(path: "LoadLogTracingFixture").path
    return try place.start([program, mode, place.store], input: .nothing)
  }

  /// "feed state: reason" of the loads that a question finds, oldest first.
  private func lines(_ question: String...) throws -> [String] {
    let answer = try place.loadlog(["history", "--json", "--limit", "all"] + question)
    try #require(answer.code == 0, "\(answer.errors)")
    return try Answer(answer.output)["loads"].all.reversed().map { load in
      let feed = try #require(load["feed"].text), state = try #require(load["state"].text)
      return "\(feed) \(state)" + (load["reason"].text.map { ": \($0)" } ?? "")
    }
  }

  private func message(_ question: String...) throws -> String {
    let answer = try place.loadlog(["history", "--json"] + question)
    return try #require(Answer(answer.output)["loads"][0]["message"].text, "\(answer)")
  }

  // MARK: - All kinds of spans

  @Test func chosenSpansAreLoadsWithTheirVerdicts() throws {
    let program = try start("spans")
    let finished = try program.wait()
    try #require(finished.code == 0, "\(finished)")
    let loads = try lines()
    let nested = ["some.nested succeeded", "some.outer succeeded"]
    #expect(loads.filter { nested.contains($0) }.count == 1600)
    #expect(
      loads.filter { !nested.contains($0) && $0 != "some.inner succeeded" } == [
        "exact succeeded", "some.thing succeeded", "by attribute succeeded",
        "some.thrown failed: broken pipe", "some.cancelled cancelled", "some.status failed: no space left",
        "some.handled succeeded: broken pipe", "some.corrected succeeded", "some.twice succeeded",
        "some.dropped abandoned: dropped", "both failed: both failed", "mute succeeded",
      ])
    #expect(try place.ask("status")["totals"]["unbalanced"]["total"].int == 1)
    #expect(finished.output.hasPrefix("recording before: false\nrecording after: true\n"))
    #expect(try message("by attribute").wholeMatch(of: /\/reviews\/\{app\} \(span [0-9a-f]{16}\)/) != nil)
    #expect(try place.ask("history", "mute")["loads"][0]["tag"].isNull)
  }

  @Test func tracesCrossProcessesInW3CHeaders() throws {
    let output = try start("spans").wait().output
    let headers = output.split(separator: "\n").filter { $0.hasPrefix("header ") }.map { $0.dropFirst(7) }
    try #require(headers.count == 8)
    let kept = headers.map { $0.contains(Self.trace) && !$0.contains(Self.parent) }
    #expect(kept == [true, true] + Array(repeating: false, count: 6))
    #expect(headers[0].hasSuffix("-01 a=1,b=2") && headers[1].hasSuffix("-03 -"))
    for header in headers {
      #expect(header.wholeMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-0[13] .+/) != nil, "\(header)")
    }
    for header in headers.dropFirst(2) { #expect(header.hasSuffix("-03 -")) }
    #expect(Set(headers.map { $0.split(separator: "-")[1] }).count == 7)
    // The load knows its own span, and its parent although that was not recorded.
    let span = headers[0].split(separator: "-")[2]
    #expect(try message("--trace", Self.trace, "--grep", String(span)).hasPrefix("span \(span), parent "))
  }

  @Test func spansThatMeetKeepTheirTraces() throws {
    _ = try start("spans").wait()
    let pairs = try place.ask("history", "some.outer", "some.nested", "--limit", "all")["loads"].all
    var outer: [String: String] = [:]
    for load in pairs where load["feed"].text == "some.outer" {
      outer[try #require(load["tag"].text)] = load["message"].text
    }
    #expect(outer.count == 800)
    let nested = pairs.filter { $0["feed"].text == "some.nested" }
    for load in nested {
      let parent = try #require(outer[load["tag"].text ?? ""]?.dropFirst(5))
      #expect(load["message"].text?.hasSuffix(", parent \(parent)") == true)
    }
    #expect(Set(nested.map(\.["tag"].text)).count == 800)
  }

  @Test func anotherTracerGetsAllSpansAndGivesTheTraceID() throws {
    let output = try start("spans").wait().output
    let header = try #require(output.firstMatch(of: /forwarded 00-([0-9a-f]{32})-([0-9a-f]{16})-03/))
    #expect(try lines("--trace", String(header.1)) == ["both failed: both failed"])
    let here = try message("both")
    #expect(here.hasPrefix("span \(header.2), parent "))
    place.environment["LOADLOG_DB"] = place.store + ".other"
    #expect(
      try lines() == ["only the other failed: both failed", "both failed: both failed"])
    #expect(try message("both") == here)
  }

  // MARK: - A server

  private func ask(_ path: String, on port: String, trace: String) throws -> RunningProgram {
    try place.start(
      [
        "curl", "-sS", "--max-time", "120", "-H", "traceparent: 00-\(trace)-\(Self.parent)-01",
        "http://127.0.0.1:\(port)\(path)",
      ], input: .nothing)
  }

  @Test func aServerKilledInTheMiddleOfASpanLeavesACrashedLoad() throws {
    let server = try start("serve")
    let port = try server.line()
    let good = "11111111111111111111111111111111", bad = "22222222222222222222222222222222"
    #expect(try ask("/reviews/42", on: port, trace: good).wait().output == "[]")
    _ = try ask("/reviews/broken", on: port, trace: bad).wait()
    let slow = try ask("/reviews/slow", on: port, trace: Self.trace)
    // Nothing waits for a span to be recorded, nor for the store of the first one.
    let hasEnded = {
      try lines("--trace", good) == ["http succeeded", "reviews.fetch succeeded"]
        && lines("--trace", bad) == ["http failed: no route to api", "reviews.fetch failed: no route to api"]
    }
    try Wait.until("the spans of all requests") {
      try FileManager.default.fileExists(atPath: place.store)
        && lines("--trace", Self.trace) == ["http running", "reviews.fetch running"] && hasEnded()
    }
    try server.killAndReap()
    _ = try slow.wait()

    #expect(try hasEnded())
    // The whole header names the trace, too.
    #expect(
      try lines("--trace", "00-\(Self.trace.uppercased())-\(Self.parent)-01")
        == ["http crashed", "reviews.fetch crashed"])
    #expect(try place.unbalanced("reviews.fetch") == ["crashed": 1])
    let load = try place.ask("history", "reviews.fetch", "--state", "crashed")["loads"][0]
    #expect(load["call_site"].text?.hasPrefix("LoadLogTracingFixture/ReviewServer.swift:") == true)
    let request = try message("http", "--state", "crashed")
    #expect(request.hasSuffix(", parent \(Self.parent))"))
    let span = try #require(request.firstMatch(of: /span ([0-9a-f]{16})/)?.1)
    #expect(load["message"].text?.hasSuffix(", parent \(span)") == true)
    let status = try place.loadlog("status")
    #expect(status.output.contains("crashed") && status.output.contains("ReviewServer.swift:"))
  }

  // MARK: - The option

  @Test func importedSpansAreFoundByTheirTrace() throws {
    let span = #"""
      "traceId":"\#(Self.trace.uppercased())","spanId":"00f067aa0ba902b7","parentSpanId":"\#(Self.parent)","name":"cart",\#
      "startTimeUnixNano":"1760000000000000000","endTimeUnixNano":"1760000001000000000"
      """#
    let file = try place.write(#"{"resourceSpans":[{"scopeSpans":[{"spans":[{\#(span)}]}]}]}"#, to: "a.json")
    try #require(place.loadlog("import", file).code == 0)
    #expect(try message("--trace", Self.trace) == "span 00f067aa0ba902b7, parent \(Self.parent)")
    #expect(try lines("--grep", Self.parent) == ["cart succeeded"])
    // The ids survive an export, both for LoadLog and for others.
    let exported = try place.loadlog("export", "--format", "otlp").output
    for (name, id) in [
      ("traceId", Self.trace), ("spanId", "00f067aa0ba902b7"), ("parentSpanId", Self.parent),
    ] { #expect(exported.contains(#""\#(name)":"\#(id)""#), "\(exported)") }
    let lines = try place.loadlog("export").output
    let other = try Place()
    try #require(other.loadlog("import", other.write(lines, to: "a.ndjson")).code == 0)
    #expect(try other.ask("history", "--trace", Self.trace)["total"].int == 1)
  }

  @Test func onlyTraceIDsAreTraces() throws {
    try place.loadlog("run", "f", "--tag", "warm", "--", "true")
    for id in ["warm", "", String(repeating: "0", count: 32), Self.parent, "00-\(Self.trace)-x-01"] {
      let answer = try place.loadlog("history", "--trace", id)
      #expect(answer.code == 2 && answer.isOneComplaint && answer.errors.contains("trace id"), "\(answer)")
    }
    #expect(try place.loadlog("history", "--trace", Self.trace, "--tag", "warm").code == 2)
    #expect(try lines("--trace", Self.trace) == [])
  }
}
