import Foundation
import Testing

/// A value in the JSON output of `loadlog`.
struct Answer: CustomStringConvertible {
  private let value: Any?

  init(_ text: String) throws {
    value = try JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  private init(value: Any?) { self.value = value }

  subscript(key: String) -> Answer { Answer(value: (value as? [String: Any])?[key]) }

  subscript(index: Int) -> Answer {
    let list = value as? [Any] ?? []
    return Answer(value: list.indices.contains(index) ? list[index] : nil)
  }

  var all: [Answer] { (value as? [Any] ?? []).map { Answer(value: $0) } }
  var int: Int? { value as? Int }
  var number: Double? { (value as? NSNumber)?.doubleValue }
  var text: String? { value as? String }
  var bool: Bool? { value as? Bool }
  var isNull: Bool { value is NSNull }
  var keys: Set<String> { Set((value as? [String: Any] ?? [:]).keys) }
  var description: String { value.map { "\($0)" } ?? "nothing" }
}

extension Place {
  /// The JSON output of a verb.
  func ask(_ arguments: String...) throws -> Answer {
    let answer = try loadlog(arguments + ["--json"])
    try #require(answer.code == 0, "\(answer.errors)")
    #expect(answer.errors == "")
    return try Answer(answer.output)
  }

  /// The object of one feed in the output of `status`.
  func status(_ feed: String) throws -> Answer { try ask("status", feed)["feeds"][0] }

  /// The numbers of a feed's imbalances, without the totals.
  func unbalanced(_ feed: String) throws -> [String: Int] {
    let kinds = ["crashed", "rebooted", "abandoned", "orphan_finish", "duplicate_finish", "extra_pop"]
    let found = try status(feed)["unbalanced"]
    var numbers: [String: Int] = [:]
    for kind in kinds {
      let number = try #require(found[kind].int)
      if number != 0 { numbers[kind] = number }
    }
    #expect(found["total"].int == numbers.values.reduce(0, +))
    return numbers
  }

  /// Expects that a feed has running loads whose owner is alive.
  func expectRunning(_ feed: String, _ number: Int = 1, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let status = try status(feed)
    #expect(status["running"].int == number, "\(status)", sourceLocation: sourceLocation)
    #expect(status["unknown"].int == 0, "\(status)", sourceLocation: sourceLocation)
    #expect(status["unbalanced"]["total"].int == 0, "\(status)", sourceLocation: sourceLocation)
  }
}
