import LoadLogCore
import LoadLogJSON

extension ImportFormat {
  /// Detects a format from the first bytes of a file; nil if they do not show it.
  public init?(head: [UInt8]) {
    var finder = FormatFinder()
    var tokenizer = JSONTokenizer()
    // The head is usually cut inside a value: what was read before a fault is all there is to go by.
    try? head.withUnsafeBufferPointer { bytes throws(JSONFault) in try tokenizer.read(bytes, into: &finder)
    }
    guard let format = finder.format else { return nil }
    self = format
  }
}

/// Looks for a top-level key that only one format has; a top-level array is a Chrome trace.
private struct FormatFinder: JSONSink {
  private(set) var format: ImportFormat?
  private var depth = 0

  mutating func wants(_ kind: JSONKind, at position: JSONPosition) -> Bool {
    if depth == 0, kind == .array { format = format ?? .chromeTrace }
    return depth == 0 && kind == .object
  }

  mutating func scalar(_ kind: JSONKind, bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) {}

  mutating func open(_ kind: JSONKind) { depth += 1 }

  mutating func key(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard format == nil else { return }
    switch String(decoding: bytes, as: UTF8.self) {
    case "log": format = .har
    case "traceEvents": format = .chromeTrace
    case "resourceSpans": format = .otlp
    case "event": format = .ndjson
    default: break
    }
  }

  mutating func close() { depth -= 1 }
}
