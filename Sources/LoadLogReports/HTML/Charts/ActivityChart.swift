import LoadLogCore

/// Chart of the loads of all feeds that started on each day, and of the failed ones among them.
struct ActivityChart {
  let series: [DaySeries]
  let axis: DayAxis

  private var frame: ChartFrame { axis.frame }

  /// Returns the chart, with `name` as its id on the page.
  func chart(_ name: String) -> Chart {
    let (loads, failures) = (sums(\.loads), sums(\.failed))
    let (total, failed) = (loads.reduce(0, +), failures.reduce(0, +))
    return Chart(
      name, caption: "Loads \(axis.rhythm), all feeds",
      summary: "\(axis.span), \(axis.rhythm): \(Words.count(total, "load")), \(Words.count(failed)) failed; "
        + "at most \(Words.count(loads.max() ?? 0, "load")).",
      keys: failed > 0 ? [.failed] : [], frame: frame,
      drawing: total == 0 ? "" : drawing(of: loads, failures: failures))
  }

  private func sums(_ counts: KeyPath<DaySeries, [Int]>) -> [Int] {
    series.reduce(into: [Int](repeating: 0, count: axis.bins.count)) { sums, series in
      for (index, count) in series[keyPath: counts].enumerated() {
        sums[index] = sums[index].addingClamping(count)
      }
    }
  }

  private func drawing(of loads: [Int], failures: [Int]) -> String {
    var drawing = Drawing()
    let ticks = CountTicks.values(reaching: loads.max() ?? 0)
    let height = frame.height / Double(ticks.last ?? 1)
    frame.drawVerticalAxis(
      ticks.map { (frame.bottom - Double($0) * height, CountTicks.label($0)) }, unit: "loads", in: &drawing)
    var bars = DrawnPath()
    let half = min(axis.step * 0.38, 14)
    for (index, count) in loads.enumerated() where count > 0 {
      let top = min(frame.bottom - Double(count) * height, frame.bottom - 1)
      bars.box(axis.x(index) - half, top, axis.x(index) + half, frame.bottom)
    }
    drawing.add(bars, "bar")
    axis.draw(in: &drawing)
    axis.drawFailures(failures, of: loads, in: &drawing)
    return drawing.markup
  }
}
