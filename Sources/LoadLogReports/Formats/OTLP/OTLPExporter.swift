public import LoadLogCore

/// Writes OpenTelemetry's traces as JSON: one document on one line, each load a span of a trace of its own.
///
/// The trace's id is the load's, the span's its second half, both hexadecimal as OTLP says. The service is the owner's
/// app. Failed and succeeded loads have a status; a load that has not ended has no end. What else LoadLog knows stands in
/// attributes that begin with `loadlog.`; unmatched finishes have no place here.
public struct OTLPExporter: LoadExporter {
  private struct Resource: Equatable {
    let app: String, host: String
  }

  private var resource: Resource?

  /// Makes an exporter.
  public init() {}

  /// Appends the head.
  public mutating func begin(into bytes: inout [UInt8]) { bytes.append(text: "{\"resourceSpans\":[") }

  /// Appends a span.
  public mutating func add(_ load: LoadingSession, into bytes: inout [UInt8]) {
    let owner = load.owner.owner
    let resource = Resource(app: owner.app.isEmpty ? "loadlog" : owner.app, host: owner.host)
    if resource != self.resource {
      if self.resource != nil { bytes.append(text: "]}]},") }
      open(resource, &bytes)
      self.resource = resource
    } else {
      bytes.append(UInt8(ascii: ","))
    }
    append(load, to: &bytes)
  }

  /// Appends the foot.
  public mutating func end(into bytes: inout [UInt8]) {
    if resource != nil { bytes.append(text: "]}]}") }
    bytes.append(text: "]}\n")
  }

  private func open(_ resource: Resource, _ bytes: inout [UInt8]) {
    bytes.append(text: "{\"resource\":{\"attributes\":[")
    append("service.name", resource.app, to: &bytes)
    if !resource.host.isEmpty { append("host.name", resource.host, to: &bytes) }
    bytes.append(text: "]},\"scopeSpans\":[{\"scope\":{\"name\":\"loadlog\"},\"spans\":[")
  }

  private func append(_ load: LoadingSession, to bytes: inout [UInt8]) {
    let start = load.started.wall.multipliedClamping(by: 1000)
    let digits = load.id.description.filter { $0 != "-" }
    bytes.append(UInt8(ascii: "{"))
    bytes.append("traceId", text: digits)
    bytes.append("spanId", text: String(digits.suffix(16)))
    bytes.append("name", text: load.feed.name)
    bytes.append("kind", number: 1)
    bytes.append("startTimeUnixNano", text: String(start))
    if load.state.isFinished, let duration = load.duration {
      bytes.append("endTimeUnixNano", text: String(start.addingClamping(duration)))
    }
    bytes.append(text: ",\"attributes\":[")
    for member in OwnFields(load).members { append("loadlog.\(member.name)", member.value, to: &bytes) }
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

  private func append(_ key: String, _ value: String, to bytes: inout [UInt8]) {
    if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(text: "{\"key\":")
    bytes.append(json: key)
    bytes.append(text: ",\"value\":{")
    bytes.append("stringValue", text: value)
    bytes.append(text: "}}")
  }
}
