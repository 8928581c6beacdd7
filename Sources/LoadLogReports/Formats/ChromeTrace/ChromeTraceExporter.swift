import LoadLogCore

/// Writer of the Trace Event Format, which Perfetto and `chrome://tracing` open.
///
/// Each feed is a track. A finished load is a complete event (X) on its track, unless it overlaps the
/// previous load on it: a track cannot show overlapping events, so the load becomes a pair of asynchronous
/// events (b, e) with its id. A load of unknown duration always is an X, without `dur`: a pair would have one. An unfinished load is a b without an e, and an unmatched finish an e without a
/// b; they are asynchronous so that a viewer does not pair them with other events. Times are microseconds
/// since 1970, with nanosecond precision. LoadLog's other fields are in `args.loadlog`.
struct ChromeTraceExporter: LoadExporter {
  private struct Track {
    let number: Int64
    /// End of the track's last event, wall time in nanoseconds.
    var end = Int64.min
  }

  private var tracks: [String: Track] = [:]

  mutating func begin(into bytes: inout [UInt8]) {
    bytes.append(
      text: """
        {"displayTimeUnit":"ms","traceEvents":[
        {"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"LoadLog"}}
        """)
  }

  mutating func add(_ load: LoadingSession, into bytes: inout [UInt8]) {
    let start = load.started.wall.multipliedClamping(by: 1000)
    let own = OwnFields(load)
    guard load.state.isFinished else { return append("b", of: load.feed, at: start, own, to: &bytes) }
    let end = start.addingClamping(load.duration ?? 0)
    var track = track(of: load.feed, into: &bytes)
    guard track.end <= start || load.duration == nil else {
      append("b", of: load.feed, at: start, own, to: &bytes)
      return append("e", of: load.feed, at: end, OwnFields(id: load.id), to: &bytes)
    }
    track.end = max(track.end, end)
    tracks[load.feed.name] = track
    open("X", at: start, track: track.number, to: &bytes)
    if let duration = load.duration {
      bytes.append(key: "dur")
      bytes.append(thousandths: duration)
    }
    close(load.feed, own, to: &bytes)
  }

  mutating func add(_ unmatched: Imbalance, into bytes: inout [UInt8]) {
    guard case .unmatchedFinish(let kind) = unmatched.kind else { return }
    var own = OwnFields(id: unmatched.id)
    own.kind = kind
    own.callSite = unmatched.callSite
    append("e", of: unmatched.feed, at: unmatched.at.multipliedClamping(by: 1000), own, to: &bytes)
  }

  mutating func end(into bytes: inout [UInt8]) { bytes.append(text: "\n]}\n") }

  private mutating func track(of feed: Feed, into bytes: inout [UInt8]) -> Track {
    if let track = tracks[feed.name] { return track }
    let track = Track(number: Int64(tracks.count + 1))
    tracks[feed.name] = track
    bytes.append(text: ",\n{\"ph\":\"M\",\"pid\":1")
    bytes.append("tid", number: track.number)
    bytes.append(text: ",\"name\":\"thread_name\",\"args\":{")
    bytes.append("name", text: feed.name)
    bytes.append(text: "}}")
    return track
  }

  private func append(
    _ phase: StaticString, of feed: Feed?, at time: Int64, _ own: OwnFields, to bytes: inout [UInt8]
  ) {
    open(phase, at: time, track: 0, to: &bytes)
    bytes.append("id", id: own.id)
    close(feed, own, to: &bytes)
  }

  private func open(_ phase: StaticString, at time: Int64, track: Int64, to bytes: inout [UInt8]) {
    bytes.append(text: ",\n{\"ph\":\"")
    bytes.append(text: phase)
    bytes.append(text: "\",\"cat\":\"load\",\"pid\":1")
    bytes.append("tid", number: track)
    bytes.append(key: "ts")
    bytes.append(thousandths: time)
  }

  private func close(_ feed: Feed?, _ own: OwnFields, to bytes: inout [UInt8]) {
    bytes.append("name", ifAny: feed?.name)
    bytes.append(text: ",\"args\":{\"loadlog\":{")
    for member in own.members { bytes.append(member.name, text: member.value) }
    bytes.append(text: "}}}")
  }
}
