public import LoadLogCore

/// Reads a file of one format, piece by piece, and finds the loads in it.
///
///     var importer = try ImportFormat.har.importer(ImportOptions())
///     var items: [ImportedItem] = []
///     while let bytes = try next() { bytes.withUnsafeBytes { importer.read($0, into: &items) } }
///     importer.finish(into: &items)
///
/// The pieces may be cut anywhere. What an importer keeps does not grow with the file. It reads no clock, opens no
/// file and knows no store; it is not for use from two threads at once.
public protocol LoadImporter: Sendable {
  /// A fault was found: nothing more will be read, and ``finish(into:)`` can be called at once.
  var isFaulty: Bool { get }
  /// How many bytes have been read.
  var bytesRead: Int { get }
  /// Whether times were found that count from ``ImportOptions/epoch``.
  var hasRelativeTimes: Bool { get }
  /// Reads the next piece and appends what is complete in it.
  mutating func read(_ bytes: UnsafeRawBufferPointer, into items: inout [ImportedItem])
  /// Appends what is known only at the end: a fault if the end is too early, loads that are still open, and what was
  /// skipped. Call it once, after a fault too.
  mutating func finish(into items: inout [ImportedItem])
}

extension LoadImporter {
  /// Most formats tell their times in full.
  public var hasRelativeTimes: Bool { false }

  /// Reads a whole text.
  public mutating func items(of bytes: [UInt8]) -> [ImportedItem] {
    var items: [ImportedItem] = []
    bytes.withUnsafeBytes { read($0, into: &items) }
    finish(into: &items)
    return items
  }
}
