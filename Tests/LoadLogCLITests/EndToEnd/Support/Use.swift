import Testing

/// A command line that must be refused; WORD in the line stands for the given text.
struct Use: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let arguments: [String]
  let code: Int32
  let says: String

  init(_ what: String, _ line: String, _ text: String = "", code: Int32 = 2, says: String) {
    testDescription = what
    arguments = line.split(separator: " ").map { String($0).replacing("WORD", with: text) }
    self.code = code
    self.says = says
  }
}

extension String {
  /// Without the years of days, which screens name as soon as they are not of the present year.
  var withoutYears: String { replacing(#/ ([A-Z][a-z]{2}) 20\d\d/#) { " \($0.1)" } }
}

/// Characters that control a terminal or the direction of text instead of being visible.
enum Hostile {
  static func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
      0xFEFF, 0xFFF9...0xFFFB, 0xE0001:
      true
    default: false
    }
  }

  /// The hostile characters of a text of several lines.
  static func found(in text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { contains($0) && $0 != "\n" }
  }
}
