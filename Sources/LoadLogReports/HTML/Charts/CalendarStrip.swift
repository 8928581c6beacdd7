import Foundation
import LoadLogCore

/// Strip as wide as its card: small bars of the loads of a feed at each point of time, and below them a calendar with a
/// cell for each point, which is green where all loads succeeded, red and taller where any failed, and empty where no
/// load started.
///
/// The picture is stretched to the width of the page, so it contains no texts.
struct CalendarStrip {
  /// Minimum number of cells that the strip has room for, so that those of a young feed are not too wide.
  private static let leastCells = 24
  /// Width of a cell and the gap beside it in SVG user units, as in the style sheet; heights are pixels.
  private static let width = 10.0, gap = 2.0
  private static let bottom = 34.0, calendar = 54.0

  let series: ChartSeries
  let axis: TimeAxis

  private var cells: Int { max(series.loads.count, Self.leastCells) }
  private var most: Int { series.loads.max() ?? 0 }

  var chart: Chart {
    let bars = LoadBars(series: series, axis: axis)
    let good = series.loads.indices.filter { series.loads[$0] > 0 && series.bad($0) == 0 }
    let bad = series.loads.indices.count { series.bad($0) > 0 }
    let points = axis.bins.isHourly ? "hour" : axis.bins.unitsPerBin == 1 ? "day" : "point"
    return Chart(
      caption: "Loads \(axis.rhythm)\(most > 0 ? ", at most \(Words.count(most))" : "")",
      summary: most == 0
        ? LoadBars.nothing
        : "\(axis.span), \(axis.rhythm): \(bars.faults), on \(Words.count(bad, points)); "
          + "no failures on \(Words.count(good.count, points)) with loads.",
      keys: bars.keys + (good.isEmpty ? [] : [.init("calm", "no failures")]),
      viewBox: "0 0 \(DrawnPath.number(Double(cells) * Self.width)) 54", isStretched: true,
      drawing: drawing(bars, good))
  }

  /// The ends of the strip in words; only the last one if points do not fill it.
  var ends: [String] {
    let last = axis.name(of: series.loads.count - 1)
    return cells > series.loads.count ? [axis.bins.count == 1 ? last : axis.span] : [axis.name(of: 0), last]
  }

  private func drawing(_ bars: LoadBars, _ good: [Int]) -> String {
    guard most > 0 else { return "" }
    var drawing = Drawing()
    func sides(_ index: Int) -> (left: Double, right: Double) {
      let left = Double(cells - series.loads.count + index) * Self.width + Self.gap / 2
      return (left, left + Self.width - Self.gap)
    }
    var (ground, calm) = (DrawnPath(), DrawnPath())
    ground.move(0, Self.calendar - 0.5)
    ground.horizontal(Double(cells) * Self.width)
    // The style sheet's dashes divide a line into cells.
    for run in IndexSet(good).rangeView {
      calm.move(sides(run.lowerBound).left, Self.calendar - 3.5)
      calm.horizontal(sides(run.upperBound - 1).right)
    }
    drawing.add(ground, "axis")
    drawing.add(calm, "calm")
    bars.draw(
      in: &drawing, from: Self.bottom, height: Self.bottom / Double(most), isStroked: true,
      mark: (Self.calendar, Self.calendar - 14), sides: sides)
    return drawing.markup
  }
}
