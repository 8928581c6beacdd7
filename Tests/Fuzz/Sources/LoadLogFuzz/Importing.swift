import LoadLog
import LoadLogReports

/// Reads bytes as a file of a format.
enum Importing {
  /// 20 November 2026.
  private static let epoch: Int64 = 1_795_132_800_000_000

  /// Checks that the items do not depend on the size of the pieces, which is in the first two bytes.
  static func read(_ bytes: UnsafeRawBufferPointer, as format: ImportFormat) {
    guard bytes.count > 2 else { return }
    let piece = Int(bytes[0]) << 8 | Int(bytes[1])
    let text = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(2))
    _ = ImportFormat(head: Array(text))
    let sources: [FeedSource?] = [nil] + format.feedSources.dropFirst().map(Optional.init)
    for source in sources {
      let options = ImportOptions(feedSource: source, epoch: epoch)
      let whole = items(of: text, inPiecesOf: text.count, format, options)
      precondition(
        whole == items(of: text, inPiecesOf: max(1, piece), format, options), "pieces matter")
      // An empty file has few items, and each item takes at least one byte.
      precondition(whole.count <= text.count + 16, "\(whole.count) items in \(text.count) bytes")
      for item in whole { check(item, size: text.count) }
    }
  }

  static func items(
    of text: UnsafeRawBufferPointer, inPiecesOf size: Int, _ format: ImportFormat, _ options: ImportOptions
  ) -> [ImportedItem] {
    guard var importer = try? format.importer(options) else {
      fatalError("\(format) refuses its source")
    }
    var items: [ImportedItem] = []
    var rest = text[...]
    while !rest.isEmpty, !importer.isFaulty {
      importer.read(UnsafeRawBufferPointer(rebasing: rest.prefix(size)), into: &items)
      rest = rest.dropFirst(size)
    }
    importer.finish(into: &items)
    return items
  }

  private static func check(_ item: ImportedItem, size: Int) {
    if let position = item.position {
      precondition(0...size ~= position.offset && position.line > 0 && position.column > 0, "\(position)")
    }
    switch item {
    case .load(let load):
      precondition((try? load.feed.validated()) != nil, "a feed with an invalid name")
      precondition(load.started >= 0 && load.duration ?? 0 >= 0, "a time or duration out of range")
    case .rejected(let fault), .fault(let fault):
      let shown = VisibleText.line(fault.description)
      precondition(
        !shown.unicodeScalars.contains(where: VisibleText.mustShow), "an unescaped fault")
    case .orphan, .line, .skipped: break
    }
  }
}
