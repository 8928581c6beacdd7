/// The position of a span in a distributed trace, as the headers of W3C Trace Context carry it
/// (https://www.w3.org/TR/trace-context/).
package struct TraceParent: Sendable, Hashable {
  /// The id of the trace; never 0.
  package let trace: UInt128
  /// The id of the span; never 0.
  package let span: UInt64
  /// The flags that may be propagated: 1 for sampled, 2 for a random trace id.
  package let flags: UInt8
  /// The value of the header `tracestate`, which belongs to other tracers and is passed on as it is.
  package let state: String?

  /// Starts a trace, which may be sampled and has a random id.
  package init() {
    self.init(trace: .random(in: 1 ... .max), span: .random(in: 1 ... .max), flags: 3, state: nil)
  }

  private init(trace: UInt128, span: UInt64, flags: UInt8, state: String?) {
    self.trace = trace
    self.span = span
    self.flags = flags
    self.state = state
  }

  /// Parses the header `traceparent`; nil if it is not valid. Accepts versions after 00, of which it reads the fields
  /// that version 00 has.
  package init?(_ header: String, state: String? = nil) {
    let parts = header.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, let version = Self.number(parts[0], as: UInt8.self), version != 0xFF,
      version != 0 || parts.count == 4,
      let trace = Self.number(parts[1], as: UInt128.self), trace != 0,
      let span = Self.number(parts[2], as: UInt64.self), span != 0,
      let flags = Self.number(parts[3], as: UInt8.self)
    else { return nil }
    self.init(trace: trace, span: span, flags: flags & 3, state: state)
  }

  /// The header `traceparent`.
  package var header: String {
    "00-\(trace.hexDigits)-\(span.hexDigits)-\(flags.hexDigits)"
  }

  /// Returns a new span in the same trace.
  package func child() -> TraceParent {
    TraceParent(trace: trace, span: .random(in: 1 ... .max), flags: flags, state: state)
  }

  /// Parses as many hexadecimal digits as the number has, in lower case; nil for any other text.
  private static func number<Number: FixedWidthInteger>(
    _ digits: Substring, as type: Number.Type
  ) -> Number? {
    guard digits.utf8.count == Number.bitWidth / 4,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return Number(digits, radix: 16)
  }
}
