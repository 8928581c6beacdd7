import LoadLogCore

/// What is missing in the export of a fleet.
package enum FleetGaps {
  /// Returns a line for each gap.
  ///
  /// - Parameters:
  ///   - counted: the number of loads that only counters know.
  ///   - cutsDays: whether a UTC day lies in the window only in part.
  ///   - withoutMessages: the hosts that ship no messages.
  ///   - format: that of the export.
  package static func lines(
    counted: Int, cutsDays: Bool, withoutMessages: [String], in format: ExportFormat
  ) -> [String] {
    var lines: [String] = []
    if counted > 0 {
      let loads = Words.count(counted, "load") + (cutsDays ? " on the UTC days of the window" : "")
      let days = cutsDays ? " on days that lie in the window as a whole" : ", by UTC day"
      let rest =
        format == .ndjson
        ? "The file has the counts of those that finished\(days), as far as the fleet has kept them."
        : "They are not in the file."
      lines.append("the fleet has \(loads) only as counts. \(rest)")
    }
    if let hosts = Words.withoutMessages(withoutMessages) {
      lines.append("\(hosts), so the file has none of theirs.")
    }
    return lines
  }
}
