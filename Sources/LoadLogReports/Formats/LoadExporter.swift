public import LoadLogCore

/// Writer of loads in one format, as UTF-8 bytes.
///
/// Call ``begin(into:)``, then ``add(_:into:)-(LoadingSession,_)`` for each load in commit order, then
/// ``end(into:)``. Write the bytes to the file and clear them whenever the buffer is large enough. The memory
/// of an exporter does not grow with the number of loads.
public protocol LoadExporter: Sendable {
  /// Appends the start of the file.
  mutating func begin(into bytes: inout [UInt8])
  /// Appends a load.
  mutating func add(_ load: LoadingSession, into bytes: inout [UInt8])
  /// Appends an unmatched finish; formats that cannot express one append nothing.
  mutating func add(_ unmatched: Imbalance, into bytes: inout [UInt8])
  /// Appends the end of the file.
  mutating func end(into bytes: inout [UInt8])
}

extension LoadExporter {
  /// Appends nothing.
  public mutating func begin(into bytes: inout [UInt8]) {}
  /// Appends nothing.
  public mutating func add(_ unmatched: Imbalance, into bytes: inout [UInt8]) {}
  /// Appends nothing.
  public mutating func end(into bytes: inout [UInt8]) {}
}
