import Foundation
import Testing

/// `export --format prometheus`.
@Suite struct PrometheusTests {
  private let place: Place

  init() throws { place = try Place() }

  private func metrics(_ words: String...) throws -> [String] {
    let answer = try place.loadlog(["export", "--format", "prometheus"] + words)
    try #require(answer.code == 0, "\(answer)")
    return answer.output.split(separator: "\n").map(String.init)
  }

  private func record(_ lines: [String]) throws {
    let answer = try place.loadlog(
      "import", "-", "--format", "ndjson", input: .text(lines.joined(separator: "\n") + "\n"))
    try #require(answer.code == 0, "\(answer)")
  }

  private func load(_ feed: String, _ number: Int, _ verdict: String, nanoseconds: Int64) -> [String] {
    let id = "01a1f90f-9824-7b1e-8000-00000000000\(number)"
    return [
      #"{"event":"start","at":"2026-10-01T00:00:00Z","feed":"\#(feed)","id":"\#(id)"}"#,
      #"{"event":"finish","at":"2026-10-01T00:00:01.5Z","id":"\#(id)","verdict":"\#(verdict)","duration_ns":\#(nanoseconds)}"#,
    ]
  }

  @Test func countsAndDatesAreThoseOfTheRecord() throws {
    try record(
      load("a\\\"b\\\\c", 1, "succeeded", nanoseconds: 5_000_000) + load("x", 2, "failed", nanoseconds: 1)
        + [#"{"event":"pop","at":"2026-10-01T00:00:00Z","feed":"x"}"#])
    try place.loadlog("expect", "x", "--every", "1h")
    let lines = try metrics()
    #expect(lines.contains(#"loadlog_last_updated_timestamp_seconds{feed="a\"b\\c"} 1790812801.5"#))
    #expect(!lines.contains { $0.hasPrefix(#"loadlog_last_updated_timestamp_seconds{feed="x"}"#) })
    #expect(lines.contains(#"loadlog_loads_finished_total{feed="a\"b\\c",verdict="succeeded"} 1"#))
    #expect(lines.contains(#"loadlog_loads_finished_total{feed="x",verdict="failed"} 1"#))
    #expect(lines.contains(#"loadlog_loads_finished_total{feed="x",verdict="succeeded"} 0"#))
    #expect(lines.contains(#"loadlog_unbalanced{feed="x",kind="extra_pop"} 1"#))
    #expect(lines.filter { $0.hasPrefix("loadlog_late{") } == [#"loadlog_late{feed="x"} 0"#])
    #expect(lines.filter { $0.hasPrefix("loadlog_running{") }.count == 2)
    #expect(lines.contains(#"loadlog_failing{feed="x"} 1"#))
    #expect(lines.contains(#"loadlog_failing{feed="a\"b\\c"} 0"#))
    #expect(lines.contains(#"loadlog_build_info{version="0.1.0"} 1"#))
    #expect(try metrics("x").allSatisfy { !$0.contains(#"feed="a"#) })
  }

  @Test func aFeedThatRunsOrIsLateShows() throws {
    try place.loadlog("start", "job")
    try record(
      [
        #"{"event":"expectation","feed":"old","every_ns":3600000000000,"grace_ns":0,"since":"2026-10-01T00:00:00Z"}"#,
        #"{"event":"expectation","feed":"odd","cron":"0 0 1 1 *","timezone":"UTC","since":"2026-10-01T00:00:00Z"}"#,
      ])
    // The feed of a schedule that this machine cannot read counts as late.
    try place.sqlite("UPDATE expected SET timezone = 'No/Where' WHERE cron IS NOT NULL")
    let lines = try metrics()
    #expect(lines.contains(#"loadlog_late{feed="odd"} 1"#), "\(lines)")
    #expect(
      lines.contains(#"loadlog_running{feed="job"} 1"#) && lines.contains(#"loadlog_late{feed="old"} 1"#))
  }

  /// A duration of exactly a bound belongs to the bucket below it.
  @Test func theHistogramIsExact() throws {
    let durations: [Int64] = [0, 1_048_576, 1_048_577, 2_097_152, 9_000_000_000_000]
    try record(
      durations.enumerated().flatMap { load("x", $0.offset, "succeeded", nanoseconds: $0.element) })
    let lines = try metrics().filter { $0.hasPrefix("loadlog_load_duration_seconds") }
    #expect(lines.first == #"loadlog_load_duration_seconds_bucket{le="0.001048576"} 2"#)
    #expect(lines[1] == #"loadlog_load_duration_seconds_bucket{le="0.002097152"} 4"#)
    #expect(
      lines.suffix(4) == [
        #"loadlog_load_duration_seconds_bucket{le="8796.093022208"} 4"#,
        #"loadlog_load_duration_seconds_bucket{le="+Inf"} 5"#,
        "loadlog_load_duration_seconds_sum 9000.004194305", "loadlog_load_duration_seconds_count 5",
      ])
  }

  @Test(.enabled("Prometheus is not installed") { Prometheus.canBe })
  func prometheusOwnCheckFindsNothing() throws {
    let tool = try Prometheus.promtool()
    try record(load("a\\\"b\\\\c", 1, "succeeded", nanoseconds: 5_000_000))
    try place.loadlog("pop", "x")
    let answer = try place.shell("cd $HOME; loadlog export -o m.prom && '\(tool)' check metrics < m.prom")
    #expect(answer.code == 0 && answer.output == "" && answer.errors == "", "\(answer)")
  }

  @Test func theFileIsReadableByAllAndReplacedAtOnce() throws {
    try place.loadlog("run", "x", "--", "true")
    let home = place.folder.path + "/home"
    for (commands, name, mode) in [
      ("umask 022", "m.prom", "644"), ("chmod 600 m.prom", "m.prom", "600"), ("umask 027", "n.prom", "640"),
    ] {
      let answer = try place.shell("cd $HOME; \(commands); loadlog export -o \(name)")
      #expect(try answer.code == 0 && place.mode(of: "\(home)/\(name)") == mode, "\(answer)")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: home)
    #expect(files.allSatisfy { !$0.contains("-loadlog-draft-") })
  }

  @Test func windowsAreRefused() throws {
    try place.loadlog("run", "x", "--", "true")
    let answer = try place.loadlog("export", "--format", "prometheus", "--since", "1h")
    #expect(answer.code == 2 && answer.errors.contains("omit --since and --until"), "\(answer)")
  }
}
