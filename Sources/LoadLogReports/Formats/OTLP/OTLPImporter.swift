import LoadLogCore
import LoadLogJSON

/// Importer of OpenTelemetry traces as JSON, in one or several documents: each span is a load.
///
/// A load is failed if its status is an error. Without an end time it is abandoned, or running if LoadLog wrote
/// the file. Durations are differences of wall times. The trace id is the load's tag, and the ids of the span and of
/// its parent stand in its message, as `LoadTracer` records them. Ids may be hexadecimal, as OTLP requires, or base64, as protobuf's own JSON writes them. If feeds are named after services, up to
/// 16,384 spans that precede their resource wait for it.
struct OTLPImporter: LoadImporter {
  private var documents: JSONDocuments<OTLPHandler>

  var isFaulty: Bool { documents.isFaulty }
  var bytesRead: Int { documents.bytesRead }

  init(source: FeedSource?) {
    documents = JSONDocuments(
      OTLPHandler(source: source), lacking: "the file is not an OTLP trace: it has no array resourceSpans")
  }

  mutating func read(_ bytes: UnsafeRawBufferPointer, into items: inout [ImportedItem]) {
    documents.read(bytes, into: &items)
  }

  mutating func finish(into items: inout [ImportedItem]) { documents.finish(into: &items) }
}

/// Builds loads from spans.
struct OTLPHandler: RecordHandler {
  enum Field: Int, JSONField {
    case traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano, code, message, key,
      stringValue
  }

  private enum Kind {
    static let group = 0, resourceAttribute = 1, span = 2, spanAttribute = 3
  }

  static let plan = JSONPlan(
    .object([
      "resourceSpans": .required(
        .array(
          .record(
            Kind.group,
            [
              "resource": .object(["attributes": .array(attribute(Kind.resourceAttribute))]),
              "scopeSpans": spans, "instrumentationLibrarySpans": spans,
            ])))
    ]))

  private static let spans = JSONShape.array(
    .object([
      "spans": .array(
        .record(
          Kind.span,
          [
            "traceId": .field(Field.traceId), "spanId": .field(Field.spanId),
            "parentSpanId": .field(Field.parentSpanId), "name": .field(Field.name),
            "startTimeUnixNano": .field(Field.startTimeUnixNano),
            "endTimeUnixNano": .field(Field.endTimeUnixNano),
            "status": .object(["code": .field(Field.code), "message": .field(Field.message)]),
            "attributes": .array(attribute(Kind.spanAttribute)),
          ]))
    ]))

  private static func attribute(_ kind: Int) -> JSONShape {
    .record(kind, ["key": .field(Field.key), "value": .object(["stringValue": .field(Field.stringValue)])])
  }

  var items: [ImportedItem] = []
  private let isByName: Bool
  private var feeds = FeedPool()
  private var service: String?
  private var own = OwnFields()
  private var waiting: [ForeignLoad] = []
  private var waitingBytes = 0
  private static let mostWaiting = 1 << 14, mostWaitingBytes = 1 << 24

  init(source: FeedSource?) { isByName = source != .service }

  mutating func begin(_ kind: Int) {
    switch kind {
    case Kind.group: service = nil
    case Kind.span: own = OwnFields()
    default: break
    }
  }

  mutating func end(_ kind: Int, _ record: JSONRecord) {
    switch kind {
    case Kind.resourceAttribute:
      if record.string(Field.key) == "service.name" { service = record.string(Field.stringValue) }
    case Kind.spanAttribute:
      if let key = record.string(Field.key), key.hasPrefix(Self.prefix),
        let value = record.string(Field.stringValue)
      {
        own.set(key.dropFirst(Self.prefix.count), to: value)
      }
    case Kind.span: take(span: record)
    default: release(record)
    }
  }

  mutating func finish(at position: FilePosition) { release(JSONRecord(count: 0)) }

  /// Prefix of the names of attributes that LoadLog writes.
  static let prefix = "loadlog."
}

extension OTLPHandler {
  /// Name that OpenTelemetry gives a service without one.
  private static let unnamedService = "unknown_service"

  private mutating func take(span record: JSONRecord) {
    do throws(ImportFault) {
      let load = try load(record)
      guard !isByName, service == nil else { return items.append(.load(load)) }
      waitingBytes += load.message?.utf8.count ?? 0
      guard waiting.count < Self.mostWaiting, waitingBytes < Self.mostWaitingBytes else {
        throw record.fault("too many spans precede the name of their service")
      }
      waiting.append(load)
    } catch {
      reject(error)
    }
  }

  private mutating func load(_ record: JSONRecord) throws(ImportFault) -> ForeignLoad {
    guard let name = record.string(Field.name) else { throw record.fault("name is missing") }
    guard let start = try record.number(Field.startTimeUnixNano), start != 0 else {
      throw record.fault("startTimeUnixNano is missing")
    }
    let started = try record.checked(
      ImportedTime(CivilTime.floorDivide(start, by: 1000).quotient), Field.startTimeUnixNano)
    let feed = try feeds.feed(isByName ? name : service ?? Self.unnamedService, of: record)
    let ids = ids(record)
    // LoadLog's own files contain the load's message.
    let message = own.id == nil ? ids.message(name: isByName ? nil : name) : isByName ? nil : name
    var load = ForeignLoad(
      feed: feed, started: started, state: .abandoned, durationSource: .wall,
      message: TextLimit.cut(message), tag: ids.tag, identity: identity(record, ids),
      position: record.filePosition)
    load.adopt(own)
    guard let end = try record.number(Field.endTimeUnixNano), end != 0 else {
      load.leaveOpen(own: own)
      return load
    }
    _ = try record.checked(ImportedTime(CivilTime.floorDivide(end, by: 1000).quotient), Field.endTimeUnixNano)
    let failed = isError(record)
    load.end(
      failed ? .failed : .succeeded, reason: failed ? TextLimit.cut(record.string(Field.message)) : nil,
      after: end >= start ? end - start : nil, own: own)
    return load
  }

  private func isError(_ record: JSONRecord) -> Bool {
    let code = record.written(Field.code)
    return code == "2" || code == "STATUS_CODE_ERROR"
  }

  private func ids(_ record: JSONRecord) -> TraceSpan {
    TraceSpan(
      trace: SpanID.digits(record.string(Field.traceId), bytes: 16),
      span: SpanID.digits(record.string(Field.spanId), bytes: 8),
      parent: SpanID.digits(record.string(Field.parentSpanId), bytes: 8))
  }

  /// Identifies a load by trace and span id, or by start and name if they are invalid.
  private func identity(_ record: JSONRecord, _ ids: TraceSpan) -> LoadIdentity {
    guard let trace = ids.trace, let span = ids.span else {
      return .fields(
        record.hash(.otlp, [Field.traceId, .spanId, .startTimeUnixNano, .name]))
    }
    var hash = StableHash()
    hash.add(field: ImportFormat.otlp.rawValue)
    hash.add(field: trace)
    hash.add(field: span)
    return .unique(hash)
  }

  /// Appends the spans that were waiting for the name of their service.
  private mutating func release(_ record: JSONRecord) {
    for var load in waiting {
      do throws(ImportFault) {
        load.feed = try feeds.feed(service ?? Self.unnamedService, of: record)
        items.append(.load(load))
      } catch {
        reject(ImportFault(at: load.position, error.cause))
      }
    }
    waiting.removeAll(keepingCapacity: true)
    waitingBytes = 0
  }
}
