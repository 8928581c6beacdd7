import ArgumentParser

extension CommandConfiguration {
  /// The configuration of a verb.
  ///
  /// A verb reads its line alone, without the family (see ``LoadLogCommand/command(_:)``). Told that it is one of a
  /// family, the parser does not first look, by reflection on two commands of its own, whether the line asks for a
  /// completion script: that is for the family to read, as all that a verb does not know.
  static func verb(
    _ name: String, abstract: String, usage: String? = nil, discussion: String, shouldDisplay: Bool = true
  ) -> CommandConfiguration {
    CommandConfiguration(
      commandName: name, _superCommandName: LoadLogCommand.name, abstract: abstract, usage: usage,
      discussion: discussion, shouldDisplay: shouldDisplay)
  }
}
