extension ImportFormat {
  /// Number of bytes from the start of a file that ``guess(name:head:)`` needs to detect its format.
  public static let headLength = 1 << 16

  /// Detects the format of a file from its name and its first bytes; nil if neither shows it.
  ///
  /// - Parameters:
  ///   - name: name of the file; nil if it has none.
  ///   - head: first ``headLength`` bytes of the file.
  public static func guess(name: String?, head: some Sequence<UInt8>) -> ImportFormat? {
    let name = name?.lowercased() ?? ""
    if name.hasSuffix(".har") { return .har }
    if name.hasSuffix(".ndjson") { return .ndjson }
    return ImportFormat(head: Array(head))
  }
}

extension ExportFormat {
  /// Returns the format that belongs to the extension of a file name; nil if the extension is not known.
  public static func guess(name: String) -> ExportFormat? {
    let endings: [(ending: String, format: ExportFormat)] = [
      (".ndjson", .ndjson), (".csv", .csv), (".db", .sqlite), (".sqlite", .sqlite), (".sqlite3", .sqlite),
      (".prom", .prometheus),
    ]
    return endings.first { name.lowercased().hasSuffix($0.ending) }?.format
  }
}
