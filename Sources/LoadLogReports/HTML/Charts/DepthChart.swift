import LoadLogCore

/// Chart of the number of loads open at the same time on the last day, with failed, unfinished and running
/// loads: the mean over the time of each column, and the peak as a thin line above it.
///
/// The mean is an honest picture of a feed that loads often and briefly: a column that was filled wherever a load
/// was open would seem busy all day.
struct DepthChart {
  /// Number of columns: one for every half hour of a day.
  private static let columns = 48

  let page: LoadPage
  let window: Range<Int64>
  let time: LocalTime
  /// Wall time in microseconds at which the report was generated.
  let now: Int64
  private let frame = ChartFrame()

  var chart: Chart {
    let depths = depths
    return Chart(
      caption: "Loads open at once, \(span)", summary: summary(depths),
      keys: [.init("depth", "mean"), .init("peak", "peak")]
        + signs.filter { !$0.places.data.isEmpty }.map { .init($0.style, $0.word) },
      frame: frame, drawing: page.loads.isEmpty ? "" : drawing(depths))
  }

  /// Time range of the chart: "last 24 hours, CET" if it ends now, otherwise its start and end.
  private var span: String {
    let zone = time.abbreviations([window.lowerBound, window.upperBound])
    guard window.upperBound != now || length < UTCDay.length else { return "last 24 hours, \(zone)" }
    func moment(_ wall: Int64) -> String { "\(time.shortDate(wall)) \(time.minute(wall))" }
    return "\(moment(window.lowerBound)) – \(moment(window.upperBound)), \(zone)"
  }

  /// Note that not all loads are drawn; nil if they are.
  var remark: String? {
    let older =
      page.total > page.loads.count
      ? "The timeline shows the newest \(Words.count(page.loads.count)) of the day’s "
        + "\(Words.count(page.total, "load")), starting at \(time.minute(earliest))." : nil
    let remarks = [older, counted.map { "The timeline lacks loads: \($0)." }].compactMap(\.self)
    return remarks.isEmpty ? nil : remarks.joined(separator: " ")
  }

  /// "864 loads that started on 12 Oct (UTC) were only counted": they were pruned, or not shipped to a fleet.
  private var counted: String? { page.withoutRows("only counted", near: now) }

  /// Wall time in microseconds from which the page of loads is complete.
  private var earliest: Int64 {
    guard page.total > page.loads.count, let oldest = page.loads.map(\.started.wall).min() else {
      return window.lowerBound
    }
    return min(max(oldest, window.lowerBound), window.upperBound)
  }

  private func summary(_ depths: [Depth]) -> String {
    guard !page.loads.isEmpty else {
      return counted.map { "No loads can be drawn: \($0)." } ?? "No loads were open in this period."
    }
    let counts = [
      (page.loads.count { $0.state == .failed }, "failed"),
      (page.loads.count { $0.state.isUnfinishedStart }, "never finished"),
      (page.loads.count { $0.shownState == .running }, "still running"),
      (page.loads.count { $0.shownState == .unknown }, "unknown"),
    ].filter { $0.0 > 0 }.map { "\(Words.count($0.0)) \($0.1)" }
    let what = ([Words.count(page.total, "load")] + counts).joined(separator: ", ")
    guard counted == nil else { return "\(what); others were only counted." }
    let busy = Double(depths.reduce(0) { $0 + $1.busy }) / Double(max(window.upperBound - earliest, 1))
    return "\(what); open \(Words.percent(busy)) of the time, at most "
      + "\(Words.count(depths.map(\.peak).max() ?? 0)) at once."
  }

  /// In microseconds, as is the width of a column: more than an `Int` of 32 bits can count.
  private var length: Int64 { window.upperBound - window.lowerBound }

  private var widthOfColumn: Int64 { max(length / Int64(Self.columns), 1) }

  private func x(_ wall: Int64) -> Double {
    let share = Double(wall.subtractingClamping(window.lowerBound)) / Double(max(length, 1))
    return frame.left + min(max(share, 0), 1) * frame.width
  }

  /// What was open in one column of the plot; times in microseconds.
  private struct Depth {
    /// The time during which any load was open.
    var busy: Int64 = 0
    /// The sum of the times during which each load was open.
    var open: Int64 = 0
    var peak = 0
  }

  private var depths: [Depth] {
    var depths = [Depth](repeating: Depth(), count: Self.columns)
    let width = widthOfColumn
    let last = Int64(Self.columns - 1)
    func record(_ span: DepthSweep.Span) {
      let start = max(span.start, window.lowerBound) - window.lowerBound
      let end = min(span.end, window.upperBound) - window.lowerBound
      guard start < end else { return }
      for column in min(start / width, last)...min((end - 1) / width, last) {
        let index = Int(column)
        let columnEnd = column == last ? end : (column + 1) * width
        let time = min(end, columnEnd) - max(start, column * width)
        depths[index].busy += time
        depths[index].open = depths[index].open.addingClamping(
          time.multipliedClamping(by: Int64(span.depth)))
        depths[index].peak = max(depths[index].peak, span.depth)
      }
    }
    var sweep = DepthSweep()
    for load in page.loads.sorted(by: { $0.started.wall < $1.started.wall }) {
      sweep.add(.init(start: load.started.wall, end: end(of: load)), report: record)
    }
    sweep.advance(to: window.upperBound, report: record)
    return depths
  }

  /// End of a load, at least one microsecond after its start, so that a load without duration is visible.
  private func end(of load: LoadingSession) -> Int64 {
    let length = max((load.duration ?? load.openAtLeast) / 1000, 1)
    return load.started.wall.addingClamping(length)
  }

  private func drawing(_ depths: [Depth]) -> String {
    var drawing = Drawing()
    let ticks = CountTicks.values(reaching: depths.map(\.peak).max() ?? 0)
    let height = frame.height / Double(ticks.last ?? 1)
    frame.drawVerticalAxis(
      ticks.map { (frame.bottom - Double($0) * height, CountTicks.label($0)) }, unit: "open", in: &drawing)
    let width = Double(widthOfColumn)
    drawing.add(area(depths.map { Double($0.open) / width * height }), "depth")
    drawing.add(peaks(depths.map { Double($0.peak) * height }), "peak")
    frame.drawHorizontalAxis(
      HourTicks.in(window, time: time, most: 5).map { (x($0.wall), $0.label) }, in: &drawing)
    if earliest > window.lowerBound {
      var edge = DrawnPath()
      edge.move(x(earliest), frame.top - 12)
      edge.vertical(frame.bottom)
      drawing.add(edge, "edge", title: "Earlier loads are not drawn.")
    }
    for sign in signs { drawing.add(sign.places, sign.style, title: sign.word) }
    return drawing.markup
  }

  /// Returns the outline of columns of these heights. Every column with a load is high enough to be seen.
  private func area(_ heights: [Double]) -> DrawnPath {
    var path = DrawnPath()
    path.outline(
      (heights.map { $0 > 0 ? max($0, 0.8) : 0 } + [0]).enumerated().map { (left(of: $0), $1) },
      from: frame.bottom)
    return path
  }

  /// Returns horizontal lines at the tops of columns of these heights.
  private func peaks(_ heights: [Double]) -> DrawnPath {
    var path = DrawnPath()
    var before = 0.0
    for (index, height) in (heights + [0]).enumerated() where height != before {
      if before > 0 { path.horizontal(left(of: index)) }
      if height > 0 { path.move(left(of: index), frame.bottom - height) }
      before = height
    }
    return path
  }

  private func left(of column: Int) -> Double {
    frame.left + Double(column) * frame.width / Double(Self.columns)
  }

  private var signs: [(sign: DrawnPath.Sign, style: String, word: String, places: DrawnPath)] {
    func starts(_ isMeant: (LoadingSession) -> Bool) -> [Int64] {
      page.loads.filter(isMeant).map { max($0.started.wall, window.lowerBound) }
    }
    let found: [(DrawnPath.Sign, String, String, [Int64])] = [
      (.failed, "failed", "failed", page.loads.filter { $0.state == .failed }.map(end)),
      (.lost, "lost", "never finished", starts { $0.state.isUnfinishedStart }),
      (
        .running, "running", "running",
        page.loads.contains { $0.shownState == .running } ? [window.upperBound] : []
      ),
    ]
    return found.map { ($0, $1, $2, places(of: $0, at: $3)) }
  }

  /// Returns the path of a symbol at several times. Symbols that would overlap are drawn once.
  private func places(of sign: DrawnPath.Sign, at walls: [Int64]) -> DrawnPath {
    var path = DrawnPath()
    for slot in Set(walls.map { Int(x($0) / 6) }).sorted() {
      path.add(sign, min(max(Double(slot) * 6 + 3, frame.left), frame.right), frame.top - 10)
    }
    return path
  }
}
