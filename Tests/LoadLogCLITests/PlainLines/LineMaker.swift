import ArgumentParser
import Foundation
import TestProcesses

/// Makes lines of a verb: of the options that its help declares, of values, arguments and what is none of these. Many are
/// right, most of the others nearly so.
struct LineMaker {
  private let options: [Declaration]
  private var random: SplitMix64

  /// The names of all options.
  var names: Set<String> { Set(options.flatMap(\.spellings)) }

  init(_ verb: any ParsableCommand.Type, seed: UInt64) throws {
    let help = try JSONDecoder().decode(DumpedHelp.self, from: Data(verb._dumpHelp().utf8))
    options = help.command.arguments.filter { $0.kind != "positional" && !$0.spellings.contains("--help") }
    random = SplitMix64(seed: seed)
  }

  private static let words = [
    "a", "two words", "b/c*", "status", "help", "24h", "x=y", "é", "", "0", "3", "+5", "2147483648",
  ]
  private static let odd = [
    "-", "--", "---", "-1", "-x", "-qv", "-mx", "--no", "--mess", "--help", "-h", "--version",
    "--generate-completion-script", "-\u{301}",
  ]

  /// The words after the verb.
  mutating func line() -> [String] {
    var line: [String] = []
    for _ in 0..<pick(0...5) {
      switch pick(1...12) {
      case 1...6: line += option()
      case 7...10: line.append(pick(Self.words))
      case 11: line.append(option().joined(separator: "="))
      default: line.append(pick(Self.odd))
      }
    }
    if line.count > 1, pick(1...3) == 1 { line.swapAt(pick(0...line.count - 1), pick(0...line.count - 1)) }
    if line.count > 1, pick(1...6) == 1 { line.remove(at: pick(0...line.count - 1)) }
    return line
  }

  private mutating func option() -> [String] {
    let option = pick(options)
    let name = pick(option.spellings)
    guard option.kind == "option" else { return [name] }
    return [name, pick(pick(1...4) == 1 ? Self.words : option.allValues ?? Self.words)]
  }

  private mutating func pick<Element>(_ elements: some Collection<Element>) -> Element {
    let offset = Int.random(in: 0..<elements.count, using: &random)
    return elements[elements.index(elements.startIndex, offsetBy: offset)]
  }
}

/// What the parser tells programs of a verb.
private struct DumpedHelp: Decodable {
  struct Command: Decodable {
    var arguments: [Declaration]
  }
  var command: Command
}

private struct Declaration: Decodable {
  struct Name: Decodable {
    var kind: String, name: String
  }
  var kind: String, names: [Name]?, allValues: [String]?

  var spellings: [String] { (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name } }
}
