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
    let text = head.drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF || [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let first = text.first(where: { _ in true }) else { return nil }
    // The list form of a trace has no name for anything.
    if first == UInt8(ascii: "[") { return .chromeTrace }
    return first == UInt8(ascii: "{") ? firstKey(in: Array(text)) : nil
  }

  /// The format whose own key stands first.
  private static func firstKey(in text: [UInt8]) -> ImportFormat? {
    let keys: [(key: String, format: ImportFormat)] = [
      ("log", .har), ("traceEvents", .chromeTrace), ("resourceSpans", .otlp), ("event", .ndjson),
    ]
    for start in text.indices where text[start] == UInt8(ascii: "\"") {
      let rest = text[(start + 1)...]
      for (key, format) in keys where rest.starts(with: Array((key + "\"").utf8)) {
        let after = rest.dropFirst(key.utf8.count + 1).drop {
          $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09
        }
        if after.first == UInt8(ascii: ":") { return format }
      }
    }
    return nil
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
