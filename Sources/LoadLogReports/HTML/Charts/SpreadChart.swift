import LoadLogCore

/// Histogram of durations on a logarithmic axis, with marks at the quantiles.
struct SpreadChart {
  /// Maximum number of bars; neighbouring buckets of the histogram are merged until it is met.
  private static let barLimit = 44

  let series: ChartSeries
  /// Quantiles to mark; nil if no load finished.
  let quantiles: DurationStatistics?
  private let frame = ChartFrame()

  private struct Bar {
    let low: Double, high: Double
    var count: Int
  }

  var chart: Chart {
    let bars = bars
    return Chart(
      caption: series.isOfSuccesses ? "Successful loads by duration" : "Loads by duration",
      summary: summary(bars), keys: marks.map { .init($0.style, $0.words) }, frame: frame,
      drawing: bars.isEmpty ? "" : drawing(bars))
  }

  private var marks: [(value: Double, style: String, words: String)] {
    guard let quantiles else { return [] }
    let marks: [(String, KeyPath<DurationStatistics, Double>, String)] = [
      ("median", \.p50, "mark"), ("p95", \.p95, "mark m95"), ("p99", \.p99, "mark m99"),
    ]
    return marks.map { word, key, style in
      (quantiles[keyPath: key], style, "\(word) \(quantiles.shown(key, .unicode))")
    }
  }

  private var bars: [Bar] {
    let buckets = series.durations.histogram.buckets
    guard let first = buckets.first, let last = buckets.last else { return [] }
    var shift = 0
    while (last.index >> shift) - (first.index >> shift) >= Self.barLimit { shift += 1 }
    var bars: [Int: Bar] = [:]
    for bucket in buckets {
      let index = bucket.index >> shift
      let (low, high) = (index << shift, ((index + 1) << shift) - 1)
      let bounds = DurationHistogram.Bucket(index: low, count: 0).lowerBound
      let end = DurationHistogram.Bucket(index: high, count: 0).upperBound
      var bar = bars[index] ?? Bar(low: bounds, high: end, count: 0)
      bar.count = bar.count.addingClamping(bucket.count)
      bars[index] = bar
    }
    return bars.values.sorted { $0.low < $1.low }
  }

  private func summary(_ bars: [Bar]) -> String {
    let zeros = series.durations.histogram.zeroCount
    guard let quantiles, let first = bars.first, let last = bars.last else {
      return zeros == 0 ? "No durations are known." : "\(Words.count(zeros, "load")) took no measurable time."
    }
    let measured = Words.count(series.durations.count - zeros, "load")
    return
      "\(measured) between \(DurationText.measured(first.low)) and \(DurationText.measured(last.high))"
      + (zeros == 0 ? "" : ", and \(Words.count(zeros, "load")) of no measurable time")
      + ": half take no longer than \(DurationText.measured(quantiles.p50)), "
      + "95 % no longer than \(DurationText.measured(quantiles.p95)), 99 % no longer than "
      + "\(DurationText.measured(quantiles.p99))."
  }

  private func drawing(_ bars: [Bar]) -> String {
    var drawing = Drawing()
    let scale = scale(bars)
    let ticks = CountTicks.values(reaching: bars.map(\.count).max() ?? 0)
    let height = frame.height / Double(ticks.last ?? 1)
    frame.drawVerticalAxis(
      ticks.map { (frame.bottom - Double($0) * height, CountTicks.label($0)) }, unit: "loads", in: &drawing)
    var columns: [(left: Double, height: Double)] = []
    for (bar, next) in zip(bars, bars.dropFirst().map(\.low) + [.infinity]) {
      columns.append((scale.position(bar.low), max(Double(bar.count) * height, 1)))
      if bar.high < next { columns.append((scale.position(bar.high), 0)) }
    }
    var path = DrawnPath()
    path.outline(columns, from: frame.bottom)
    drawing.add(path, "bar")
    frame.drawHorizontalAxis(scale.ticks(gap: 52).map { ($0.position, $0.label) }, in: &drawing)
    for mark in marks {
      var line = DrawnPath()
      line.move(scale.position(mark.value).rounded(), frame.top - 8)
      line.vertical(frame.bottom)
      drawing.add(line, mark.style)
    }
    return drawing.markup
  }

  /// Returns a scale that contains all bars and quantiles and spans at least a factor of four.
  private func scale(_ bars: [Bar]) -> DurationScale {
    let ends = bars.flatMap { [$0.low, $0.high] } + marks.map(\.value).filter { $0 > 0 }
    let (low, high) = (ends.min() ?? 1, ends.max() ?? 2)
    let missing = max(1, (4 / (high / low)).squareRoot())
    return DurationScale(
      logarithmic: low / missing...high * missing, from: frame.left + 4, to: frame.right - 4)
  }
}
