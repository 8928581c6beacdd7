import LoadLogCore

/// Chart of durations over time: the median as a line, and above it a band up to the 95th percentile.
struct DurationsChart {
  let series: ChartSeries
  let axis: TimeAxis

  private var frame: ChartFrame { axis.frame }

  var chart: Chart {
    Chart(
      caption: "Durations \(axis.rhythm)", summary: summary,
      keys: [.init("median", "median"), .init("p95", "p95")],
      frame: frame, drawing: measured.isEmpty ? "" : drawing)
  }

  private var measured: [(index: Int, durations: DurationStatistics)] {
    series.statistics.enumerated().compactMap { index, durations in durations.map { (index, $0) } }
  }

  private var summary: String {
    let measured = measured.map(\.durations)
    guard let lowest = measured.map(\.p50).min(), let highest = measured.map(\.p50).max(),
      let worst = measured.map(\.p95).max()
    else { return "No durations are known for this period." }
    return
      "Median \(Words.range(from: lowest, to: highest)), 95th percentile up to \(DurationText.measured(worst))."
  }

  private var drawing: String {
    var drawing = Drawing()
    let scale = DurationScale(
      fitting: measured.flatMap { [$0.durations.p50, $0.durations.p95] }, from: frame.bottom, to: frame.top)
    frame.drawVerticalAxis(scale.ticks(gap: 26).map { ($0.position, $0.label) }, in: &drawing)
    axis.draw(in: &drawing)
    var (median, band) = (DrawnPath(), DrawnPath())
    for run in runs where run.count > 1 {
      let medians = run.map { (axis.x($0.index), scale.position($0.durations.p50)) }
      median.lines(medians)
      band.lines(run.map { (axis.x($0.index), scale.position($0.durations.p95)) } + medians.reversed())
      band.close()
    }
    drawing.add(band, "p95")
    drawing.add(median, "median")
    drawing.add(lonelyPoints { scale.position($0.p50) }, "dot")
    drawing.add(lonelyPoints { $0.p95 > $0.p50 ? scale.position($0.p95) : nil }, "dot")
    return drawing.markup
  }

  /// Runs of consecutive points.
  private var runs: [[(index: Int, durations: DurationStatistics)]] {
    var runs: [[(index: Int, durations: DurationStatistics)]] = []
    for point in measured {
      if let last = runs.last?.last, last.index == point.index - 1 {
        runs[runs.count - 1].append(point)
      } else {
        runs.append([point])
      }
    }
    return runs
  }

  /// Dots for points without neighbours, which no line passes through.
  private func lonelyPoints(_ y: (DurationStatistics) -> Double?) -> DrawnPath {
    var path = DrawnPath()
    for run in runs where run.count == 1 {
      for point in run {
        if let y = y(point.durations) { path.add(.point, axis.x(point.index), y) }
      }
    }
    return path
  }
}
