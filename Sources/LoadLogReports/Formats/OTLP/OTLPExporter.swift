import LoadLogCore

/// Writer of OpenTelemetry traces as JSON: one document on one line, in which each load is a span.
///
/// A load that was a span keeps the ids of its trace, its span and its parent. Any other load is the only span of its
/// trace: the trace id is the load's id, the span id its second half. Ids are hexadecimal, as OTLP requires. The service
/// is the owner's app. Succeeded, unchanged and failed loads have a status; an unfinished load has no end time. LoadLog's
/// other fields are attributes whose names start with `loadlog.`. Unmatched finishes are left out.
struct OTLPExporter: LoadExporter {
  private struct Resource: Equatable {
    let app: String, host: String
  }

  private var resource: Resource?

  mutating func begin(into bytes: inout [UInt8]) { bytes.append(text: "{\"resourceSpans\":[") }

  mutating func add(_ load: LoadingSession, into bytes: inout [UInt8]) {
    let owner = load.owner.owner
    let resource = Resource(app: owner.app.isEmpty ? "loadlog" : owner.app, host: owner.host)
    if resource != self.resource {
      if self.resource != nil { bytes.append(text: "]}]},") }
      open(resource, in: &bytes)
      self.resource = resource
    } else {
      bytes.append(UInt8(ascii: ","))
    }
    append(load, to: &bytes)
  }

  mutating func end(into bytes: inout [UInt8]) {
    if resource != nil { bytes.append(text: "]}]}") }
    bytes.append(text: "]}\n")
  }

  private func open(_ resource: Resource, in bytes: inout [UInt8]) {
    bytes.append(text: "{\"resource\":{\"attributes\":[")
    append("service.name", value: resource.app, to: &bytes)
    if !resource.host.isEmpty { append("host.name", value: resource.host, to: &bytes) }
    bytes.append(text: "]},\"scopeSpans\":[{\"scope\":{\"name\":\"loadlog\"},\"spans\":[")
  }

  private func append(_ load: LoadingSession, to bytes: inout [UInt8]) {
    let start = load.started.wall.multipliedClamping(by: 1000)
    let digits = load.id.description.filter { $0 != "-" }
    let ids = TraceSpan(tag: load.tag, message: load.message)
    bytes.append(UInt8(ascii: "{"))
    bytes.append("traceId", text: ids?.trace ?? digits)
    bytes.append("spanId", text: ids?.span ?? String(digits.suffix(16)))
    bytes.append("parentSpanId", ifAny: ids?.parent)
    bytes.append("name", text: load.feed.name)
    bytes.append("kind", number: 1)
    bytes.append("startTimeUnixNano", text: String(start))
    if load.state.isFinished, let duration = load.duration {
      bytes.append("endTimeUnixNano", text: String(start.addingClamping(duration)))
    }
    bytes.append(text: ",\"attributes\":[")
    for member in OwnFields(load).members {
      append("loadlog.\(member.name)", value: member.value, to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
    appendStatus(load, to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  private func appendStatus(_ load: LoadingSession, to bytes: inout [UInt8]) {
    switch load.state {
    case .succeeded, .unchanged: bytes.append(text: ",\"status\":{\"code\":1}")
    case .failed:
      bytes.append(text: ",\"status\":{\"code\":2")
      bytes.append("message", ifAny: load.reason)
      bytes.append(UInt8(ascii: "}"))
    default: break
    }
  }

  private func append(_ key: String, value: String, to bytes: inout [UInt8]) {
    if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(text: "{\"key\":")
    bytes.append(json: key)
    bytes.append(text: ",\"value\":{")
    bytes.append("stringValue", text: value)
    bytes.append(text: "}}")
  }
}
