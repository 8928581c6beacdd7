extension ImportFormat {
  /// How much of a file's beginning ``guess(name:head:)`` wants to see, in bytes.
  public static let headLength = 1 << 16

  /// The format of a file as its name and its beginning tell it; nil if they do not.
  ///
  /// - Parameters:
  ///   - name: the file's name; nil if it has none.
  ///   - head: its first bytes.
  public static func guess(name: String?, head: some Sequence<UInt8>) -> ImportFormat? {
    let name = name?.lowercased() ?? ""
    if name.hasSuffix(".har") { return .har }
    if name.hasSuffix(".ndjson") { return .ndjson }
    return ImportFormat(head: Array(head))
  }
}

extension ExportFormat {
  /// The format that a file's name asks for; nil if its ending tells none.
  public static func guess(name: String) -> ExportFormat? {
    let endings: [(ending: String, format: ExportFormat)] = [
      (".ndjson", .ndjson), (".csv", .csv), (".db", .sqlite), (".sqlite", .sqlite), (".sqlite3", .sqlite),
    ]
    return endings.first { name.lowercased().hasSuffix($0.ending) }?.format
  }
}
