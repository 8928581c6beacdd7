import LoadLogCore

/// Bars of the loads at each point of time. Those that failed or never finished are stacked on top; points that cover
/// less time than the others are lighter.
struct LoadBars {
  let series: ChartSeries
  let axis: TimeAxis

  /// What a chart says that has no bars.
  static let nothing = "No loads started in this period."

  /// Legend of what is drawn.
  var keys: [Chart.Key] {
    let shown = series.loads.indices.filter { series.loads[$0] > 0 }
    var keys: [Chart.Key] = []
    if shown.contains(where: { series.bad($0) < series.loads[$0] }) { keys.append(.init("bar", "loads")) }
    if shown.contains(where: { series.bad($0) > 0 }) { keys.append(.init("fault", badWords)) }
    if shown.contains(where: { axis.bins.isPartial($0) && series.bad($0) < series.loads[$0] }) {
      keys.append(.init("bar part", "incomplete \(unit)"))
    }
    return keys
  }

  /// The faults in words: "14 failed", "14 failed, 2 never finished".
  var faults: String {
    faults(
      series.failed.reduce(0) { $0.addingClamping($1) }, series.unfinished.reduce(0) { $0.addingClamping($1) }
    )
  }

  /// A point in words: "21 Nov: 7 of 70 failed".
  func title(_ index: Int) -> String {
    "\(axis.name(of: index)): \(Words.count(series.loads[index], "load")), "
      + faults(series.failed[index], series.unfinished[index])
  }

  /// Draws the bars.
  ///
  /// - Parameters:
  ///   - bottom: vertical position of the axis.
  ///   - height: height of one load.
  ///   - isStroked: whether bars are wide lines, which are shorter to write than boxes.
  ///   - mark: bottom and top of another bar at each point with faults.
  ///   - sides: returns the left and the right side of a bar.
  func draw(
    in drawing: inout Drawing, from bottom: Double, height: Double, isStroked: Bool = false,
    mark: (bottom: Double, top: Double)? = nil, sides: (Int) -> (left: Double, right: Double)
  ) {
    func bar(_ path: inout DrawnPath, _ index: Int, _ bottom: Double, _ top: Double) {
      let (left, right) = sides(index)
      guard isStroked else { return path.box(left, top, right, bottom) }
      path.move((left + right) / 2, bottom)
      path.vertical(top)
    }
    var (whole, part) = (DrawnPath(), DrawnPath())
    var faults: [(DrawnPath, String)] = []
    for (index, count) in series.loads.enumerated() where count > 0 {
      let bad = series.bad(index)
      // Every load and every fault is seen, however many others there are.
      let red = bad > 0 ? max((Double(bad) * height).rounded(), 2) : 0
      let top = (bottom - max(Double(count) * height, 1, red)).rounded()
      if bad < count {
        if axis.bins.isPartial(index) {
          // It has an outline, because it is light.
          let (left, right) = sides(index)
          part.box(left, top + red, right, bottom)
        } else {
          bar(&whole, index, bottom, top + red)
        }
      }
      guard bad > 0 else { continue }
      var fault = DrawnPath()
      bar(&fault, index, top + red, top)
      if let mark { bar(&fault, index, mark.bottom, mark.top) }
      faults.append((fault, title(index)))
    }
    drawing.add(whole, "bar")
    drawing.add(part, "bar part")
    for (fault, title) in faults { drawing.add(fault, "fault", title: title) }
  }

  private var unit: String { axis.bins.isHourly ? "hour" : axis.bins.unitsPerBin == 1 ? "day" : "days" }

  private var badWords: String {
    series.unfinished.contains { $0 > 0 } ? "failed or never finished" : "failed"
  }

  private func faults(_ failed: Int, _ unfinished: Int) -> String {
    "\(Words.count(failed)) failed" + (unfinished > 0 ? ", \(Words.count(unfinished)) never finished" : "")
  }
}
