import ArgumentParser

/// A verb, or a group of options, that can be read from a plain line.
protocol PlainArguments: ParsableArguments {
  /// Takes what belongs to it: options first, then arguments. Each property must be set, to what the parser would make
  /// it; what the line does not say, to its default.
  ///
  /// A method, for in an initializer that delegates, setting a property declares it anew.
  ///
  /// - Throws: if the parser must read the line.
  mutating func read(_ line: inout PlainLine) throws
}

extension PlainArguments {
  /// What a whole line says; nil if the parser must read it.
  init?(words: [String]) {
    var line = PlainLine(words)
    guard let read: Self = try? line.group(), line.isRead else { return nil }
    self = read
  }
}
