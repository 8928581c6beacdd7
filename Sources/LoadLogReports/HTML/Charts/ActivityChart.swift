import LoadLogCore

/// Chart of the loads of all feeds that started in each point of time, with the failed ones stacked in red.
struct ActivityChart {
  let series: ChartSeries
  let axis: TimeAxis

  private var frame: ChartFrame { axis.frame }

  var chart: Chart {
    let (loads, bars) = (series.loads, LoadBars(series: series, axis: axis))
    let total = loads.reduce(0) { $0.addingClamping($1) }
    return Chart(
      caption: "Loads \(axis.rhythm), all feeds",
      summary: total == 0
        ? LoadBars.nothing
        : "\(axis.span), \(axis.rhythm): \(Words.count(total, "load")), \(bars.faults); "
          + "at most \(Words.count(loads.max() ?? 0, "load")).",
      keys: bars.keys, frame: frame, drawing: total == 0 ? "" : drawing(bars))
  }

  private func drawing(_ bars: LoadBars) -> String {
    var drawing = Drawing()
    let ticks = CountTicks.values(reaching: series.loads.max() ?? 0)
    let height = frame.height / Double(ticks.last ?? 1)
    frame.drawVerticalAxis(
      ticks.map { (frame.bottom - Double($0) * height, CountTicks.label($0)) }, unit: "loads", in: &drawing)
    let half = min(axis.step * 0.38, 14)
    bars.draw(in: &drawing, from: frame.bottom, height: height) { (axis.x($0) - half, axis.x($0) + half) }
    axis.draw(in: &drawing)
    return drawing.markup
  }
}
