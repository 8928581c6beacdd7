public import LoadLogCore

/// Incremental reader of the loads in a file of one format.
///
///     var importer = try ImportFormat.har.importer(ImportOptions())
///     var items: [ImportedItem] = []
///     while let bytes = try next() { bytes.withUnsafeBytes { importer.read($0, into: &items) } }
///     importer.finish(into: &items)
///
/// Pieces may end anywhere, even inside a character. The memory of an importer does not grow with the file.
/// An importer does not open files, read clocks or access a store. Do not use one importer from two threads
/// at the same time.
public protocol LoadImporter: Sendable {
  /// Whether a fault was found. The importer then ignores further bytes; call ``finish(into:)``.
  var isFaulty: Bool { get }
  /// Number of bytes read so far.
  var bytesRead: Int { get }
  /// Whether the file contains times that were counted from ``ImportOptions/epoch``.
  var hasRelativeTimes: Bool { get }
  /// Reads the next piece of the file and appends the items that it completes.
  mutating func read(_ bytes: UnsafeRawBufferPointer, into items: inout [ImportedItem])
  /// Appends the items known only at the end of the file: a fault if it is incomplete, loads that are still
  /// open, and counts of skipped records. Call it exactly once, also after a fault.
  mutating func finish(into items: inout [ImportedItem])
}

extension LoadImporter {
  /// False: most formats have only absolute times.
  public var hasRelativeTimes: Bool { false }

  /// Reads a complete file and returns its items.
  public mutating func items(of bytes: [UInt8]) -> [ImportedItem] {
    var items: [ImportedItem] = []
    bytes.withUnsafeBytes { read($0, into: &items) }
    finish(into: &items)
    return items
  }
}
