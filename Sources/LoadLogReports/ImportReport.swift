public import LoadLogCore

/// Report of `loadlog import`: what was imported from a file.
public struct ImportReport: Sendable {
  private let result: ImportResult
  private let file: String
  private let format: ImportFormat
  private let assumedEpoch: Int64?
  private let head: JSONHead

  /// Creates a report of an imported file.
  ///
  /// - Parameters:
  ///   - result: the numbers of loads, and the faults.
  ///   - file: the file's path, or "-" for standard input.
  ///   - format: the format in which the file was read.
  ///   - assumedEpoch: the file's modification time, in microseconds of wall time, if it was used as the epoch of
  ///     relative times; otherwise nil.
  ///   - head: the members that every JSON answer begins with.
  public init(
    _ result: ImportResult, file: String, format: ImportFormat, assumedEpoch: Int64? = nil, head: JSONHead
  ) {
    self.result = result
    self.file = file
    self.format = format
    self.assumedEpoch = assumedEpoch
    self.head = head
  }

  /// Summary of the import: "imported 91, skipped 0, rejected 0".
  public var text: String {
    "imported \(result.imported), skipped \(result.skipped), rejected \(result.rejected)"
  }

  /// Problems, one per line: the first rejected records, then the fault that ended reading.
  public var complaints: [String] {
    var lines = result.rejections.map(complaint)
    let more = result.rejected - result.rejections.count
    if more > 0 { lines.append("\(VisibleText.quoted(file)): rejected \(more) more.") }
    if let fault = result.fault { lines.append(complaint(fault)) }
    return lines
  }

  /// Notes, one per line: items that were skipped although the store does not contain them, and the epoch
  /// that was assumed for relative times.
  public func remarks(zone: LocalZone) -> [String] {
    let skipped = result.others.map {
      "\(VisibleText.quoted(file)): skipped \($0.count): \(VisibleText.line($0.cause))."
    }
    guard let assumedEpoch else { return skipped }
    let time = LocalTime(zone: zone).full(assumedEpoch)
    return skipped + [
      "\(VisibleText.quoted(file)): times are relative and were counted from the file's modification time, "
        + "\(time). Use --epoch TIME to count from another time."
    ]
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    head.object.appending([
      "file": .string(file), "format": .string(format.rawValue), "imported": .count(result.imported),
      "skipped": .count(result.skipped), "rejected": .count(result.rejected),
      "rejections": .array(result.rejections.map(Self.json)),
      "others": .array(result.others.map { ["cause": .string($0.cause), "count": .count($0.count)] }),
      "fault": result.fault.map(Self.json) ?? .null,
    ])
  }

  private func complaint(_ fault: ImportFault) -> String {
    "\(VisibleText.quoted(file)): \(fault.position): \(VisibleText.line(fault.cause))."
  }

  private static func json(_ fault: ImportFault) -> JSONValue {
    [
      "line": .count(fault.position.line), "column": .count(fault.position.column),
      "byte": .count(fault.position.offset), "cause": .string(fault.cause),
    ]
  }
}
