import Foundation
import TestProcesses
import Testing

/// The code of the page Docs/Recipes runs as it stands there.
@Suite struct RecipePageTests {
  private static let folder = TestPlaces.package.appending(path: "Docs/Recipes")

  private let place: Place
  private var here: String { place.folder.path + "/store" }

  init() throws { place = try Place() }

  /// The block of code after the mark `<!-- recipe: NAME -->`.
  private static func recipe(_ name: String) throws -> String {
    let page = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
    let mark = try #require(page.range(of: "<!-- recipe: \(name) -->\n```"), "no recipe \(name)").upperBound
    let start = try #require(page[mark...].firstIndex(of: "\n"))
    let end = try #require(page.range(of: "\n```\n", range: start..<page.endIndex))
    return String(page[start..<end.lowerBound].dropFirst()) + "\n"
  }

  /// Runs a text in bash, in the folder of the store.
  @discardableResult
  private func run(_ text: String, _ environment: [String: String] = [:]) throws -> String {
    let variables = environment.map { "export \($0)='\($1)'\n" }.joined()
    let finished = try place.shell("set -e; cd '\(here)'\n" + variables + text)
    try #require(finished.code == 0, "\(finished)")
    return finished.output
  }

  /// Runs a recipe in Python, and prints a value of it as JSON.
  private func python(_ name: String, printing value: String) throws -> Answer {
    let text = try Self.recipe(name) + "\nimport json\nprint(json.dumps(\(value), default=str))\n"
    return try Answer(run("'\(TestPlaces.python)' '\(place.write(text, to: name))'"))
  }

  /// Records loads of two feeds, one of which fails, and one that nobody finished.
  private func record() throws {
    let noon = Date(timeIntervalSinceNow: -86_400)
    var lines = ""
    for number in 0..<40 {
      let id = "00000000-0000-4000-8000-0000000000\(number + 10)"
      let start = noon.addingTimeInterval(Double(number)).ISO8601Format()
      let verdict = number % 8 == 0 ? "failed" : "succeeded"
      lines += #"{"event":"start","at":"\#(start)","feed":"f\#(number % 2)","id":"\#(id)"}"# + "\n"
      lines += #"{"event":"finish","at":"\#(start)","id":"\#(id)","verdict":"\#(verdict)","#
      lines += #""duration_ns":\#((number + 1) * (number + 1))000000}"# + "\n"
    }
    try #require(place.loadlog("import", place.write(lines, to: "loads.ndjson")).code == 0)
    try place.loadlog("pop", "f1")
  }

  /// Compares a quantile, mean or maximum of each feed with that of `status`.
  private func expect(_ numbers: Answer, _ key: String, are name: String, _ comment: String) throws {
    for feed in ["f0", "f1"] {
      let known = try #require(place.status(feed)["duration"][key].number)
      let found = try #require(numbers[feed][name].number, "\(comment): \(numbers)")
      #expect(abs(found - known) < 1e-6, "\(comment): \(feed) \(key)")
    }
  }

  @Test func pandasFindsTheNumbersOfStatus() throws {
    try record()
    let durations = try python("read-pandas.py", printing: "json.loads(durations.to_json(orient='index'))")
    for (key, name) in [
      ("p50", "50%"), ("p95", "95%"), ("max", "max"), ("mean", "mean"), ("count", "count"),
    ] { try expect(durations, key, are: name, "pandas") }
    let days = try python("read-pandas.py", printing: "days.sum().to_dict()")
    #expect(days["failed"].int == 5 && days["succeeded"].int == 35)
  }

  @Test func duckDBFindsTheNumbersOfStatus() throws {
    try record()
    try run(Self.recipe("duckdb.sh"))
    let feeds = try python(
      "read-duckdb.py", printing: "{row[0]: dict(zip(feeds.columns, row)) for row in feeds.fetchall()}")
    for (key, name) in [("p50", "median"), ("p95", "p95"), ("max", "longest")] {
      try expect(feeds, key, are: name, "DuckDB")
    }
    #expect(feeds["f0"]["loads"].int == 20 && feeds["f0"]["failed"].int == 5)
    #expect(try !python("read-duckdb.py", printing: "hours.fetchall()").all.isEmpty)
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["LOADLOG_CLICKHOUSE"] != nil,
      "chDB takes 900 MB; see ./dev --help"))
  func clickHouseFindsTheNumbersOfStatus() throws {
    try record()
    for turn in ["once", "twice"] {
      try run(Self.recipe("clickhouse.sh"))
      let rows = try python("read-clickhouse.py", printing: "json.loads(feeds.data())['data']")
      let feeds = Dictionary(uniqueKeysWithValues: rows.all.map { ($0["feed"].text, $0) })
      for (key, name) in [("p50", "median"), ("p95", "p95"), ("max", "longest")] {
        for feed in ["f0", "f1"] {
          let known = try #require(place.status(feed)["duration"][key].number)
          let found = try #require(feeds[feed]?[name].number, "\(rows)")
          #expect(abs(found - known) < 1e-6, "inserted \(turn): \(feed) \(key)")
        }
      }
      #expect(feeds["f0"]?["loads"].number == 20 && feeds["f0"]?["failed"].number == 5, "inserted \(turn)")
    }
  }

  @Test func datasetteServesTheViews() throws {
    try record()
    try place.write(Self.recipe("datasette.yaml"), to: "store/datasette.yaml")
    // The tests have it already.
    let command = try Self.recipe("datasette.sh").trimmingCharacters(in: .newlines)
      .replacing("pip install datasette\ndatasette ", with: "'\(TestPlaces.python)' -m datasette ")
    func get(_ path: String) throws -> String { try run("\(command) --get '\(path)'") }
    let feeds = try Answer(get("/loads/feed_status.json?_shape=array"))
    #expect(feeds.all.map(\.["feed"].text).sorted { $0 ?? "" < $1 ?? "" } == ["f0", "f1"])
    #expect(feeds[0]["loads"].int == 20)
    let loads = try Answer(get("/loads/session_history.json"))
    #expect(loads["facet_results"].keys == ["feed", "state"])
    #expect(try Answer(get("/loads/unbalanced.json?_shape=array"))[0]["kind"].text == "extra_pop")
    #expect(try Answer(get("/loads/slowest.json?_shape=array"))[0]["feed"].text == "f1")
  }

  /// Runs the commands of the workflow, as a runner does, in a project whose tests fail.
  @Test func theWorkflowRecordsItsStepsAndWritesASummary() throws {
    let workflow = try place.write(Self.recipe("actions.yaml"), to: "workflow.yaml")
    let read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
    let steps = try Answer(
      place.start([TestPlaces.python, "-c", read, workflow], input: .nothing).wait().output)["jobs"]["build"][
        "steps"]
    let project = place.folder.appending(path: "project").path
    try place.write("all:\n\techo built\ntest:\n\techo a test failed >&2; exit 3\n", to: "project/Makefile")
    var codes: [Int32] = []
    for step in steps.all {
      guard let command = step["run"].text else { continue }
      let script =
        "export GITHUB_STEP_SUMMARY='\(project)/summary.md'\ncd '\(project)'\nset -eo pipefail\n\(command)"
      codes.append(try place.shell(script).code)
    }
    #expect(codes == [0, 2, 0])
    #expect(try place.status("ci/build")["succeeded"].int == 1)
    #expect(try place.ask("history", "ci/test")["loads"][0]["reason"].text == "exit 2")
    let summary = try String(contentsOfFile: project + "/summary.md", encoding: .utf8)
    #expect(summary.hasPrefix("```\n2 feeds") && summary.hasSuffix("```\n") && summary.contains("✗ ci/test"))
    #expect(try String(contentsOfFile: project + "/report.html", encoding: .utf8).contains("ci/test"))
  }

  /// Prometheus scrapes a store that has something of everything, and must answer each expression.
  @Test(.enabled("Prometheus is not installed") { Prometheus.canBe })
  func prometheusAnswersEveryExpressionOfTheDashboard() throws {
    let dashboard = try Answer(
      String(contentsOf: Self.folder.appending(path: "grafana.json"), encoding: .utf8))
    let expressions = dashboard["panels"].all.flatMap { $0["targets"].all }.compactMap(\.["expr"].text)
    try #require(expressions.count == 12)
    try record()
    try place.loadlog("expect", "f0", "--every", "1s", "--grace", "1s")
    let served = try ServedStore(in: place)
    let prometheus = try Prometheus(scraping: served.address, in: place)
    for expression in expressions {
      let query = expression.replacing("$__rate_interval", with: "1m").replacing("$feed", with: ".*")
      try Wait.until("a value of \(query)") {
        try place.loadlog("run", "f0", "--", "true")
        return try prometheus.value(query).map { $0 != "NaN" } ?? false
      }
    }
    // What the variable of the dashboard offers.
    #expect(
      dashboard["templating"]["list"][1]["query"]["query"].text == "label_values(loadlog_running, feed)")
    #expect(try prometheus.value("loadlog_running{feed=\"f1\"}") == "0")
  }

  #if !canImport(SwiftUI)
    @Test func theViewsTypeCheck() throws {
      let script = TestPlaces.package.appending(path: "Tests/Scripts/type_check.py").path
      let checked = try place.start(
        ["python3", script, Place.programs.path, place.folder.path], input: .nothing
      ).wait()
      #expect(checked.code == 0 && checked.output.contains("UIKit: "), "\(checked)")
    }
  #endif

  @Test func thePageShowsTheServerThatTheTestsKill() throws {
    let file = TestPlaces.package.appending(path: "Tests/Fixtures/Tracing/ReviewServer.swift")
    let lines = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    // Without the first and the last line, `#if` and `#endif`, which indent the rest.
    let shown = lines.dropFirst().dropLast(2).map { $0.dropFirst(2) + "\n" }.joined()
    #expect(try Self.recipe("Hummingbird.swift") == shown)
  }
}
