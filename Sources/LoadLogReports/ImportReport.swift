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

  /// Summary of the import: "imported 51,316 loads and 6 unmatched finishes; skipped 0, rejected 0".
  public var text: String {
    var parts = [Words.count(result.loads, "load")]
    if result.unmatched > 0 {
      parts.append(Words.count(result.unmatched, "unmatched finish", plural: "unmatched finishes"))
    }
    for (count, noun) in [
      (result.acknowledgements, "acknowledgement"), (result.expectations, "expectation"),
      (result.flips, "flip"), (result.sealedDays, "pruned day"),
    ] where count > 0 { parts.append(Words.count(count, noun)) }
    return "imported \(Words.list(parts)); skipped \(Words.count(result.skipped)), "
      + "rejected \(Words.count(result.rejected))"
  }

  /// Problems, one per line: the first rejected records, then the fault that ended reading.
  public var complaints: [String] {
    var lines = result.rejections.map(complaint)
    let more = result.rejected - result.rejections.count
    if more > 0 { lines.append("\(shownFile): rejected \(Words.count(more)) more.") }
    if let fault = result.fault { lines.append(complaint(fault)) }
    return lines
  }

  /// Notes, one per line: items that were skipped although the store does not contain them, unknown keys, and
  /// the epoch that was assumed for relative times.
  public func remarks(zone: LocalZone) -> [String] {
    var remarks = result.others.map {
      "skipped \(Words.count($0.count)): \(VisibleText.line($0.cause))"
    }
    if result.ignored.count > 0 {
      let names = result.ignored.names.map(VisibleText.line) + (result.ignored.hasMoreNames ? ["others"] : [])
      remarks.append(
        "ignored \(Words.count(result.ignored.count, "unknown key")): \(names.joined(separator: ", "))")
    }
    if let assumedEpoch {
      remarks.append(
        "times are relative and were counted from the file's modification time, "
          + "\(LocalTime(zone: zone).full(assumedEpoch)). Use --epoch TIME to count from another time")
    }
    return remarks.map { "\(shownFile): \($0)." }
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    head.object.appending([
      "file": .string(file), "format": .string(format.rawValue), "imported": .count(result.imported),
      "loads": .count(result.loads), "unmatched": .count(result.unmatched),
      "acknowledgements": .count(result.acknowledgements), "expectations": .count(result.expectations),
      "flips": .count(result.flips), "sealed_days": .count(result.sealedDays),
      "skipped": .count(result.skipped), "rejected": .count(result.rejected),
      "rejections": .array(result.rejections.map(Self.json)),
      "others": .array(result.others.map { ["cause": .string($0.cause), "count": .count($0.count)] }),
      "ignored_keys": [
        "count": .count(result.ignored.count), "names": .array(result.ignored.names.map { .string($0) }),
        "more": .bool(result.ignored.hasMoreNames),
      ],
      "fault": result.fault.map(Self.json) ?? .null,
    ])
  }

  private func complaint(_ fault: ImportFault) -> String {
    "\(shownFile): \(fault.position): \(VisibleText.line(fault.cause))."
  }

  private var shownFile: String { file == "-" ? "standard input" : VisibleText.quoted(file) }

  private static func json(_ fault: ImportFault) -> JSONValue {
    [
      "line": .count(fault.position.line), "column": .count(fault.position.column),
      "byte": .count(fault.position.offset), "cause": .string(fault.cause),
    ]
  }
}
