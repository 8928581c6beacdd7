import Foundation
import LoadLogJSON
import TestProcesses
import Testing

@Suite struct JSONTokenizerTests {
  @Test(
    arguments: [
      ("{}", "{}"), (" [ ] ", "[]"), ("[1,-0,2.50,-1e5,1E+9,0.1e-2]", "[1 -0 2.50 -1e5 1E+9 0.1e-2 ]"),
      (#"{"a":null,"b":[true,false]}"#, "{a:null b:[yes no ]}"), ("\u{FEFF}[1]", "[1 ]"), ("7", "7 "),
      (#""a\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00""#, "'a\"\\/\u{8}\u{C}\n\r\tAé€😀' "),
      (
        #"["\ud83dx","\ude00","\ud83d\ud83d\ude00","\ud800"]"#,
        "['\u{FFFD}x' '\u{FFFD}' '\u{FFFD}😀' '\u{FFFD}' ]"
      ),
      (#""\u0000\u001b""#, "'\u{0}\u{1B}' "),
      ("[NaN,Infinity,-Infinity]", "[notANumber notANumber notANumber ]"),
      ("{}[]1 2", "{}[]1 2 "), (#"{"a":1,"a":2}"#, "{a:1 a:2 }"), ("[[[[[]]]]]", "[[[[[]]]]]"), ("", ""),
      ("\r\n\t ", ""),
    ])
  func validJSONIsReadInAnyTwoCuts(text: String, tokens: String) throws {
    let bytes = Array(text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
        #expect(try TokenRecorder.tokens(pieces) == tokens, "cut at \(first) and \(second)")
      }
    }
  }

  @Test(
    arguments: [
      ("[1,]", 3), ("[,1]", 1), ("{,}", 1), (#"{"a"}"#, 4), (#"{"a":}"#, 5), (#"{"a":1,}"#, 7), ("{1:2}", 1),
      ("[1 2]", 3), ("]", 0), ("[}", 1), ("{]", 1), ("[01]", 2), ("-", 1), ("-x", 1), ("1.", 2),
      ("[1.e3]", 3),
      ("1e", 2),
      ("[1e+]", 4), ("+1", 0), (".5", 0), ("nul", 3), ("nulx", 3), ("True", 0), ("'a'", 0), ("\"a\nb\"", 2),
      ("\"a\tb\"", 2), (#""\x""#, 2), (#""\u12g4""#, 5), (#""abc"#, 4), (#""abc\"#, 5), ("[", 1),
      (#"{"a":1"#, 6), ("[1],", 3),
      ("\u{FF}", 0), ("[\u{0}]", 1), ("-Inf", 4), ("/* */1", 0),
    ])
  func invalidJSONIsRefusedAtItsFirstWrongByte(text: String, offset: Int) throws {
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      let fault = #expect(throws: JSONFault.self) {
        try TokenRecorder.tokens([bytes[..<cut], bytes[cut...]])
      }
      #expect(fault?.position.offset == offset, "\(fault?.cause ?? "")")
    }
  }

  @Test func bytesThatAreNotUTF8AreReplaced() throws {
    #expect(try TokenRecorder.tokens([[0x22, 0x61, 0xFF, 0xC3, 0x22]]) == "'a\u{FFFD}\u{FFFD}' ")
    #expect(throws: JSONFault.self) { try TokenRecorder.tokens([[0xFF, 0xFE, 0x7B, 0x00]]) }
    #expect(throws: JSONFault.self) { try TokenRecorder.tokens([[0xEF, 0xBB, 0x7B]]) }
  }

  @Test func aFaultNamesLineColumnAndByte() {
    let fault = #expect(throws: JSONFault.self) {
      try TokenRecorder.tokens([Array("{\n \"é\": 1,\n  ?".utf8)[...]])
    }
    #expect(fault?.position == JSONPosition(offset: 14, line: 3, column: 3))
    #expect(fault?.cause == "found '?' where a key in quotation marks is expected")
  }

  @Test func aMillionLevelsAreSkippedAndMoreAreRefused() throws {
    func nested(_ levels: Int) -> [ArraySlice<UInt8>] {
      [[UInt8](repeating: 0x5B, count: levels)[...], [UInt8](repeating: 0x5D, count: levels)[...]]
    }
    #expect(try TokenRecorder.tokens(nested(10_000), depth: 2) == "[[]]")
    #expect(try TokenRecorder.tokens(nested(1 << 20), depth: 0) == "")
    #expect(throws: JSONFault.self) { try TokenRecorder.tokens(nested(1 << 20 + 1), depth: 0) }
    var mixed = Array(#"{"a":[{"b":["#.utf8)
    mixed += Array("]}}]".utf8)
    #expect(throws: JSONFault.self) { try TokenRecorder.tokens([mixed[...]], depth: 0) }
  }

  @Test func aLongTextIsTruncatedInAnyNumberOfPieces() throws {
    let text = "\"" + String(repeating: "x", count: 100_000) + "\""
    let bytes = Array(text.utf8)
    let whole = try TokenRecorder.tokens([bytes[...]])
    #expect(whole == "'" + String(repeating: "x", count: 65_536) + "'… ")
    #expect(
      try TokenRecorder.tokens(
        stride(from: 0, to: bytes.count, by: 999).map { bytes[$0..<min($0 + 999, bytes.count)] }) == whole)
    #expect(try TokenRecorder.tokens([bytes[...]], depth: -1) == "")
  }

  @Test func foundationRefusesTheSameMutations() throws {
    let seeds = [
      #"{"a":[1,2.5e-3,{"b":"c\u00e9\n"}],"d":null,"e":true,"f":false}"#,
      #"[[],{},"",0,-1,[[{"x":[1]}]]]"#,
    ].map { Array($0.utf8) }
    let alphabet = Array("{}[],:\"\\0123456789.eE+-ntfulrasx \n".utf8)
    var generator = SplitMix64(seed: 42)
    for round in 0..<4000 {
      var bytes = seeds[round % seeds.count]
      for _ in 0...Int(generator.next() % 3) {
        let place = Int(generator.next() % UInt64(bytes.count))
        switch generator.next() % 3 {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(alphabet[Int(generator.next() % UInt64(alphabet.count))], at: place)
        default: bytes[place] = alphabet[Int(generator.next() % UInt64(alphabet.count))]
        }
      }
      // Foundation accepts a comma before a closing bracket. RFC 8259 does not.
      if String(decoding: bytes, as: UTF8.self).contains(/,\s*[\]}]/) { continue }
      let isJSON = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
      let cut = Int(generator.next() % UInt64(bytes.count))
      let isOurs = (try? TokenRecorder.tokens([bytes[..<cut], bytes[cut...]], documents: 1)) != nil
      #expect(isOurs == isJSON, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }
}

/// Records the tokens it receives.
struct TokenRecorder: JSONSink {
  struct TooManyDocuments: Error {}

  /// Number of levels that it asks for.
  let depth: Int
  private var kinds: [JSONKind] = []
  private var text = ""
  private var documents = 0

  static func tokens(_ pieces: [ArraySlice<UInt8>], depth: Int = .max, documents: Int = .max) throws -> String
  {
    var recorder = TokenRecorder(depth: depth)
    var tokenizer = JSONTokenizer()
    for piece in pieces { try piece.withUnsafeBufferPointer { try tokenizer.read($0, into: &recorder) } }
    try tokenizer.finish(into: &recorder)
    if recorder.documents > documents || (documents == 1 && recorder.documents == 0) {
      throw TooManyDocuments()
    }
    return recorder.text
  }

  private init(depth: Int) { self.depth = depth }

  mutating func wants(_ kind: JSONKind, at position: JSONPosition) -> Bool {
    if kinds.isEmpty { documents += 1 }
    return kinds.count < depth
  }

  mutating func scalar(_ kind: JSONKind, bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) {
    switch kind {
    case .string: text += "'" + String(decoding: bytes, as: UTF8.self) + "'" + (isCut ? "…" : "")
    case .number: text += String(decoding: bytes, as: UTF8.self)
    default: text += "\(kind)"
    }
    text += " "
  }

  mutating func open(_ kind: JSONKind) {
    kinds.append(kind)
    text += kind == .object ? "{" : "["
  }

  mutating func key(_ bytes: UnsafeBufferPointer<UInt8>) {
    text += String(decoding: bytes, as: UTF8.self) + ":"
  }

  mutating func close() { text += kinds.popLast() == .object ? "}" : "]" }
}
