public import LoadLogCore

/// Writes the Trace Event Format, which Perfetto and `chrome://tracing` open.
///
/// Each feed is a track. A load that has ended is a complete event (X) on it; one that begins while another of its feed
/// still runs, which no track can show, is a pair of asynchronous events (b, e) with its id. A load that has not ended is
/// a b without e, an unmatched finish an e without b: asynchronous too, so that no other event is taken for their partner.
/// Times are microseconds since 1970, to the nanosecond; a load from before 9 September 2001 would be read as relative.
/// What else LoadLog knows stands in `args.loadlog`.
public struct ChromeTraceExporter: LoadExporter {
  private struct Track {
    let number: Int64
    /// When its last event ends, wall time in nanoseconds.
    var end = Int64.min
  }

  private var tracks: [String: Track] = [:]

  /// Makes an exporter.
  public init() {}

  /// Appends the head.
  public mutating func begin(into bytes: inout [UInt8]) {
    bytes.append(
      text: """
        {"displayTimeUnit":"ms","traceEvents":[
        {"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"LoadLog"}}
        """)
  }

  /// Appends the events of a load.
  public mutating func add(_ load: LoadingSession, into bytes: inout [UInt8]) {
    let start = load.started.wall.multipliedClamping(by: 1000)
    let own = OwnFields(load)
    guard load.state.isFinished else { return append("b", load.feed, start, own, to: &bytes) }
    let end = start.addingClamping(load.duration ?? 0)
    var track = track(load.feed, &bytes)
    guard track.end <= start else {
      append("b", load.feed, start, own, to: &bytes)
      return append("e", load.feed, end, OwnFields(id: load.id), to: &bytes)
    }
    track.end = end
    tracks[load.feed.name] = track
    open("X", start, track.number, &bytes)
    if let duration = load.duration {
      bytes.append(key: "dur")
      bytes.append(thousandths: duration)
    }
    close(load.feed, own, &bytes)
  }

  /// Appends an end without a beginning.
  public mutating func add(_ unmatched: Imbalance, into bytes: inout [UInt8]) {
    guard case .unmatchedFinish(let kind) = unmatched.kind else { return }
    var own = OwnFields(id: unmatched.id)
    own.kind = kind
    own.callSite = unmatched.callSite
    append("e", unmatched.feed, unmatched.at.multipliedClamping(by: 1000), own, to: &bytes)
  }

  /// Appends the foot.
  public mutating func end(into bytes: inout [UInt8]) { bytes.append(text: "\n]}\n") }

  private mutating func track(_ feed: Feed, _ bytes: inout [UInt8]) -> Track {
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
    _ phase: StaticString, _ feed: Feed?, _ time: Int64, _ own: OwnFields, to bytes: inout [UInt8]
  ) {
    open(phase, time, 0, &bytes)
    bytes.append("id", id: own.id)
    close(feed, own, &bytes)
  }

  private func open(_ phase: StaticString, _ time: Int64, _ track: Int64, _ bytes: inout [UInt8]) {
    bytes.append(text: ",\n{\"ph\":\"")
    bytes.append(text: phase)
    bytes.append(text: "\",\"cat\":\"load\",\"pid\":1")
    bytes.append("tid", number: track)
    bytes.append(key: "ts")
    bytes.append(thousandths: time)
  }

  private func close(_ feed: Feed?, _ own: OwnFields, _ bytes: inout [UInt8]) {
    bytes.append("name", ifAny: feed?.name)
    bytes.append(text: ",\"args\":{\"loadlog\":{")
    for member in own.members { bytes.append(member.name, text: member.value) }
    bytes.append(text: "}}}")
  }
}
