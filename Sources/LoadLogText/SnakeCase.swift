extension String {
  /// A name in snake case: `started_at` for `startedAt`.
  package var snakeCased: String {
    reduce(into: "") { name, character in
      name += character.isUppercase ? "_" + character.lowercased() : String(character)
    }
  }
}
