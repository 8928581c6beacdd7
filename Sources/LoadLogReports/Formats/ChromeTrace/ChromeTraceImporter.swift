import LoadLogCore
import LoadLogJSON

/// Importer of the Trace Event Format: an array of events, or an object with `traceEvents`.
///
/// An X event is a load. A B and an E event form a load if thread and name are equal; an E without a name
/// ends the newest B of its thread. A b and an e event form a load if category, id, scope and name are equal,
/// and so do S and F. Events are processed in file order. The format has no verdicts, so loads are `ended`; a
/// start without an end is abandoned, or running if LoadLog wrote it so; an end without a start is an orphan.
/// Metadata events (M) name processes and threads and are ignored. Events of other phases are skipped and
/// counted. An array may lack its closing bracket.
///
/// At most 16,384 starts wait for their end. When there are more, the oldest becomes abandoned, and the
/// importer reports how many at the end of the file.
struct ChromeTraceImporter: LoadImporter {
  private var documents: JSONDocuments<ChromeTraceHandler>

  var isFaulty: Bool { documents.isFaulty }
  var bytesRead: Int { documents.bytesRead }
  /// Whether some times were relative to an epoch.
  var hasRelativeTimes: Bool { documents.handler.hasRelativeTimes }

  init(source: FeedSource?, epoch: Int64?) {
    documents = JSONDocuments(
      ChromeTraceHandler(source: source, epoch: epoch),
      lacking:
        "the file is not a Chrome trace: it is neither an array nor an object with an array traceEvents",
      mayStayOpen: true)
  }

  mutating func read(_ bytes: UnsafeRawBufferPointer, into items: inout [ImportedItem]) {
    documents.read(bytes, into: &items)
  }

  mutating func finish(into items: inout [ImportedItem]) { documents.finish(into: &items) }
}

/// Builds loads from events.
struct ChromeTraceHandler: RecordHandler {
  enum Field: Int, JSONField {
    case ph, ts, dur, pid, tid, name, cat, id, scope, local, global
    case ownID, ownState, ownKind, ownReason, ownMessage, ownTag, ownCallSite, ownDurationSource
  }

  static let plan = JSONPlan(
    .required(.either(array: event, object: ["traceEvents": .required(.array(event))])))

  private static let event = JSONShape.record(
    0,
    [
      "ph": .field(Field.ph), "ts": .field(Field.ts), "dur": .field(Field.dur), "pid": .field(Field.pid),
      "tid": .field(Field.tid), "name": .field(Field.name), "cat": .field(Field.cat), "id": .field(Field.id),
      "scope": .field(Field.scope),
      "id2": .object(["local": .field(Field.local), "global": .field(Field.global)]),
      "args": .object([
        "loadlog": .object([
          "id": .field(Field.ownID), "state": .field(Field.ownState), "kind": .field(Field.ownKind),
          "reason": .field(Field.ownReason), "message": .field(Field.ownMessage), "tag": .field(Field.ownTag),
          "call_site": .field(Field.ownCallSite), "duration_source": .field(Field.ownDurationSource),
        ])
      ]),
    ])

  private struct Start {
    var load: ForeignLoad
    /// Wall time in nanoseconds.
    var started: Int64

    /// The load without an end. It is unfinished even if LoadLog wrote a verdict: an end follows each of these, so the
    /// file was cut between the two.
    var openLoad: ForeignLoad {
      var load = load
      if load.state.isFinished { load.leaveOpen(own: OwnFields()) }
      return load
    }
  }

  var items: [ImportedItem] = []
  private let isByName: Bool
  private let epoch: Int64?
  private var feeds = FeedPool()
  private var open = OpenPairs<Start>()
  /// Number of starts abandoned because too many were open, and the first event that displaced one.
  private var surplus = 0, firstSurplus: FilePosition?
  /// Set by a relative time without an epoch; reading ends, because later events have the same problem.
  private var needsEpoch = false
  private(set) var hasRelativeTimes = false
  /// Numbers of skipped events by the ASCII code of their phase; the last element counts all other phases.
  private var skipped = [Int](repeating: 0, count: 129)

  init(source: FeedSource?, epoch: Int64?) {
    isByName = source != .category
    self.epoch = epoch
  }

  mutating func end(_ kind: Int, _ record: JSONRecord) throws(ImportFault) {
    do throws(ImportFault) {
      guard record.kind(Field.ph) == .string else { throw record.fault("ph is missing") }
      let phase = record.withBytes(Field.ph) { bytes in bytes?.count == 1 ? bytes?.first : nil } ?? 0
      switch phase {
      case UInt8(ascii: "X"): try take(complete: record)
      case UInt8(ascii: "B"), UInt8(ascii: "b"), UInt8(ascii: "S"): try take(start: record, phase)
      case UInt8(ascii: "E"), UInt8(ascii: "e"), UInt8(ascii: "F"): try take(end: record, phase)
      case UInt8(ascii: "M"): break
      default: skipped[phase > 0x20 && phase < 0x7F ? Int(phase) : 128] += 1
      }
    } catch {
      if needsEpoch { throw error }
      reject(error)
    }
  }

  mutating func finish(at position: FilePosition) {
    items.reserveCapacity(items.count + open.count)
    while let start = open.takeOldest() { items.append(.load(start.openLoad)) }
    for (phase, count) in skipped.enumerated() where count > 0 {
      let name = phase == 128 ? "of unknown type" : "\(Unicode.Scalar(UInt8(phase)))"
      items.append(.skipped(cause: "phase \(name)", count: count))
    }
    if let first = firstSurplus {
      let oldest = surplus == 1 ? "oldest was" : "\(surplus) oldest were"
      let cause = "too many loads were open at the same time from here on; the \(oldest) abandoned"
      reject(ImportFault(at: first, cause))
    }
  }
}

extension ChromeTraceHandler {
  private mutating func take(complete record: JSONRecord) throws(ImportFault) {
    let started = try time(record)
    var load = try load(record, started: started)
    var duration = try record.number(Field.dur, power: 3)
    if let known = duration {
      if known < 0 { duration = nil }
      if !ImportedTime.isPossible(max(0, known), after: load.started) {
        throw record.fault(Field.dur, "is too long")
      }
    }
    load.end(.ended, after: duration, own: own(record))
    items.append(.load(load))
  }

  private mutating func take(start record: JSONRecord, _ phase: UInt8) throws(ImportFault) {
    let started = try time(record)
    let keys = pairKeys(record, phase)
    var load = try load(record, started: started)
    let own = own(record)
    load.leaveOpen(own: own)
    // LoadLog writes no end of such a load.
    if own.id != nil, own.state?.isFinished == false { return items.append(.load(load)) }
    let texts = [load.feed.name, load.message, load.tag, load.reason, load.callSite]
    open.open(
      Start(load: load, started: started), group: keys.group, name: keys.name,
      bytes: texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) })
    while let start = open.takeSurplus() {
      surplus += 1
      firstSurplus = firstSurplus ?? record.filePosition
      items.append(.load(start.openLoad))
    }
  }

  private mutating func take(end record: JSONRecord, _ phase: UInt8) throws(ImportFault) {
    let ended = try time(record)
    let keys = pairKeys(record, phase)
    let hasName = record.written(Field.name)?.isEmpty == false
    var own = own(record)
    guard var start = hasName ? open.close(name: keys.name) : open.close(group: keys.group) else {
      let feed = record.written(isByName ? Field.name : Field.cat)
      items.append(
        .orphan(
          ForeignFinish(
            kind: own.kind ?? .orphanFinish,
            feed: try feed.map { name throws(ImportFault) in try feeds.feed(name, of: record) },
            at: ended / 1000, callSite: own.callSite, identity: own.id.map { .id($0) } ?? identity(record),
            position: record.filePosition)))
      return
    }
    if own.state == nil, start.load.state.isFinished {
      (own.state, own.reason) = (start.load.state, start.load.reason)
    }
    let (duration, overflow) = ended.subtractingReportingOverflow(start.started)
    start.load.end(.ended, after: duration >= 0 && !overflow ? duration : nil, own: own)
    items.append(.load(start.load))
  }

  private mutating func load(_ record: JSONRecord, started: Int64) throws(ImportFault) -> ForeignLoad {
    let field = isByName ? Field.name : Field.cat
    guard let name = record.written(field) else { throw record.fault("\(field.name) is missing") }
    var load = ForeignLoad(
      feed: try feeds.feed(name, of: record), started: started / 1000, state: .abandoned,
      message: isByName ? nil : TextLimit.cut(record.written(Field.name)),
      tag: isByName ? TextLimit.cut(record.written(Field.cat), to: TextLimit.tag) : nil,
      identity: identity(record), position: record.filePosition)
    load.adopt(own(record))
    return load
  }

  /// Returns the wall time of an event in nanoseconds. Values below 10^15 microseconds count from the epoch, except in
  /// events that LoadLog wrote.
  private mutating func time(_ record: JSONRecord) throws(ImportFault) -> Int64 {
    guard let written = try record.number(Field.ts, power: 3) else { throw record.fault("ts is missing") }
    guard written < 1_000_000_000_000_000_000, record.kind(Field.ownID) == nil else {
      return try checked(written, record)
    }
    guard let epoch else {
      needsEpoch = true
      throw record.fault(Field.ts, "is relative to a time that the file does not contain; use --epoch TIME")
    }
    hasRelativeTimes = true
    return try checked(epoch.multipliedClamping(by: 1000).addingClamping(written), record)
  }

  private func checked(_ time: Int64, _ record: JSONRecord) throws(ImportFault) -> Int64 {
    _ = try record.checked(ImportedTime(CivilTime.floorDivide(time, by: 1000).quotient), Field.ts)
    return time
  }

  private func identity(_ record: JSONRecord) -> LoadIdentity {
    .fields(
      record.hash(
        .chromeTrace, [Field.ph, .pid, .tid, .cat, .name, .id, .scope, .local, .global, .ts]))
  }

  /// Returns hashes of the fields that a start and its end have in common, without and with the name.
  private func pairKeys(_ record: JSONRecord, _ phase: UInt8) -> (group: UInt128, name: UInt128) {
    var hash: StableHash
    switch phase {
    case UInt8(ascii: "B"), UInt8(ascii: "E"): hash = record.hash(.chromeTrace, [Field.pid, .tid])
    default:
      let isLocal = record.kind(Field.local) != nil
      hash = record.hash(
        .chromeTrace, [Field.cat, .id, .global, .scope] + (isLocal ? [Field.local, .pid] : []))
      hash.add(bytes: CollectionOfOne(phase == UInt8(ascii: "S") || phase == UInt8(ascii: "F") ? 1 : 0))
    }
    let group = hash.value
    record.withBytes(Field.name) { hash.add(field: $0) }
    return (group, hash.value)
  }

  private func own(_ record: JSONRecord) -> OwnFields {
    var own = OwnFields()
    let fields: [(StaticString, Field)] = [
      ("id", .ownID), ("state", .ownState), ("kind", .ownKind), ("reason", .ownReason),
      ("message", .ownMessage), ("tag", .ownTag), ("call_site", .ownCallSite),
      ("duration_source", .ownDurationSource),
    ]
    for (name, field) in fields {
      if let value = record.string(field) { own.set("\(name)", to: value) }
    }
    return own
  }
}
