import LoadLogCore

/// What is missing in the export of a fleet.
package enum FleetGaps {
  /// Returns a line for each gap.
  ///
  /// - Parameters:
  ///   - counted: the number of loads that only counters know.
  ///   - withoutMessages: the hosts that ship no messages.
  ///   - format: that of the export.
  package static func lines(
    counted: Int, withoutMessages: [String], in format: ExportFormat
  ) -> [String] {
    var lines: [String] = []
    if counted > 0 {
      let rest =
        format == .ndjson
        ? "The file has the counts of those that finished, by UTC day, as far as the fleet has kept them."
        : "They are not in the file."
      lines.append("the fleet has no row of \(Words.count(counted, "load")), only counts. \(rest)")
    }
    if !withoutMessages.isEmpty {
      let names = Words.first(of: withoutMessages.map(VisibleText.line))
      lines.append(
        "\(names) \(withoutMessages.count == 1 ? "ships" : "ship") no messages, so the file has none of theirs."
      )
    }
    return lines
  }
}
