import ArgumentParser

/// The words after a verb, to be read without the parser.
///
/// The parser learns by reflection what a verb takes, which is a good part of the work of a `start`. A line of options,
/// their values and arguments, as scripts write it, can do without. Such a line is only ever accepted here: what is wrong,
/// said twice or less plain (help, `--option=value`, `-qm`, `--`) is the parser's to read and to tell.
struct PlainLine {
  /// There is something on the line that the parser must read.
  struct NotPlain: Error {}

  /// What is taken leaves a hole, so that words that were apart never become neighbours.
  private var words: [String?]

  init(_ words: [String]) { self.words = words }

  /// Nothing is left on the line.
  var isRead: Bool { words.allSatisfy { $0 == nil } }

  /// Takes a flag; false if it is not there.
  mutating func flag(_ names: String...) -> Bool {
    guard let index = index(of: names) else { return false }
    words[index] = nil
    return true
  }

  /// Takes an option and the word after it; nil if it is not there.
  mutating func value<Value: ExpressibleByArgument>(_ names: String...) throws -> Value? {
    try index(of: names).map { index in try value(of: index) }
  }

  /// Takes an option that may be said more than once, as often as it is there.
  mutating func values<Value: ExpressibleByArgument>(_ name: String) throws -> [Value] {
    try words.indices.filter { words[$0] == name }.map { index in try value(of: index) }
  }

  /// Takes the first word that is left, which is an argument once all options are taken.
  mutating func argument() throws -> String {
    guard let index = words.firstIndex(where: { $0 != nil }) else { throw NotPlain() }
    return try word(at: index)
  }

  /// Takes all words that are left, which are arguments once all options are taken.
  mutating func arguments() throws -> [String] {
    try words.indices.filter { words[$0] != nil }.map { index in try word(at: index) }
  }

  /// Takes what belongs to a group of options, or to a verb, which then checks itself as the parser would have it do.
  mutating func group<Group: PlainArguments>() throws -> Group {
    var group = Group()
    try group.read(&self)
    try group.validate()
    return group
  }

  private func index(of names: [String]) -> Int? {
    words.firstIndex { word in word.map(names.contains) ?? false }
  }

  private mutating func value<Value: ExpressibleByArgument>(of index: Int) throws -> Value {
    words[index] = nil
    guard let value = Value(argument: try word(at: index + 1)) else { throw NotPlain() }
    return value
  }

  /// Takes a word that cannot be an option.
  private mutating func word(at index: Int) throws -> String {
    guard words.indices.contains(index), let word = words[index], word.utf8.first != UInt8(ascii: "-") else {
      throw NotPlain()
    }
    words[index] = nil
    return word
  }
}
