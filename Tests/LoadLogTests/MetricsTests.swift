import Foundation
import LoadLog
import LoadLogTestSupport
import Metrics
import MetricsTestKit
import Testing

@Suite struct MetricsTests {
  /// The metrics of the whole process; each test uses feeds of its own.
  private static let metrics: TestMetrics = {
    let metrics = TestMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()

  @Test func loadsAreCountedByFeed() async throws {
    let metrics = Self.metrics
    let bench = try Bench { $0.labelsMetricsByFeed = true }
    let loads = bench.loads
    let feed: Feed = "metrics/by feed"
    let good = try await loads.startLoading(feed)
    await bench.clock.advance(by: .milliseconds(1500))
    try await loads.finishLoading(good)
    let bad = try await loads.startLoading(feed, message: "secret message", tag: "secret tag")
    try await loads.finishLoading(bad, .failed("secret reason"))
    try await loads.finishLoading(bad, .failed("secret reason"))
    loads.pop(feed)
    loads.push(feed)
    try await loads.flush()
    let label = [("feed", feed.name)]
    #expect(try metrics.expectCounter("loadlog_loads", label).totalValue == 2)
    #expect(try metrics.expectCounter("loadlog_failures", label).totalValue == 1)
    #expect(try metrics.expectCounter("loadlog_unbalanced", label).totalValue == 2)
    #expect(try metrics.expectTimer("loadlog_duration", label).values == [1_500_000_000, 0])
    #expect(try metrics.expectGauge("loadlog_depth", label).lastValue == 1)
    #expect(!bench.log.text.contains("secret"))
    #expect(!Self.labels.contains { $0.contains("secret") })
  }

  /// How long it was open is no duration, and a finish that comes nevertheless is the only one.
  @Test func anAbandonedLoadHasNotFinished() async throws {
    let metrics = Self.metrics
    let bench = try Bench { $0.labelsMetricsByFeed = true }
    let label = [("feed", "metrics/abandoned")]
    var token: LoadingToken? = try await bench.loads.startLoading("metrics/abandoned")
    let id = try #require(token?.id)
    await bench.clock.advance(by: .seconds(60))
    token = nil
    try await bench.loads.flush()
    #expect(try metrics.expectCounter("loadlog_unbalanced", label).totalValue == 1)
    #expect(try metrics.expectCounter("loadlog_loads", label).totalValue == 0)
    await bench.clock.advance(by: .seconds(60))
    bench.loads.finish(id: id)
    try await bench.loads.flush()
    #expect(try metrics.expectCounter("loadlog_loads", label).totalValue == 1)
    #expect(try metrics.expectTimer("loadlog_duration", label).values == [120_000_000_000])
  }

  /// A registry of Prometheus refuses two metrics with the same name and different dimensions.
  @Test func allMetricsOfLoadsHaveTheSameDimensions() throws {
    let metrics = Self.metrics
    _ = try Bench { $0.labelsMetricsByFeed = true }
    for label in ["loadlog_loads", "loadlog_failures", "loadlog_unbalanced"] {
      _ = try metrics.expectCounter(label, [("feed", "")])
    }
    _ = try metrics.expectTimer("loadlog_duration", [("feed", "")])
    _ = try metrics.expectGauge("loadlog_depth", [("feed", "")])
  }

  @Test func theDepthOfAFeedIsThatOfWhatIsOpen() async throws {
    let metrics = Self.metrics
    let loads = try Bench { $0.labelsMetricsByFeed = true }.loads
    func depths() async throws -> [Double?] {
      try await loads.flush()
      return try ["metrics/a", "metrics/b", ""].map {
        try metrics.expectGauge("loadlog_depth", [("feed", $0)]).lastValue
      }
    }
    for feed: Feed in ["metrics/a", "metrics/a", "metrics/b"] { loads.push(feed) }
    #expect(try await depths() == [2, 1, nil])
    loads.resetAll()
    #expect(try await depths() == [0, 0, nil])
    #expect(try metrics.expectCounter("loadlog_unbalanced", [("feed", "")]).totalValue == 3)
    let load = try await loads.startLoading("metrics/a")
    loads.update(load, message: "half of it")
    #expect(try await depths() == [1, 0, nil], "an update of a load opens nothing")
    try await loads.close()
    loads.reopen()
    #expect(try await depths() == [0, 0, nil])
  }

  /// Messages, tags and reasons are recorded, but appear in no error and no log, even if recording fails.
  @Test func errorsAndLogsContainNoTextsOfLoads() async throws {
    let bench = try Bench()
    try FileManager.default.createDirectory(at: bench.place.url, withIntermediateDirectories: true)
    let loads = bench.loads
    let error = await #expect(throws: LoadLogError.self) {
      try await loads.startLoading("f", message: "secret message", tag: "secret tag")
    }
    #expect(error?.code == .storeUnusable && error?.description.contains("secret") == false)
    await loads.loading("f", message: "secret message") { await Task.yield() }
    #expect(!bench.log.text.isEmpty && !bench.log.text.contains("secret"))
    #expect(loads.failure?.description.contains("secret") == false)
  }

  private static var labels: [String] {
    let dimensions =
      metrics.recorders.flatMap(\.dimensions) + metrics.timers.flatMap(\.dimensions)
      + metrics.counters.flatMap(\.dimensions)
    return dimensions.map(\.1)
  }

  @Test func metricsContainNoFeedsByDefault() async throws {
    let metrics = Self.metrics
    let loads = try Bench().loads
    await loads.loading("metrics/private") { await Task.yield() }
    loads.pop("metrics/private")
    try await loads.flush()
    #expect(!Self.labels.contains("metrics/private"))
    #expect(try metrics.expectTimer("loadlog_commit_latency").values.isEmpty == false)
  }
}
