/// How a load keeps the ids of a span of a distributed trace: the trace id is its tag, the ids of the span and of its
/// parent stand in its message.
package struct TraceSpan: Sendable, Hashable {
  /// The trace id, 32 hexadecimal digits in lower case; nil if it is unknown.
  package let trace: String?
  /// The span id, 16 hexadecimal digits in lower case; nil if it is unknown.
  package let span: String?
  /// The id of the parent span; nil for the first span of a trace.
  package let parent: String?

  package init(trace: String?, span: String?, parent: String?) {
    self.trace = trace
    self.span = span
    self.parent = parent
  }

  /// Creates the ids of a span and of its parent.
  package init(_ place: TraceParent, parent: TraceParent?) {
    trace = place.trace.hexDigits
    span = place.span.hexDigits
    self.parent = parent?.span.hexDigits
  }

  /// Finds the ids in the texts of a load; nil if its tag is not a trace id, or its message has no span id.
  package init?(tag: String?, message: String?) {
    guard let tag, (try? Self.traceID(tag)) == tag, let message else { return nil }
    let words = message.split { " ,()".contains($0) }
    func id(after word: String) -> String? {
      guard let index = words.lastIndex(of: word[...]), index + 1 < words.count else { return nil }
      let id = words[index + 1]
      return id.utf8.count == 16 && id.allSatisfy(\.isHexDigit) ? String(id) : nil
    }
    guard let span = id(after: "span") else { return nil }
    self.init(trace: tag, span: span, parent: id(after: "parent"))
  }

  /// The tag of the load.
  package var tag: String? { trace }

  /// Returns the message of the load: `span b7ad6b7169203331, parent 00f067aa0ba902b7`.
  ///
  /// - Parameter name: the name of the span, if it is not the name of the feed; then the ids follow it in parentheses.
  package func message(name: String?) -> String? {
    let ids = [span.map { "span \($0)" }, parent.map { "parent \($0)" }].compactMap(\.self)
    guard let name else { return ids.isEmpty ? nil : ids.joined(separator: ", ") }
    return ids.isEmpty ? name : "\(name) (\(ids.joined(separator: ", ")))"
  }

  /// Returns the trace id of a text that a person gave: the id itself, in upper or lower case, or the header
  /// `traceparent`.
  ///
  /// - Throws: `invalidInput` if the text is neither.
  package static func traceID(_ text: String) throws(LoadLogError) -> String {
    let id = text.lowercased()
    if let place = TraceParent(id) ?? TraceParent("00-\(id)-0000000000000001-00") {
      return place.trace.hexDigits
    }
    throw LoadLogError(
      .invalidInput, what: "trace id", value: text, why: "it does not have 32 hexadecimal digits",
      advice: "Give the trace id, or the whole traceparent header.")
  }
}
