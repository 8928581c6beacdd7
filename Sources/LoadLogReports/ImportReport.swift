public import LoadLogCore

/// `import`: what became of a file.
public struct ImportReport: Sendable {
  private let result: ImportResult
  private let file: String
  private let format: ImportFormat
  private let assumedEpoch: Int64?
  private let head: JSONHead

  /// Reports on a file that was imported.
  ///
  /// - Parameter assumedEpoch: what its relative times were counted from, if it has any and nobody said; wall time in
  ///   microseconds.
  public init(
    _ result: ImportResult, file: String, format: ImportFormat, assumedEpoch: Int64? = nil, head: JSONHead
  ) {
    self.result = result
    self.file = file
    self.format = format
    self.assumedEpoch = assumedEpoch
    self.head = head
  }

  /// "imported 91, skipped 0, rejected 0"
  public var text: String {
    "imported \(result.imported), skipped \(result.skipped), rejected \(result.rejected)"
  }

  /// What could not be taken over, a line each: the first rejections, and where reading had to end.
  public var complaints: [String] {
    var lines = result.rejections.map(complaint)
    let more = result.rejected - result.rejections.count
    if more > 0 { lines.append("\(VisibleText.quoted(file)): \(more) more were rejected.") }
    if let fault = result.fault { lines.append(complaint(fault)) }
    return lines
  }

  /// What was skipped for other reasons than that the record had it already, and what its times were taken to count
  /// from, a line each.
  public func remarks(zone: LocalZone) -> [String] {
    let skipped = result.others.map {
      "\(VisibleText.quoted(file)): skipped \($0.count): \(VisibleText.line($0.cause))."
    }
    guard let assumedEpoch else { return skipped }
    let time = LocalTime(zone: zone).full(assumedEpoch)
    return skipped + [
      "\(VisibleText.quoted(file)): its times are relative; they count from when it was modified, \(time). "
        + "Give --epoch TIME if that is wrong."
    ]
  }

  /// The report for programs.
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
