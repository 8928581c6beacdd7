extension JSONTokenizer {
  /// Reads white space, brackets, commas and colons, and the first byte of what stands between them.
  @inlinable
  mutating func readStructure<Sink: JSONSink>(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: inout Int, into sink: inout Sink
  ) throws(JSONFault) {
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0x20, 0x09, 0x0D:
        index += 1
        continue
      case 0x0A:
        newLine(index)
        index += 1
        continue
      default: break
      }
      switch state {
      case .afterValue: try readSeparator(byte, at: index, into: &sink)
      case .colon:
        guard byte == UInt8(ascii: ":") else { throw unexpected(byte, at: index, expected: "a colon") }
        state = .value
      case .firstKey where byte == UInt8(ascii: "}"): endContainer(at: index, into: &sink)
      case .firstElement where byte == UInt8(ascii: "]"): endContainer(at: index, into: &sink)
      case .firstKey, .key:
        guard byte == UInt8(ascii: "\"") else {
          throw unexpected(byte, at: index, expected: "a key in quotation marks")
        }
        beginText(isKey: true, isWanted: wantedDepth == levels.depth)
      default:
        try beginValue(byte, at: index, into: &sink)
      }
      // The first byte of a number or word is read again with the rest of it.
      if state == .number || state == .word { return }
      index += 1
      if state == .string { return }
    }
  }

  /// Ends a value.
  @inlinable
  mutating func endValue() { state = levels.depth == 0 ? .value : .afterValue }

  @inlinable
  mutating func beginValue<Sink: JSONSink>(
    _ byte: UInt8, at index: Int, into sink: inout Sink
  ) throws(JSONFault) {
    let kind: JSONKind
    switch byte {
    case UInt8(ascii: "\""): kind = .string
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): kind = .number
    case UInt8(ascii: "{"): kind = .object
    case UInt8(ascii: "["): kind = .array
    default:
      guard let word = JSONWord(byte) else { throw unexpected(byte, at: index, expected: "a value") }
      self.word = word
      kind = word.kind
    }
    isWanted = wantedDepth == levels.depth && sink.wants(kind, at: position(index))
    switch kind {
    case .string: beginText(isKey: false, isWanted: isWanted)
    case .number: beginNumber()
    case .object, .array:
      guard levels.push(isObject: kind == .object) else {
        throw fault(at: index, "more than \(JSONTokenizer.deepest) values are nested")
      }
      state = kind == .object ? .firstKey : .firstElement
      guard isWanted else { return }
      wantedDepth = levels.depth
      sink.open(kind)
    default:
      state = .word
      progress = 0
    }
  }

  @inlinable
  mutating func readSeparator<Sink: JSONSink>(
    _ byte: UInt8, at index: Int, into sink: inout Sink
  ) throws(JSONFault) {
    let isObject = levels.isObject
    switch byte {
    case UInt8(ascii: ","): state = isObject ? .key : .value
    case UInt8(ascii: "}") where isObject: endContainer(at: index, into: &sink)
    case UInt8(ascii: "]") where !isObject: endContainer(at: index, into: &sink)
    default: throw unexpected(byte, at: index, expected: isObject ? "a comma or }" : "a comma or ]")
    }
  }

  @inlinable
  mutating func endContainer<Sink: JSONSink>(at index: Int, into sink: inout Sink) {
    let wasWanted = wantedDepth == levels.depth
    levels.pop()
    if wasWanted {
      wantedDepth -= 1
      sink.close()
    }
    endValue()
  }

  @usableFromInline
  func unexpected(_ byte: UInt8, at index: Int, expected: String) -> JSONFault {
    let found =
      byte > 0x20 && byte < 0x7F
      ? "'\(Unicode.Scalar(byte))'"
      : "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    return fault(at: index, "found \(found) where \(expected) is expected")
  }
}
