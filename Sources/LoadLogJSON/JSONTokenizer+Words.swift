/// How much of a number was read.
@usableFromInline
package enum JSONNumberState: UInt8, Sendable {
  case begun, minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits

  @inlinable package var isComplete: Bool {
    switch self {
    case .zero, .integer, .fraction, .exponentDigits: true
    default: false
    }
  }

  /// The state after one more byte; nil if the byte is not part of the number.
  @inlinable
  package func after(_ byte: UInt8) -> JSONNumberState? {
    let isDigit = byte >= 0x30 && byte <= 0x39
    switch self {
    case .begun where byte == UInt8(ascii: "-"): return .minus
    case .begun, .minus: return byte == 0x30 ? .zero : isDigit ? .integer : nil
    case .integer where isDigit: return .integer
    case .zero, .integer, .fraction:
      if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") { return .exponent }
      if self == .fraction { return isDigit ? .fraction : nil }
      return byte == UInt8(ascii: ".") ? .point : nil
    case .point: return isDigit ? .fraction : nil
    case .exponent where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"): return .exponentSign
    case .exponent, .exponentSign, .exponentDigits: return isDigit ? .exponentDigits : nil
    }
  }
}

/// The words that stand for values.
@usableFromInline
enum JSONWord: UInt8, Sendable {
  case null, no, yes, notANumber, infinity

  @usableFromInline
  init?(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "n"): self = .null
    case UInt8(ascii: "f"): self = .no
    case UInt8(ascii: "t"): self = .yes
    case UInt8(ascii: "N"): self = .notANumber
    case UInt8(ascii: "I"): self = .infinity
    default: return nil
    }
  }

  @usableFromInline var kind: JSONKind {
    switch self {
    case .null: .null
    case .no: .no
    case .yes: .yes
    case .notANumber, .infinity: .notANumber
    }
  }

  @usableFromInline var spelling: StaticString {
    switch self {
    case .null: "null"
    case .no: "false"
    case .yes: "true"
    case .notANumber: "NaN"
    case .infinity: "Infinity"
    }
  }
}

extension JSONTokenizer {
  @inlinable
  mutating func beginNumber() {
    state = .number
    number = .begun
    if text.isUsed { text.reset() }
  }

  @inlinable
  mutating func readNumber<Sink: JSONSink>(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: inout Int, into sink: inout Sink
  ) throws(JSONFault) {
    let start = index
    while index < bytes.count, let next = number.after(bytes[index]) {
      number = next
      index += 1
    }
    let piece = UnsafeBufferPointer(rebasing: bytes[start..<index])
    guard index < bytes.count else {
      if isWanted { text.append(piece) }
      return
    }
    if number == .minus, bytes[index] == UInt8(ascii: "I") {
      word = .infinity
      progress = 0
      state = .word
      return
    }
    guard number.isComplete else { throw unexpected(bytes[index], at: index, expected: "a digit") }
    if text.isUsed || !isWanted {
      if isWanted { text.append(piece) }
      endNumber(&sink)
    } else {
      sink.scalar(.number, bytes: piece, isCut: false)
      endValue()
    }
  }

  /// Delivers a number that came in several pieces, or that the end of the text ends.
  @inlinable
  mutating func endNumber<Sink: JSONSink>(_ sink: inout Sink) {
    if isWanted {
      text.bytes.withUnsafeBufferPointer { sink.scalar(.number, bytes: $0, isCut: text.isCut) }
      text.reset()
    }
    endValue()
  }

  @inlinable
  mutating func readWord<Sink: JSONSink>(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: inout Int, into sink: inout Sink
  ) throws(JSONFault) {
    let spelling = word.spelling
    while index < bytes.count, progress < spelling.utf8CodeUnitCount {
      guard bytes[index] == spelling.utf8Start[progress] else {
        throw unexpected(bytes[index], at: index, expected: "\"\(spelling)\"")
      }
      index += 1
      progress += 1
    }
    guard progress == spelling.utf8CodeUnitCount else { return }
    if isWanted { sink.scalar(word.kind, bytes: UnsafeBufferPointer(start: nil, count: 0), isCut: false) }
    endValue()
  }
}
