public import LoadLogCore

/// Writes loads in one format, one after another, as bytes of UTF-8.
///
/// Call ``begin(into:)``, then ``add(_:into:)-(LoadingSession,_)`` for each load in the order of commits, then
/// ``end(into:)``; write out and empty the bytes whenever they are many. What an exporter keeps does not grow with the
/// number of loads.
public protocol LoadExporter: Sendable {
  /// Appends what stands before the first load.
  mutating func begin(into bytes: inout [UInt8])
  /// Appends a load.
  mutating func add(_ load: LoadingSession, into bytes: inout [UInt8])
  /// Appends an unmatched finish; nothing in formats that have no place for one.
  mutating func add(_ unmatched: Imbalance, into bytes: inout [UInt8])
  /// Appends what stands behind the last load.
  mutating func end(into bytes: inout [UInt8])
}

extension LoadExporter {
  /// Nothing stands before the first load.
  public mutating func begin(into bytes: inout [UInt8]) {}
  /// There is no place for an unmatched finish.
  public mutating func add(_ unmatched: Imbalance, into bytes: inout [UInt8]) {}
  /// Nothing stands behind the last load.
  public mutating func end(into bytes: inout [UInt8]) {}
}
