import LoadLogCore

/// Chart of the number of loads open at the same time on the last day, with failed, unfinished and running
/// loads.
struct DepthChart {
  let page: LoadPage
  let window: Range<Int64>
  let time: LocalTime
  /// Wall time in microseconds at which the report was generated.
  let now: Int64
  private let frame = ChartFrame()

  init(_ page: LoadPage, window: Range<Int64>, time: LocalTime, now: Int64) {
    self.page = page
    self.window = window
    self.time = time
    self.now = now
  }

  /// Returns the chart, with `name` as its id on the page.
  func chart(_ name: String) -> Chart {
    Chart(
      name, caption: "Loads open at once, \(span)", summary: summary,
      keys: signs.filter { !$0.places.data.isEmpty }.map { .sign($0.sign, $0.style, $0.word) }, frame: frame,
      drawing: page.loads.isEmpty ? "" : drawing)
  }

  /// Time range of the chart: "last 24 hours, CET" if it ends now, otherwise its start and end.
  private var span: String {
    let zone = time.abbreviation(window.upperBound)
    guard window.upperBound != now || window.count < UTCDay.length else { return "last 24 hours, \(zone)" }
    func moment(_ wall: Int64) -> String { "\(time.shortDate(wall)) \(time.minute(wall))" }
    return "\(moment(window.lowerBound)) – \(moment(window.upperBound)), \(zone)"
  }

  /// Note that not all loads are drawn; nil if they are.
  var remark: String? {
    guard page.total > page.loads.count else { return nil }
    return "The timeline shows the newest \(Words.count(page.loads.count)) of the day’s "
      + "\(Words.count(page.total, "load")), starting at \(time.minute(earliest))."
  }

  /// Wall time in microseconds from which the page of loads is complete.
  private var earliest: Int64 {
    guard page.total > page.loads.count, let oldest = page.loads.map(\.started.wall).min() else {
      return window.lowerBound
    }
    return min(max(oldest, window.lowerBound), window.upperBound)
  }

  private var summary: String {
    guard !page.loads.isEmpty else { return "No loads were open in this period." }
    let counts = [
      (page.loads.count { $0.state == .failed }, "failed"),
      (page.loads.count { $0.state.isUnfinishedStart }, "never finished"),
      (page.loads.count { $0.state == .running }, "still running"),
    ].filter { $0.0 > 0 }.map { "\(Words.count($0.0)) \($0.1)" }
    let what = ([Words.count(page.total, "load")] + counts).joined(separator: ", ")
    return "\(what); at most \(Words.count(depths.max() ?? 0)) open at once."
  }

  private func x(_ wall: Int64) -> Double {
    let share = Double(wall.subtractingClamping(window.lowerBound)) / Double(max(window.count, 1))
    return frame.left + min(max(share, 0), 1) * frame.width
  }

  /// Maximum depth in each column of the plot, one per user unit of its width.
  private var depths: [Int] {
    let columns = Int(frame.width)
    var depths = [Int](repeating: 0, count: columns)
    let width = Double(max(window.count, 1)) / Double(columns)
    func column(_ wall: Int64) -> Int {
      let column = Double(wall.subtractingClamping(window.lowerBound)) / width
      return Int(min(max(column, 0), Double(columns - 1)))
    }
    func record(_ span: DepthSweep.Span) {
      guard span.end > window.lowerBound, span.start < window.upperBound else { return }
      for index in column(span.start)...column(span.end - 1) {
        depths[index] = max(depths[index], span.open.count)
      }
    }
    var sweep = DepthSweep()
    for (key, load) in page.loads.sorted(by: { $0.started.wall < $1.started.wall }).enumerated() {
      sweep.add(.init(key: Int64(key), start: load.started.wall, end: end(of: load)), report: record)
    }
    sweep.advance(to: window.upperBound, report: record)
    return depths
  }

  /// End of a load, at least one microsecond after its start, so that a load without duration is visible.
  private func end(of load: LoadingSession) -> Int64 {
    let length = max((load.duration ?? load.openAtLeast) / 1000, 1)
    return load.started.wall.addingClamping(length)
  }

  private var drawing: String {
    var drawing = Drawing()
    let depths = depths
    let ticks = CountTicks.values(reaching: depths.max() ?? 0)
    let height = frame.height / Double(ticks.last ?? 1)
    frame.drawVerticalAxis(
      ticks.map { (frame.bottom - Double($0) * height, CountTicks.label($0)) }, unit: "open", in: &drawing)
    drawing.add(area(depths, height), "depth")
    frame.drawHorizontalAxis(hours, in: &drawing)
    if earliest > window.lowerBound {
      var edge = DrawnPath()
      edge.move(x(earliest), frame.top - 12)
      edge.vertical(frame.bottom)
      drawing.add(edge, "edge", title: "Earlier loads are not drawn.")
    }
    for sign in signs { drawing.add(sign.places, sign.style, title: sign.word) }
    return drawing.markup
  }

  private func area(_ depths: [Int], _ height: Double) -> DrawnPath {
    var path = DrawnPath()
    var before = 0
    for (index, depth) in (depths + [0]).enumerated() where depth != before {
      let (x, y) = (frame.left + Double(index), frame.bottom - Double(depth) * height)
      if before == 0 { path.move(x, frame.bottom) } else { path.horizontal(x) }
      path.vertical(y)
      if depth == 0 { path.close() }
      before = depth
    }
    return path
  }

  private var signs: [(sign: DrawnPath.Sign, style: String, word: String, places: DrawnPath)] {
    func starts(_ isMeant: (LoadingSession) -> Bool) -> [Int64] {
      page.loads.filter(isMeant).map { max($0.started.wall, window.lowerBound) }
    }
    let found: [(DrawnPath.Sign, String, String, [Int64])] = [
      (.failed(share: 0.5), "failed", "failed", page.loads.filter { $0.state == .failed }.map(end)),
      (.lost, "lost", "never finished", starts { $0.state.isUnfinishedStart }),
      (
        .running, "running", "running",
        page.loads.contains { $0.state == .running } ? [window.upperBound] : []
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

  /// Ticks at every sixth hour of the local day. They are searched in steps of 15 minutes, because the
  /// offsets of zones are multiples of that.
  private var hours: [(x: Double, label: String)] {
    let quarter: Int64 = 900_000_000
    let first = CivilTime.floorDivide(window.lowerBound.addingClamping(quarter - 1), by: quarter).quotient
    let last = CivilTime.floorDivide(window.upperBound, by: quarter).quotient
    guard first <= last else { return [] }
    return (first...last).map { ($0 * quarter, time.minute($0 * quarter)) }
      .filter { ["00:00", "06:00", "12:00", "18:00"].contains($0.1) }
      .map { (x($0.0), $0.1) }
  }
}
